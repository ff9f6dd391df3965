//! The tools in `src/bin/models`.

task! {
    models "Models" {
        acc_lda "acc-lda" "../bin/models/acc-lda.rs" Kaldi
            "accumulates statistics for LDA, with pdfs as classes";
        acc_tree_stats "acc-tree-stats" "../bin/models/acc-tree-stats.rs" Kaldi
            "accumulates statistics of states in windows of phones, for trees";
        ali_to_pdf "ali-to-pdf" "../bin/models/ali-to-pdf.rs" Kaldi
            "converts alignments from transition-ids to pdfs";
        ali_to_phones "ali-to-phones" "../bin/models/ali-to-phones.rs" Kaldi
            "converts alignments to phones, their lengths or CTM";
        am_info "am-info" "../bin/models/am-info.rs" Kaldi
            "prints the numbers of phones, pdfs and transitions of a model of any kind";
        build_pfile_from_ali "build-pfile-from-ali" "../bin/models/build-pfile-from-ali.rs" Kaldi
            "writes features and their pdfs as text for pfile_create";
        build_tree "build-tree" "../bin/models/build-tree.rs" Kaldi
            "builds a tree, whose leaves are pdfs, from statistics";
        build_tree_two_level "build-tree-two-level" "../bin/models/build-tree-two-level.rs" Kaldi
            "builds a large tree that refines a small one";
        cluster_phones "cluster-phones" "../bin/models/cluster-phones.rs" Kaldi
            "clusters phones by their statistics, for questions or as classes";
        compile_questions "compile-questions" "../bin/models/compile-questions.rs" Kaldi
            "makes the questions of a tree from sets of phones";
        compute_gop "compute-gop" "../bin/models/compute-gop.rs" Kaldi
            "scores the pronunciation of phones";
        convert_ali "convert-ali" "../bin/models/convert-ali.rs" Kaldi
            "converts alignments from one model to another";
        copy_transition_model "copy-transition-model" "../bin/models/copy-transition-model.rs" Kaldi
            "copies a transition model, alone or out of an acoustic model";
        copy_tree "copy-tree" "../bin/models/copy-tree.rs" Kaldi
            "copies trees between binary and text";
        draw_tree "draw-tree" "../bin/models/draw-tree.rs" Kaldi
            "describes a tree as a picture (GraphViz)";
        fgmm_global_acc_stats "fgmm-global-acc-stats" "../bin/models/fgmm-global-acc-stats.rs" Kaldi
            "computes statistics of features for a mixture; full covariances";
        fgmm_global_acc_stats_post "fgmm-global-acc-stats-post" "../bin/models/fgmm-global-acc-stats-post.rs" Kaldi
            "computes statistics for a mixture from posteriors; full covariances";
        fgmm_global_copy "fgmm-global-copy" "../bin/models/fgmm-global-copy.rs" Kaldi
            "copies a mixture of Gaussians with full covariances";
        fgmm_global_est "fgmm-global-est" "../bin/models/fgmm-global-est.rs" Kaldi
            "estimates a mixture from statistics; full covariances";
        fgmm_global_get_frame_likes "fgmm-global-get-frame-likes" "../bin/models/fgmm-global-get-frame-likes.rs" Kaldi
            "computes the likelihood of each frame; full covariances";
        fgmm_global_gselect_to_post "fgmm-global-gselect-to-post" "../bin/models/fgmm-global-gselect-to-post.rs" Kaldi
            "computes the posteriors of selected Gaussians; full covariances";
        fgmm_global_info "fgmm-global-info" "../bin/models/fgmm-global-info.rs" Kaldi
            "prints the sizes of a mixture with full covariances";
        fgmm_global_init_from_accs "fgmm-global-init-from-accs" "../bin/models/fgmm-global-init-from-accs.rs" Kaldi
            "makes a mixture with full covariances of statistics alone";
        fgmm_global_merge "fgmm-global-merge" "../bin/models/fgmm-global-merge.rs" Kaldi
            "puts several mixtures with full covariances together";
        fgmm_global_sum_accs "fgmm-global-sum-accs" "../bin/models/fgmm-global-sum-accs.rs" Kaldi
            "sums statistics for a mixture; full covariances";
        fgmm_global_to_gmm "fgmm-global-to-gmm" "../bin/models/fgmm-global-to-gmm.rs" Kaldi
            "converts a mixture with full covariances to diagonal ones";
        fgmm_gselect "fgmm-gselect" "../bin/models/fgmm-gselect.rs" Kaldi
            "selects the best Gaussians of each frame; full covariances";
        gmm_acc_mllt "gmm-acc-mllt" "../bin/models/gmm-acc-mllt.rs" Kaldi
            "computes statistics for MLLT with a model of mixtures";
        gmm_acc_stats "gmm-acc-stats" "../bin/models/gmm-acc-stats.rs" Kaldi
            "computes statistics for a model of mixtures, from posteriors";
        gmm_acc_stats_ali "gmm-acc-stats-ali" "../bin/models/gmm-acc-stats-ali.rs" Kaldi
            "computes statistics for a model of mixtures, from alignments";
        gmm_acc_stats_twofeats "gmm-acc-stats-twofeats" "../bin/models/gmm-acc-stats-twofeats.rs" Kaldi
            "computes statistics for a model of mixtures in other features";
        gmm_acc_stats2 "gmm-acc-stats2" "../bin/models/gmm-acc-stats2.rs" Kaldi
            "computes statistics of positive and negative posteriors";
        gmm_basis_fmllr_accs "gmm-basis-fmllr-accs" "../bin/models/gmm-basis-fmllr-accs.rs" Kaldi
            "computes statistics of bases of fMLLR from posteriors of transition-ids";
        gmm_basis_fmllr_accs_gpost "gmm-basis-fmllr-accs-gpost" "../bin/models/gmm-basis-fmllr-accs-gpost.rs" Kaldi
            "computes statistics of bases of fMLLR from posteriors of Gaussians";
        gmm_basis_fmllr_training "gmm-basis-fmllr-training" "../bin/models/gmm-basis-fmllr-training.rs" Kaldi
            "trains bases of fMLLR transforms from statistics";
        gmm_boost_silence "gmm-boost-silence" "../bin/models/gmm-boost-silence.rs" Kaldi
            "makes silence more probable";
        gmm_compute_likes "gmm-compute-likes" "../bin/models/gmm-compute-likes.rs" Kaldi
            "computes the likelihoods of pdfs";
        gmm_copy "gmm-copy" "../bin/models/gmm-copy.rs" Kaldi
            "copies a model of Gaussian mixtures, or a part of it";
        gmm_est "gmm-est" "../bin/models/gmm-est.rs" Kaldi
            "estimates a model of mixtures from statistics";
        gmm_est_basis_fmllr "gmm-est-basis-fmllr" "../bin/models/gmm-est-basis-fmllr.rs" Kaldi
            "estimates fMLLR transforms as sums of bases, from posteriors of transition-ids";
        gmm_est_basis_fmllr_gpost "gmm-est-basis-fmllr-gpost" "../bin/models/gmm-est-basis-fmllr-gpost.rs" Kaldi
            "estimates fMLLR transforms as sums of bases, from posteriors of Gaussians";
        gmm_est_fmllr "gmm-est-fmllr" "../bin/models/gmm-est-fmllr.rs" Kaldi
            "estimates fMLLR transforms from posteriors of transition-ids";
        gmm_est_fmllr_gpost "gmm-est-fmllr-gpost" "../bin/models/gmm-est-fmllr-gpost.rs" Kaldi
            "estimates fMLLR transforms from posteriors of Gaussians";
        gmm_est_fmllr_raw "gmm-est-fmllr-raw" "../bin/models/gmm-est-fmllr-raw.rs" Kaldi
            "estimates fMLLR transforms of frames before splicing, from posteriors of transition-ids";
        gmm_est_fmllr_raw_gpost "gmm-est-fmllr-raw-gpost" "../bin/models/gmm-est-fmllr-raw-gpost.rs" Kaldi
            "estimates fMLLR transforms of frames before splicing, from posteriors of Gaussians";
        gmm_est_gaussians_ebw "gmm-est-gaussians-ebw" "../bin/models/gmm-est-gaussians-ebw.rs" Kaldi
            "estimates the means and variances of a model discriminatively";
        gmm_est_lvtln_trans "gmm-est-lvtln-trans" "../bin/models/gmm-est-lvtln-trans.rs" Kaldi
            "chooses linear VTLN transforms with a model";
        gmm_est_rescale "gmm-est-rescale" "../bin/models/gmm-est-rescale.rs" Kaldi
            "moves a model as its features have changed";
        gmm_est_weights_ebw "gmm-est-weights-ebw" "../bin/models/gmm-est-weights-ebw.rs" Kaldi
            "estimates the weights of a model discriminatively";
        gmm_fmpe_acc_stats "gmm-fmpe-acc-stats" "../bin/models/gmm-fmpe-acc-stats.rs" Kaldi
            "computes statistics of fMPE with a model";
        gmm_get_stats_deriv "gmm-get-stats-deriv" "../bin/models/gmm-get-stats-deriv.rs" Kaldi
            "computes derivatives of an objective function by statistics";
        gmm_global_acc_stats "gmm-global-acc-stats" "../bin/models/gmm-global-acc-stats.rs" Kaldi
            "computes statistics of features for a mixture; diagonal covariances";
        gmm_global_acc_stats_twofeats "gmm-global-acc-stats-twofeats" "../bin/models/gmm-global-acc-stats-twofeats.rs" Kaldi
            "computes statistics for a mixture in other features";
        gmm_global_copy "gmm-global-copy" "../bin/models/gmm-global-copy.rs" Kaldi
            "copies a mixture of Gaussians with diagonal covariances";
        gmm_global_est "gmm-global-est" "../bin/models/gmm-global-est.rs" Kaldi
            "estimates a mixture from statistics; diagonal covariances";
        gmm_global_est_lvtln_trans "gmm-global-est-lvtln-trans" "../bin/models/gmm-global-est-lvtln-trans.rs" Kaldi
            "chooses linear VTLN transforms with a mixture of Gaussians";
        gmm_global_get_frame_likes "gmm-global-get-frame-likes" "../bin/models/gmm-global-get-frame-likes.rs" Kaldi
            "computes the likelihood of each frame; diagonal covariances";
        gmm_global_get_post "gmm-global-get-post" "../bin/models/gmm-global-get-post.rs" Kaldi
            "computes the largest posteriors of Gaussians in each frame";
        gmm_global_gselect_to_post "gmm-global-gselect-to-post" "../bin/models/gmm-global-gselect-to-post.rs" Kaldi
            "computes the posteriors of selected Gaussians; diagonal covariances";
        gmm_global_info "gmm-global-info" "../bin/models/gmm-global-info.rs" Kaldi
            "prints the sizes of a mixture with diagonal covariances";
        gmm_global_init_from_feats "gmm-global-init-from-feats" "../bin/models/gmm-global-init-from-feats.rs" Kaldi
            "makes a mixture with diagonal covariances of features, and trains it";
        gmm_global_sum_accs "gmm-global-sum-accs" "../bin/models/gmm-global-sum-accs.rs" Kaldi
            "sums statistics for a mixture; diagonal covariances";
        gmm_global_to_fgmm "gmm-global-to-fgmm" "../bin/models/gmm-global-to-fgmm.rs" Kaldi
            "converts a mixture with diagonal covariances to full ones";
        gmm_gselect "gmm-gselect" "../bin/models/gmm-gselect.rs" Kaldi
            "selects the best Gaussians of each frame; diagonal covariances";
        gmm_info "gmm-info" "../bin/models/gmm-info.rs" Kaldi
            "prints the numbers of phones, pdfs, transitions and Gaussians of a model";
        gmm_init_biphone "gmm-init-biphone" "../bin/models/gmm-init-biphone.rs" Kaldi
            "makes a tree with a leaf for each pair of phones, and its model";
        gmm_init_lvtln "gmm-init-lvtln" "../bin/models/gmm-init-lvtln.rs" Kaldi
            "starts linear VTLN transforms";
        gmm_init_model "gmm-init-model" "../bin/models/gmm-init-model.rs" Kaldi
            "makes a model of a tree and its statistics";
        gmm_init_model_flat "gmm-init-model-flat" "../bin/models/gmm-init-model-flat.rs" Kaldi
            "makes a model of a tree, in which all pdfs are alike";
        gmm_init_mono "gmm-init-mono" "../bin/models/gmm-init-mono.rs" Kaldi
            "makes a model without context before training";
        gmm_ismooth_stats "gmm-ismooth-stats" "../bin/models/gmm-ismooth-stats.rs" Kaldi
            "adds frames of the same means and variances to statistics";
        gmm_mixup "gmm-mixup" "../bin/models/gmm-mixup.rs" Kaldi
            "splits and merges the Gaussians of a model";
        gmm_post_to_gpost "gmm-post-to-gpost" "../bin/models/gmm-post-to-gpost.rs" Kaldi
            "computes the posteriors of the Gaussians of pdfs";
        gmm_sum_accs "gmm-sum-accs" "../bin/models/gmm-sum-accs.rs" Kaldi
            "sums statistics for a model of mixtures";
        gmm_train_lvtln_special "gmm-train-lvtln-special" "../bin/models/gmm-train-lvtln-special.rs" Kaldi
            "sets a linear VTLN transform from features and warped ones";
        gmm_transform_means "gmm-transform-means" "../bin/models/gmm-transform-means.rs" Kaldi
            "transforms the means of a model";
        hmm_info "hmm-info" "../bin/models/hmm-info.rs" Kaldi
            "prints the same as am-info";
        init_ubm "init-ubm" "../bin/models/init-ubm.rs" Kaldi
            "clusters the Gaussians of a model into one mixture";
        ivector_extract "ivector-extract" "../bin/models/ivector-extract.rs" Kaldi
            "extracts i-vectors of utterances or speakers";
        ivector_extract_online "ivector-extract-online" "../bin/models/ivector-extract-online.rs" Kaldi
            "extracts i-vectors while the frames of an utterance come in";
        ivector_extract_online2 "ivector-extract-online2" "../bin/models/ivector-extract-online2.rs" Kaldi
            "extracts i-vectors of raw features, as recognizers need them";
        ivector_extractor_acc_stats "ivector-extractor-acc-stats" "../bin/models/ivector-extractor-acc-stats.rs" Kaldi
            "collects statistics for training an i-vector extractor";
        ivector_extractor_copy "ivector-extractor-copy" "../bin/models/ivector-extractor-copy.rs" Kaldi
            "copies an i-vector extractor";
        ivector_extractor_est "ivector-extractor-est" "../bin/models/ivector-extractor-est.rs" Kaldi
            "estimates an i-vector extractor from statistics";
        ivector_extractor_init "ivector-extractor-init" "../bin/models/ivector-extractor-init.rs" Kaldi
            "makes an i-vector extractor of a Gaussian mixture";
        ivector_extractor_sum_accs "ivector-extractor-sum-accs" "../bin/models/ivector-extractor-sum-accs.rs" Kaldi
            "sums statistics for training an i-vector extractor";
        ivector_randomize "ivector-randomize" "../bin/models/ivector-randomize.rs" Kaldi
            "replaces some i-vectors of an utterance by later ones";
        post_to_pdf_post "post-to-pdf-post" "../bin/models/post-to-pdf-post.rs" Kaldi
            "converts posteriors from transition-ids to pdfs";
        post_to_phone_post "post-to-phone-post" "../bin/models/post-to-phone-post.rs" Kaldi
            "converts posteriors from transition-ids or pdfs to phones";
        post_to_tacc "post-to-tacc" "../bin/models/post-to-tacc.rs" Kaldi
            "counts transition-ids in posteriors";
        show_alignments "show-alignments" "../bin/models/show-alignments.rs" Kaldi
            "shows alignments with the names of their phones";
        show_transitions "show-transitions" "../bin/models/show-transitions.rs" Kaldi
            "shows the transitions of a model in words";
        sum_tree_stats "sum-tree-stats" "../bin/models/sum-tree-stats.rs" Kaldi
            "sums statistics for trees";
        tree_info "tree-info" "../bin/models/tree-info.rs" Kaldi
            "prints the number of pdfs of a tree, and its window of phones";
        weight_silence_post "weight-silence-post" "../bin/models/weight-silence-post.rs" Kaldi
            "weights the posteriors of silence";
    }
}

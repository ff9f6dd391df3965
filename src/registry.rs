//! The list of all tools. Everything that has to know them reads it here: the program, its help, manuals, completions,
//! installation, and the tests of documents.

pub use crate::entry::{Entry, Origin, Task};

/// All tools, task by task.
pub fn tools() -> impl Iterator<Item = &'static Entry> {
    TASKS.iter().flat_map(|task| task.tools)
}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    tools().find(|entry| entry.name == name)
}

/// Declares the module of each tool and [`TASKS`]. A row: the module, the name, the file, the origin, the summary.
macro_rules! tasks {
    ($($task:ident $title:literal { $(
        $(#[$condition:meta])? $module:ident $name:literal $path:literal $origin:ident $summary:literal;
    )* })*) => {
        $($(
            $(#[$condition])?
            #[path = $path]
            mod $module;
        )*)*

        /// All tasks, in the order in which lists show them.
        pub static TASKS: &[Task] = &[$(Task {
            name: stringify!($task),
            title: $title,
            tools: &[$($(#[$condition])? Entry {
                name: $name,
                summary: $summary,
                origin: Origin::$origin,
                tool: $module::TOOL,
                main: $module::main,
            },)*],
        },)*];
    };
}

tasks! {
    tables "Tables" {
        ark_to_scp "ark-to-scp" "bin/tables/ark-to-scp.rs" Own
            "makes the script file of archives that have none, by their headers";
        compare_int_vector "compare-int-vector" "bin/tables/compare-int-vector.rs" Kaldi
            "compares integer vectors and counts differences";
        concat_ark "concat-ark" "bin/tables/concat-ark.rs" Own
            "joins or merges archives of any type, and lists where everything is";
        copy_int_vector "copy-int-vector" "bin/tables/copy-int-vector.rs" Kaldi
            "copies integer vectors (alignments)";
        copy_matrix "copy-matrix" "bin/tables/copy-matrix.rs" Kaldi
            "copies matrices; scales them, applies functions";
        copy_vector "copy-vector" "bin/tables/copy-vector.rs" Kaldi
            "copies vectors; scales, cuts or pads them";
        #[cfg(feature = "stores")]
        kaldi_store "kaldi-store" "bin/tables/kaldi-store.rs" Own
            "lists, shows, copies and removes objects in stores and on the web";
        matrix_dim "matrix-dim" "bin/tables/matrix-dim.rs" Kaldi
            "prints the sizes of matrices";
    }
    audio "Audio" {
        compute_and_process_kaldi_pitch_feats "compute-and-process-kaldi-pitch-feats" "bin/audio/compute-and-process-kaldi-pitch-feats.rs" Kaldi
            "finds the pitch of waveforms and computes features for a recognizer from it";
        compute_fbank_feats "compute-fbank-feats" "bin/audio/compute-fbank-feats.rs" Kaldi
            "computes mel filterbank energies of waveforms";
        compute_kaldi_pitch_feats "compute-kaldi-pitch-feats" "bin/audio/compute-kaldi-pitch-feats.rs" Kaldi
            "finds the pitch of waveforms";
        compute_mfcc_feats "compute-mfcc-feats" "bin/audio/compute-mfcc-feats.rs" Kaldi
            "computes MFCC of waveforms";
        compute_plp_feats "compute-plp-feats" "bin/audio/compute-plp-feats.rs" Kaldi
            "computes PLP cepstra of waveforms";
        compute_spectrogram_feats "compute-spectrogram-feats" "bin/audio/compute-spectrogram-feats.rs" Kaldi
            "computes spectrograms of waveforms";
        extend_wav_with_silence "extend-wav-with-silence" "bin/audio/extend-wav-with-silence.rs" Kaldi
            "appends silence to recordings";
        extract_segments "extract-segments" "bin/audio/extract-segments.rs" Kaldi
            "cuts segments out of recordings";
        process_kaldi_pitch_feats "process-kaldi-pitch-feats" "bin/audio/process-kaldi-pitch-feats.rs" Kaldi
            "computes features for a recognizer from pitch";
        wav_copy "wav-copy" "bin/audio/wav-copy.rs" Kaldi
            "copies waveforms; reads FLAC and other encodings";
        wav_reverberate "wav-reverberate" "bin/audio/wav-reverberate.rs" Kaldi
            "adds a room and noises to a waveform";
        wav_to_duration "wav-to-duration" "bin/audio/wav-to-duration.rs" Kaldi
            "prints the durations of waveforms";
    }
    features "Features" {
        add_deltas "add-deltas" "bin/features/add-deltas.rs" Kaldi
            "appends derivatives over time (deltas)";
        add_deltas_sdc "add-deltas-sdc" "bin/features/add-deltas-sdc.rs" Kaldi
            "appends shifted deltas";
        compare_feats "compare-feats" "bin/features/compare-feats.rs" Kaldi
            "compares features, and measures their similarity";
        compute_vad "compute-vad" "bin/features/compute-vad.rs" Kaldi
            "decides by their energy which frames are voiced";
        compute_vad_from_frame_likes "compute-vad-from-frame-likes" "bin/features/compute-vad-from-frame-likes.rs" Kaldi
            "labels frames with the most likely class";
        concat_feats "concat-feats" "bin/features/concat-feats.rs" Kaldi
            "concatenates features in time";
        copy_feats "copy-feats" "bin/features/copy-feats.rs" Kaldi
            "copies features; compresses, reads HTK and Sphinx files, writes numbers of frames";
        copy_feats_to_htk "copy-feats-to-htk" "bin/features/copy-feats-to-htk.rs" Kaldi
            "writes features as HTK files";
        copy_feats_to_sphinx "copy-feats-to-sphinx" "bin/features/copy-feats-to-sphinx.rs" Kaldi
            "writes features as Sphinx files";
        extract_feature_segments "extract-feature-segments" "bin/features/extract-feature-segments.rs" Kaldi
            "cuts segments out of features";
        feat_to_dim "feat-to-dim" "bin/features/feat-to-dim.rs" Kaldi
            "prints the dimension of features";
        feat_to_len "feat-to-len" "bin/features/feat-to-len.rs" Kaldi
            "prints numbers of frames";
        feats_to_png "feats-to-png" "bin/features/feats-to-png.rs" Own
            "draws features, vectors, alignments, posteriors and waveforms as pictures (PNG, SVG)";
        fmpe_apply_transform "fmpe-apply-transform" "bin/features/fmpe-apply-transform.rs" Kaldi
            "applies an fMPE transform";
        fmpe_init "fmpe-init" "bin/features/fmpe-init.rs" Kaldi
            "starts an fMPE transform";
        interpolate_pitch "interpolate-pitch" "bin/features/interpolate-pitch.rs" Kaldi
            "fills the gaps in pitch features";
        merge_vads "merge-vads" "bin/features/merge-vads.rs" Kaldi
            "merges two labels of every frame";
        paste_feats "paste-feats" "bin/features/paste-feats.rs" Kaldi
            "joins features side by side";
        process_pitch_feats "process-pitch-feats" "bin/features/process-pitch-feats.rs" Kaldi
            "normalizes pitch features";
        select_feats "select-feats" "bin/features/select-feats.rs" Kaldi
            "keeps some dimensions, in the order given";
        select_voiced_frames "select-voiced-frames" "bin/features/select-voiced-frames.rs" Kaldi
            "keeps the voiced frames";
        shift_feats "shift-feats" "bin/features/shift-feats.rs" Kaldi
            "shifts features in time";
        splice_feats "splice-feats" "bin/features/splice-feats.rs" Kaldi
            "joins each frame with its neighbours";
        subsample_feats "subsample-feats" "bin/features/subsample-feats.rs" Kaldi
            "keeps every n-th frame, or repeats frames";
        subset_feats "subset-feats" "bin/features/subset-feats.rs" Kaldi
            "keeps some utterances";
    }
    inspect "Inspect" {
        table_check "table-check" "bin/inspect/table-check.rs" Own
            "finds everything that is wrong with archives, script files and data directories";
        table_diff "table-diff" "bin/inspect/table-diff.rs" Own
            "shows the differences between two tables";
        table_export "table-export" "bin/inspect/table-export.rs" Own
            "writes a table as a file of NumPy, safetensors, Parquet, CSV or JSON lines";
        table_get "table-get" "bin/inspect/table-get.rs" Own
            "prints entries by their keys";
        table_head "table-head" "bin/inspect/table-head.rs" Own
            "prints the first entries";
        table_import "table-import" "bin/inspect/table-import.rs" Own
            "makes a table of a file of NumPy, safetensors, Parquet, CSV or JSON lines";
        table_info "table-info" "bin/inspect/table-info.rs" Own
            "shows what is in archives, script files and data directories";
        table_keys "table-keys" "bin/inspect/table-keys.rs" Own
            "lists keys, places and sizes";
        table_sample "table-sample" "bin/inspect/table-sample.rs" Own
            "takes a random sample";
        table_stats "table-stats" "bin/inspect/table-stats.rs" Own
            "computes mean, deviation, quantiles, NaN and lengths of a table, by column, key or speaker";
    }
    transforms "Transforms" {
        apply_transform "apply-transform" "bin/transforms/apply-transform.rs" Own
            "applies one or several transforms to matrices or vectors";
        compose_transforms "compose-transforms" "bin/transforms/compose-transforms.rs" Kaldi
            "composes two transforms to one";
        est_lda "est-lda" "bin/transforms/est-lda.rs" Kaldi
            "estimates LDA from statistics of classes";
        est_mllt "est-mllt" "bin/transforms/est-mllt.rs" Kaldi
            "estimates MLLT (STC) from statistics of Gaussians";
        est_pca "est-pca" "bin/transforms/est-pca.rs" Kaldi
            "estimates PCA from features or vectors";
        extend_transform_dim "extend-transform-dim" "bin/transforms/extend-transform-dim.rs" Kaldi
            "extends transforms to dimensions that they leave alone";
        get_full_lda_mat "get-full-lda-mat" "bin/transforms/get-full-lda-mat.rs" Kaldi
            "completes an LDA+MLLT transform with the rows that LDA has rejected";
        sum_lda_accs "sum-lda-accs" "bin/transforms/sum-lda-accs.rs" Kaldi
            "sums statistics for LDA";
        sum_mllt_accs "sum-mllt-accs" "bin/transforms/sum-mllt-accs.rs" Kaldi
            "sums statistics for MLLT";
        transform_feats "transform-feats" "bin/transforms/transform-feats.rs" Kaldi
            "applies linear or affine transforms, global or by speaker";
        transform_vec "transform-vec" "bin/transforms/transform-vec.rs" Kaldi
            "applies a linear or affine transform to vectors";
    }
    cmvn "Cmvn" {
        apply_cmvn "apply-cmvn" "bin/cmvn/apply-cmvn.rs" Kaldi
            "normalizes means and variances with statistics: global, by speaker or by utterance";
        apply_cmvn_online "apply-cmvn-online" "bin/cmvn/apply-cmvn-online.rs" Kaldi
            "normalizes means and variances as far as they are known while frames come in";
        apply_cmvn_sliding "apply-cmvn-sliding" "bin/cmvn/apply-cmvn-sliding.rs" Kaldi
            "normalizes means and variances over a sliding window";
        compute_cmvn_stats "compute-cmvn-stats" "bin/cmvn/compute-cmvn-stats.rs" Kaldi
            "computes statistics: by utterance, by speaker or of everything";
        compute_cmvn_stats_two_channel "compute-cmvn-stats-two-channel" "bin/cmvn/compute-cmvn-stats-two-channel.rs" Kaldi
            "computes statistics of both sides of calls, from the louder one";
        modify_cmvn_stats "modify-cmvn-stats" "bin/cmvn/modify-cmvn-stats.rs" Kaldi
            "excludes dimensions from normalization; converts statistics to means and variances";
    }
    posteriors "Posteriors" {
        ali_to_post "ali-to-post" "bin/posteriors/ali-to-post.rs" Kaldi
            "converts alignments to posteriors";
        append_post_to_feats "append-post-to-feats" "bin/posteriors/append-post-to-feats.rs" Kaldi
            "appends posteriors to features as columns";
        copy_gselect "copy-gselect" "bin/posteriors/copy-gselect.rs" Kaldi
            "copies Gaussian selections; shortens them";
        copy_post "copy-post" "bin/posteriors/copy-post.rs" Kaldi
            "copies posteriors; scales them";
        feat_to_post "feat-to-post" "bin/posteriors/feat-to-post.rs" Kaldi
            "converts features to posteriors";
        get_post_on_ali "get-post-on-ali" "bin/posteriors/get-post-on-ali.rs" Kaldi
            "finds the posteriors of alignments";
        logprob_to_post "logprob-to-post" "bin/posteriors/logprob-to-post.rs" Kaldi
            "converts log-probabilities to posteriors";
        paste_post "paste-post" "bin/posteriors/paste-post.rs" Kaldi
            "pastes posteriors of several tables";
        post_to_feats "post-to-feats" "bin/posteriors/post-to-feats.rs" Kaldi
            "converts posteriors to features";
        post_to_smat "post-to-smat" "bin/posteriors/post-to-smat.rs" Kaldi
            "converts posteriors to sparse matrices";
        post_to_weights "post-to-weights" "bin/posteriors/post-to-weights.rs" Kaldi
            "sums the posteriors of each frame";
        prob_to_post "prob-to-post" "bin/posteriors/prob-to-post.rs" Kaldi
            "converts probabilities to posteriors";
        scale_post "scale-post" "bin/posteriors/scale-post.rs" Kaldi
            "multiplies posteriors by a number, global or by utterance";
        sum_post "sum-post" "bin/posteriors/sum-post.rs" Kaldi
            "sums two tables of posteriors";
        weight_post "weight-post" "bin/posteriors/weight-post.rs" Kaldi
            "multiplies posteriors by weights of frames";
    }
    vectors "Vectors" {
        agglomerative_cluster "agglomerative-cluster" "bin/vectors/agglomerative-cluster.rs" Kaldi
            "clusters the segments of recordings by speaker";
        analyze_counts "analyze-counts" "bin/vectors/analyze-counts.rs" Kaldi
            "counts the labels of alignments";
        append_vector_to_feats "append-vector-to-feats" "bin/vectors/append-vector-to-feats.rs" Kaldi
            "appends a vector to every row of features";
        ivector_adapt_plda "ivector-adapt-plda" "bin/vectors/ivector-adapt-plda.rs" Kaldi
            "adapts a PLDA model to another domain";
        ivector_compute_dot_products "ivector-compute-dot-products" "bin/vectors/ivector-compute-dot-products.rs" Kaldi
            "scores pairs of speaker vectors by their inner products";
        ivector_compute_lda "ivector-compute-lda" "bin/vectors/ivector-compute-lda.rs" Kaldi
            "computes an LDA transform of speaker vectors";
        ivector_compute_plda "ivector-compute-plda" "bin/vectors/ivector-compute-plda.rs" Kaldi
            "estimates a PLDA model";
        ivector_copy_plda "ivector-copy-plda" "bin/vectors/ivector-copy-plda.rs" Kaldi
            "copies a PLDA model; smooths it";
        ivector_mean "ivector-mean" "bin/vectors/ivector-mean.rs" Kaldi
            "averages speaker vectors, by speaker or all";
        ivector_normalize_length "ivector-normalize-length" "bin/vectors/ivector-normalize-length.rs" Kaldi
            "scales speaker vectors to the same length";
        ivector_plda_scoring "ivector-plda-scoring" "bin/vectors/ivector-plda-scoring.rs" Kaldi
            "scores trials with a PLDA model";
        ivector_plda_scoring_dense "ivector-plda-scoring-dense" "bin/vectors/ivector-plda-scoring-dense.rs" Kaldi
            "scores all pairs of segments of recordings with a PLDA model";
        ivector_subtract_global_mean "ivector-subtract-global-mean" "bin/vectors/ivector-subtract-global-mean.rs" Kaldi
            "subtracts a mean from speaker vectors";
        ivector_transform "ivector-transform" "bin/vectors/ivector-transform.rs" Kaldi
            "transforms speaker vectors";
        logistic_regression_copy "logistic-regression-copy" "bin/vectors/logistic-regression-copy.rs" Kaldi
            "copies a logistic regression; scales its priors";
        logistic_regression_eval "logistic-regression-eval" "bin/vectors/logistic-regression-eval.rs" Kaldi
            "classifies vectors with a logistic regression";
        logistic_regression_train "logistic-regression-train" "bin/vectors/logistic-regression-train.rs" Kaldi
            "trains a logistic regression";
        matrix_max "matrix-max" "bin/vectors/matrix-max.rs" Kaldi
            "takes the largest elements of several matrices";
        matrix_sum "matrix-sum" "bin/vectors/matrix-sum.rs" Kaldi
            "sums or averages matrices, by key or all of a table";
        matrix_sum_rows "matrix-sum-rows" "bin/vectors/matrix-sum-rows.rs" Kaldi
            "sums the rows of each matrix";
        multiply_vectors "multiply-vectors" "bin/vectors/multiply-vectors.rs" Kaldi
            "multiplies vectors element by element";
        paste_vectors "paste-vectors" "bin/vectors/paste-vectors.rs" Kaldi
            "appends vectors of several tables to each other";
        sum_matrices "sum-matrices" "bin/vectors/sum-matrices.rs" Kaldi
            "sums matrices in files";
        vector_scale "vector-scale" "bin/vectors/vector-scale.rs" Kaldi
            "multiplies vectors by a number";
        vector_sum "vector-sum" "bin/vectors/vector-sum.rs" Kaldi
            "sums or averages vectors, by key or all of a table";
    }
    models "Models" {
        acc_lda "acc-lda" "bin/models/acc-lda.rs" Kaldi
            "accumulates statistics for LDA, with pdfs as classes";
        acc_tree_stats "acc-tree-stats" "bin/models/acc-tree-stats.rs" Kaldi
            "accumulates statistics of states in windows of phones, for trees";
        ali_to_pdf "ali-to-pdf" "bin/models/ali-to-pdf.rs" Kaldi
            "converts alignments from transition-ids to pdfs";
        ali_to_phones "ali-to-phones" "bin/models/ali-to-phones.rs" Kaldi
            "converts alignments to phones, their lengths or CTM";
        am_info "am-info" "bin/models/am-info.rs" Kaldi
            "prints the numbers of phones, pdfs and transitions of a model of any kind";
        build_pfile_from_ali "build-pfile-from-ali" "bin/models/build-pfile-from-ali.rs" Kaldi
            "writes features and their pdfs as text for pfile_create";
        build_tree "build-tree" "bin/models/build-tree.rs" Kaldi
            "builds a tree, whose leaves are pdfs, from statistics";
        build_tree_two_level "build-tree-two-level" "bin/models/build-tree-two-level.rs" Kaldi
            "builds a large tree that refines a small one";
        cluster_phones "cluster-phones" "bin/models/cluster-phones.rs" Kaldi
            "clusters phones by their statistics, for questions or as classes";
        compile_questions "compile-questions" "bin/models/compile-questions.rs" Kaldi
            "makes the questions of a tree from sets of phones";
        compute_gop "compute-gop" "bin/models/compute-gop.rs" Kaldi
            "scores the pronunciation of phones";
        convert_ali "convert-ali" "bin/models/convert-ali.rs" Kaldi
            "converts alignments from one model to another";
        copy_transition_model "copy-transition-model" "bin/models/copy-transition-model.rs" Kaldi
            "copies a transition model, alone or out of an acoustic model";
        copy_tree "copy-tree" "bin/models/copy-tree.rs" Kaldi
            "copies trees between binary and text";
        draw_tree "draw-tree" "bin/models/draw-tree.rs" Kaldi
            "describes a tree as a picture (GraphViz)";
        fgmm_global_acc_stats "fgmm-global-acc-stats" "bin/models/fgmm-global-acc-stats.rs" Kaldi
            "computes statistics of features for a mixture; full covariances";
        fgmm_global_acc_stats_post "fgmm-global-acc-stats-post" "bin/models/fgmm-global-acc-stats-post.rs" Kaldi
            "computes statistics for a mixture from posteriors; full covariances";
        fgmm_global_copy "fgmm-global-copy" "bin/models/fgmm-global-copy.rs" Kaldi
            "copies a mixture of Gaussians with full covariances";
        fgmm_global_est "fgmm-global-est" "bin/models/fgmm-global-est.rs" Kaldi
            "estimates a mixture from statistics; full covariances";
        fgmm_global_get_frame_likes "fgmm-global-get-frame-likes" "bin/models/fgmm-global-get-frame-likes.rs" Kaldi
            "computes the likelihood of each frame; full covariances";
        fgmm_global_gselect_to_post "fgmm-global-gselect-to-post" "bin/models/fgmm-global-gselect-to-post.rs" Kaldi
            "computes the posteriors of selected Gaussians; full covariances";
        fgmm_global_info "fgmm-global-info" "bin/models/fgmm-global-info.rs" Kaldi
            "prints the sizes of a mixture with full covariances";
        fgmm_global_init_from_accs "fgmm-global-init-from-accs" "bin/models/fgmm-global-init-from-accs.rs" Kaldi
            "makes a mixture with full covariances of statistics alone";
        fgmm_global_merge "fgmm-global-merge" "bin/models/fgmm-global-merge.rs" Kaldi
            "puts several mixtures with full covariances together";
        fgmm_global_sum_accs "fgmm-global-sum-accs" "bin/models/fgmm-global-sum-accs.rs" Kaldi
            "sums statistics for a mixture; full covariances";
        fgmm_global_to_gmm "fgmm-global-to-gmm" "bin/models/fgmm-global-to-gmm.rs" Kaldi
            "converts a mixture with full covariances to diagonal ones";
        fgmm_gselect "fgmm-gselect" "bin/models/fgmm-gselect.rs" Kaldi
            "selects the best Gaussians of each frame; full covariances";
        gmm_acc_mllt "gmm-acc-mllt" "bin/models/gmm-acc-mllt.rs" Kaldi
            "computes statistics for MLLT with a model of mixtures";
        gmm_acc_stats "gmm-acc-stats" "bin/models/gmm-acc-stats.rs" Kaldi
            "computes statistics for a model of mixtures, from posteriors";
        gmm_acc_stats_ali "gmm-acc-stats-ali" "bin/models/gmm-acc-stats-ali.rs" Kaldi
            "computes statistics for a model of mixtures, from alignments";
        gmm_acc_stats_twofeats "gmm-acc-stats-twofeats" "bin/models/gmm-acc-stats-twofeats.rs" Kaldi
            "computes statistics for a model of mixtures in other features";
        gmm_acc_stats2 "gmm-acc-stats2" "bin/models/gmm-acc-stats2.rs" Kaldi
            "computes statistics of positive and negative posteriors";
        gmm_boost_silence "gmm-boost-silence" "bin/models/gmm-boost-silence.rs" Kaldi
            "makes silence more probable";
        gmm_compute_likes "gmm-compute-likes" "bin/models/gmm-compute-likes.rs" Kaldi
            "computes the likelihoods of pdfs";
        gmm_copy "gmm-copy" "bin/models/gmm-copy.rs" Kaldi
            "copies a model of Gaussian mixtures, or a part of it";
        gmm_est "gmm-est" "bin/models/gmm-est.rs" Kaldi
            "estimates a model of mixtures from statistics";
        gmm_global_acc_stats "gmm-global-acc-stats" "bin/models/gmm-global-acc-stats.rs" Kaldi
            "computes statistics of features for a mixture; diagonal covariances";
        gmm_global_acc_stats_twofeats "gmm-global-acc-stats-twofeats" "bin/models/gmm-global-acc-stats-twofeats.rs" Kaldi
            "computes statistics for a mixture in other features";
        gmm_global_copy "gmm-global-copy" "bin/models/gmm-global-copy.rs" Kaldi
            "copies a mixture of Gaussians with diagonal covariances";
        gmm_global_est "gmm-global-est" "bin/models/gmm-global-est.rs" Kaldi
            "estimates a mixture from statistics; diagonal covariances";
        gmm_global_get_frame_likes "gmm-global-get-frame-likes" "bin/models/gmm-global-get-frame-likes.rs" Kaldi
            "computes the likelihood of each frame; diagonal covariances";
        gmm_global_get_post "gmm-global-get-post" "bin/models/gmm-global-get-post.rs" Kaldi
            "computes the largest posteriors of Gaussians in each frame";
        gmm_global_gselect_to_post "gmm-global-gselect-to-post" "bin/models/gmm-global-gselect-to-post.rs" Kaldi
            "computes the posteriors of selected Gaussians; diagonal covariances";
        gmm_global_info "gmm-global-info" "bin/models/gmm-global-info.rs" Kaldi
            "prints the sizes of a mixture with diagonal covariances";
        gmm_global_init_from_feats "gmm-global-init-from-feats" "bin/models/gmm-global-init-from-feats.rs" Kaldi
            "makes a mixture with diagonal covariances of features, and trains it";
        gmm_global_sum_accs "gmm-global-sum-accs" "bin/models/gmm-global-sum-accs.rs" Kaldi
            "sums statistics for a mixture; diagonal covariances";
        gmm_global_to_fgmm "gmm-global-to-fgmm" "bin/models/gmm-global-to-fgmm.rs" Kaldi
            "converts a mixture with diagonal covariances to full ones";
        gmm_gselect "gmm-gselect" "bin/models/gmm-gselect.rs" Kaldi
            "selects the best Gaussians of each frame; diagonal covariances";
        gmm_info "gmm-info" "bin/models/gmm-info.rs" Kaldi
            "prints the numbers of phones, pdfs, transitions and Gaussians of a model";
        gmm_init_biphone "gmm-init-biphone" "bin/models/gmm-init-biphone.rs" Kaldi
            "makes a tree with a leaf for each pair of phones, and its model";
        gmm_init_model "gmm-init-model" "bin/models/gmm-init-model.rs" Kaldi
            "makes a model of a tree and its statistics";
        gmm_init_model_flat "gmm-init-model-flat" "bin/models/gmm-init-model-flat.rs" Kaldi
            "makes a model of a tree, in which all pdfs are alike";
        gmm_init_mono "gmm-init-mono" "bin/models/gmm-init-mono.rs" Kaldi
            "makes a model without context before training";
        gmm_mixup "gmm-mixup" "bin/models/gmm-mixup.rs" Kaldi
            "splits and merges the Gaussians of a model";
        gmm_post_to_gpost "gmm-post-to-gpost" "bin/models/gmm-post-to-gpost.rs" Kaldi
            "computes the posteriors of the Gaussians of pdfs";
        gmm_sum_accs "gmm-sum-accs" "bin/models/gmm-sum-accs.rs" Kaldi
            "sums statistics for a model of mixtures";
        gmm_transform_means "gmm-transform-means" "bin/models/gmm-transform-means.rs" Kaldi
            "transforms the means of a model";
        hmm_info "hmm-info" "bin/models/hmm-info.rs" Kaldi
            "prints the same as am-info";
        ivector_extract "ivector-extract" "bin/models/ivector-extract.rs" Kaldi
            "extracts i-vectors of utterances or speakers";
        ivector_extract_online "ivector-extract-online" "bin/models/ivector-extract-online.rs" Kaldi
            "extracts i-vectors while the frames of an utterance come in";
        ivector_extract_online2 "ivector-extract-online2" "bin/models/ivector-extract-online2.rs" Kaldi
            "extracts i-vectors of raw features, as recognizers need them";
        ivector_extractor_acc_stats "ivector-extractor-acc-stats" "bin/models/ivector-extractor-acc-stats.rs" Kaldi
            "collects statistics for training an i-vector extractor";
        ivector_extractor_copy "ivector-extractor-copy" "bin/models/ivector-extractor-copy.rs" Kaldi
            "copies an i-vector extractor";
        ivector_extractor_est "ivector-extractor-est" "bin/models/ivector-extractor-est.rs" Kaldi
            "estimates an i-vector extractor from statistics";
        ivector_extractor_init "ivector-extractor-init" "bin/models/ivector-extractor-init.rs" Kaldi
            "makes an i-vector extractor of a Gaussian mixture";
        ivector_extractor_sum_accs "ivector-extractor-sum-accs" "bin/models/ivector-extractor-sum-accs.rs" Kaldi
            "sums statistics for training an i-vector extractor";
        ivector_randomize "ivector-randomize" "bin/models/ivector-randomize.rs" Kaldi
            "replaces some i-vectors of an utterance by later ones";
        post_to_pdf_post "post-to-pdf-post" "bin/models/post-to-pdf-post.rs" Kaldi
            "converts posteriors from transition-ids to pdfs";
        post_to_phone_post "post-to-phone-post" "bin/models/post-to-phone-post.rs" Kaldi
            "converts posteriors from transition-ids or pdfs to phones";
        post_to_tacc "post-to-tacc" "bin/models/post-to-tacc.rs" Kaldi
            "counts transition-ids in posteriors";
        show_alignments "show-alignments" "bin/models/show-alignments.rs" Kaldi
            "shows alignments with the names of their phones";
        show_transitions "show-transitions" "bin/models/show-transitions.rs" Kaldi
            "shows the transitions of a model in words";
        sum_tree_stats "sum-tree-stats" "bin/models/sum-tree-stats.rs" Kaldi
            "sums statistics for trees";
        tree_info "tree-info" "bin/models/tree-info.rs" Kaldi
            "prints the number of pdfs of a tree, and its window of phones";
        weight_silence_post "weight-silence-post" "bin/models/weight-silence-post.rs" Kaldi
            "weights the posteriors of silence";
    }
    scoring "Scoring" {
        align_text "align-text" "bin/scoring/align-text.rs" Kaldi
            "aligns sentences word by word";
        compute_eer "compute-eer" "bin/scoring/compute-eer.rs" Kaldi
            "computes equal error rates";
        compute_wer "compute-wer" "bin/scoring/compute-wer.rs" Kaldi
            "computes word and sentence error rates";
        compute_wer_bootci "compute-wer-bootci" "bin/scoring/compute-wer-bootci.rs" Kaldi
            "computes word error rates with their confidence intervals";
    }
    jobs "Jobs" {
        table_jobs "table-jobs" "bin/jobs/table-jobs.rs" Own
            "runs a command over pieces of its input, here or on a cluster";
    }
    feed "Feed" {
        batch_utts "batch-utts" "bin/feed/batch-utts.rs" Own
            "joins utterances to batches by number, by frames with padding, or by similar lengths";
        feed_batches "feed-batches" "bin/feed/feed-batches.rs" Own
            "feeds padded batches to a training: the whole chain from a list to arrays";
        feed_feats "feed-feats" "bin/feed/feed-feats.rs" Own
            "writes the utterances of a training in its order, and which make a batch";
        filter_utts "filter-utts" "bin/feed/filter-utts.rs" Own
            "keeps the utterances whose lengths and labels are within bounds";
        pad_feats "pad-feats" "bin/feed/pad-feats.rs" Own
            "pads features to one length, by batches or all";
        perturb_wav_speed "perturb-wav-speed" "bin/feed/perturb-wav-speed.rs" Own
            "plays waveforms faster or slower";
        resample_wav "resample-wav" "bin/feed/resample-wav.rs" Own
            "converts waveforms to another sample rate";
        spec_augment_feats "spec-augment-feats" "bin/feed/spec-augment-feats.rs" Own
            "masks, replaces and cuts off frames of features at random";
        table_shuffle "table-shuffle" "bin/feed/table-shuffle.rs" Own
            "shuffles a table of any type, or a list";
        table_sort "table-sort" "bin/feed/table-sort.rs" Own
            "sorts a table of any type, or a list";
        table_split "table-split" "bin/feed/table-split.rs" Own
            "splits a table of any type, or a list, among ranks and workers, or into parts";
        tokenize_text "tokenize-text" "bin/feed/tokenize-text.rs" Own
            "converts text to the numbers of characters, words or SentencePiece pieces, and back";
    }
    shards "Shards" {
        check_shards "check-shards" "bin/shards/check-shards.rs" Own
            "finds everything that is wrong with shards";
        copy_shards "copy-shards" "bin/shards/copy-shards.rs" Own
            "merges, splits, selects and shuffles shards without decoding sound";
        extract_shards "extract-shards" "bin/shards/extract-shards.rs" Own
            "makes a data directory or tables of shards";
        list_shards "list-shards" "bin/shards/list-shards.rs" Own
            "lists the samples of shards and where they are";
        make_raw_list "make-raw-list" "bin/shards/make-raw-list.rs" Own
            "makes a raw list of a data directory, with the bytes of WeNet's";
        make_shard_list "make-shard-list" "bin/shards/make-shard-list.rs" Own
            "makes shards of a data directory, with the bytes of WeNet's";
        shards_to_scp "shards-to-scp" "bin/shards/shards-to-scp.rs" Own
            "makes script files by which all tools, and Kaldi's, read sound in shards";
    }
    tokens "Tokens" {
        indexed_blend "indexed-blend" "bin/tokens/indexed-blend.rs" Own
            "makes the indices of a blend of token datasets";
        indexed_build_samples "indexed-build-samples" "bin/tokens/indexed-build-samples.rs" Own
            "makes the document, sample and shuffle index of a training";
        indexed_check "indexed-check" "bin/tokens/indexed-check.rs" Own
            "finds what is wrong with token datasets, and repairs their indices";
        indexed_get "indexed-get" "bin/tokens/indexed-get.rs" Own
            "prints single sequences of a token dataset";
        indexed_info "indexed-info" "bin/tokens/indexed-info.rs" Own
            "shows what is in token datasets";
        indexed_merge "indexed-merge" "bin/tokens/indexed-merge.rs" Own
            "joins token datasets; converts types";
        indexed_samples_to_int_vector "indexed-samples-to-int-vector" "bin/tokens/indexed-samples-to-int-vector.rs" Own
            "writes the samples of a training in their order";
        indexed_split "indexed-split" "bin/tokens/indexed-split.rs" Own
            "cuts token datasets into parts, and joins numbered .bin files";
        indexed_to_int_vector "indexed-to-int-vector" "bin/tokens/indexed-to-int-vector.rs" Own
            "writes sequences or documents of a token dataset as integer vectors";
        int_vector_to_indexed "int-vector-to-indexed" "bin/tokens/int-vector-to-indexed.rs" Own
            "writes integer vectors as a token dataset";
    }
}

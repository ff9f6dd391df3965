//! The tools in `src/bin/posteriors`.

task! {
    posteriors "Posteriors" {
        ali_to_post "ali-to-post" "../bin/posteriors/ali-to-post.rs" Kaldi
            "converts alignments to posteriors";
        append_post_to_feats "append-post-to-feats" "../bin/posteriors/append-post-to-feats.rs" Kaldi
            "appends posteriors to features as columns";
        copy_gselect "copy-gselect" "../bin/posteriors/copy-gselect.rs" Kaldi
            "copies Gaussian selections; shortens them";
        copy_post "copy-post" "../bin/posteriors/copy-post.rs" Kaldi
            "copies posteriors; scales them";
        feat_to_post "feat-to-post" "../bin/posteriors/feat-to-post.rs" Kaldi
            "converts features to posteriors";
        get_post_on_ali "get-post-on-ali" "../bin/posteriors/get-post-on-ali.rs" Kaldi
            "finds the posteriors of alignments";
        logprob_to_post "logprob-to-post" "../bin/posteriors/logprob-to-post.rs" Kaldi
            "converts log-probabilities to posteriors";
        paste_post "paste-post" "../bin/posteriors/paste-post.rs" Kaldi
            "pastes posteriors of several tables";
        post_to_feats "post-to-feats" "../bin/posteriors/post-to-feats.rs" Kaldi
            "converts posteriors to features";
        post_to_smat "post-to-smat" "../bin/posteriors/post-to-smat.rs" Kaldi
            "converts posteriors to sparse matrices";
        post_to_weights "post-to-weights" "../bin/posteriors/post-to-weights.rs" Kaldi
            "sums the posteriors of each frame";
        prob_to_post "prob-to-post" "../bin/posteriors/prob-to-post.rs" Kaldi
            "converts probabilities to posteriors";
        scale_post "scale-post" "../bin/posteriors/scale-post.rs" Kaldi
            "multiplies posteriors by a number, global or by utterance";
        sum_post "sum-post" "../bin/posteriors/sum-post.rs" Kaldi
            "sums two tables of posteriors";
        weight_post "weight-post" "../bin/posteriors/weight-post.rs" Kaldi
            "multiplies posteriors by weights of frames";
    }
}

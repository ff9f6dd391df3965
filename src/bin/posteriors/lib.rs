//! Posteriors: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    posteriors "Posteriors"
    ali_to_post "ali-to-post.rs" Kaldi "converts alignments to posteriors";
    append_post_to_feats "append-post-to-feats.rs" Kaldi "appends posteriors to features as columns";
    copy_gselect "copy-gselect.rs" Kaldi "copies Gaussian selections; shortens them";
    copy_post "copy-post.rs" Kaldi "copies posteriors; scales them";
    feat_to_post "feat-to-post.rs" Kaldi "converts features to posteriors";
    get_post_on_ali "get-post-on-ali.rs" Kaldi "finds the posteriors of alignments";
    logprob_to_post "logprob-to-post.rs" Kaldi "converts log-probabilities to posteriors";
    paste_post "paste-post.rs" Kaldi "pastes posteriors of several tables";
    post_to_feats "post-to-feats.rs" Kaldi "converts posteriors to features";
    post_to_smat "post-to-smat.rs" Kaldi "converts posteriors to sparse matrices";
    post_to_weights "post-to-weights.rs" Kaldi "sums the posteriors of each frame";
    prob_to_post "prob-to-post.rs" Kaldi "converts probabilities to posteriors";
    scale_post "scale-post.rs" Kaldi "multiplies posteriors by a number, global or by utterance";
    sum_post "sum-post.rs" Kaldi "sums two tables of posteriors";
    weight_post "weight-post.rs" Kaldi "multiplies posteriors by weights of frames";
}

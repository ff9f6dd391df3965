//! Features: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    features "Features"
    add_deltas "add-deltas.rs" Kaldi "appends derivatives over time (deltas)";
    add_deltas_sdc "add-deltas-sdc.rs" Kaldi "appends shifted deltas";
    compare_feats "compare-feats.rs" Kaldi "compares features, and measures their similarity";
    compute_vad "compute-vad.rs" Kaldi "decides by their energy which frames are voiced";
    compute_vad_from_frame_likes "compute-vad-from-frame-likes.rs" Kaldi "labels frames with the most likely class";
    concat_feats "concat-feats.rs" Kaldi "concatenates features in time";
    copy_feats "copy-feats.rs" Kaldi "copies features; compresses, reads HTK and Sphinx files, writes numbers of frames";
    copy_feats_to_htk "copy-feats-to-htk.rs" Kaldi "writes features as HTK files";
    copy_feats_to_sphinx "copy-feats-to-sphinx.rs" Kaldi "writes features as Sphinx files";
    extract_feature_segments "extract-feature-segments.rs" Kaldi "cuts segments out of features";
    feat_to_dim "feat-to-dim.rs" Kaldi "prints the dimension of features";
    feat_to_len "feat-to-len.rs" Kaldi "prints numbers of frames";
    feats_to_png "feats-to-png.rs" Own "draws features, vectors, alignments, posteriors and waveforms as pictures (PNG, SVG)";
    fmpe_acc_stats "fmpe-acc-stats.rs" Kaldi "computes statistics of fMPE from derivatives of the features";
    fmpe_apply_transform "fmpe-apply-transform.rs" Kaldi "applies an fMPE transform";
    fmpe_est "fmpe-est.rs" Kaldi "changes an fMPE transform by its statistics";
    fmpe_init "fmpe-init.rs" Kaldi "starts an fMPE transform";
    fmpe_sum_accs "fmpe-sum-accs.rs" Kaldi "sums statistics of fMPE";
    interpolate_pitch "interpolate-pitch.rs" Kaldi "fills the gaps in pitch features";
    merge_vads "merge-vads.rs" Kaldi "merges two labels of every frame";
    paste_feats "paste-feats.rs" Kaldi "joins features side by side";
    process_pitch_feats "process-pitch-feats.rs" Kaldi "normalizes pitch features";
    select_feats "select-feats.rs" Kaldi "keeps some dimensions, in the order given";
    select_voiced_frames "select-voiced-frames.rs" Kaldi "keeps the voiced frames";
    shift_feats "shift-feats.rs" Kaldi "shifts features in time";
    splice_feats "splice-feats.rs" Kaldi "joins each frame with its neighbours";
    subsample_feats "subsample-feats.rs" Kaldi "keeps every n-th frame, or repeats frames";
    subset_feats "subset-feats.rs" Kaldi "keeps some utterances";
}

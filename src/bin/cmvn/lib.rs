//! Cmvn: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    cmvn "Cmvn"
    apply_cmvn "apply-cmvn.rs" Kaldi "normalizes means and variances with statistics: global, by speaker or by utterance";
    apply_cmvn_online "apply-cmvn-online.rs" Kaldi "normalizes means and variances as far as they are known while frames come in";
    apply_cmvn_sliding "apply-cmvn-sliding.rs" Kaldi "normalizes means and variances over a sliding window";
    compute_cmvn_stats "compute-cmvn-stats.rs" Kaldi "computes statistics: by utterance, by speaker or of everything";
    compute_cmvn_stats_two_channel "compute-cmvn-stats-two-channel.rs" Kaldi "computes statistics of both sides of calls, from the louder one";
    modify_cmvn_stats "modify-cmvn-stats.rs" Kaldi "excludes dimensions from normalization; converts statistics to means and variances";
}

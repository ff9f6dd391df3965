pub mod apply_cmvn;
pub mod apply_cmvn_online;
pub mod apply_cmvn_sliding;
pub mod compute_cmvn_stats;
pub mod compute_cmvn_stats_two_channel;
pub mod modify_cmvn_stats;

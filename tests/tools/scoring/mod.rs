pub mod align_text;
pub mod compute_eer;
pub mod compute_wer;
pub mod compute_wer_bootci;

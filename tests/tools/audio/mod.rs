mod compute_and_process_kaldi_pitch_feats;
pub mod compute_fbank_feats;
mod compute_kaldi_pitch_feats;
mod compute_mfcc_feats;
pub mod compute_plp_feats;
mod compute_spectrogram_feats;
mod extraction;
mod process_kaldi_pitch_feats;

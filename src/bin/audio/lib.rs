//! Audio: the list of these tools. Each is a file of its own.

kaldi_cli::tools! {
    audio "Audio"
    compute_and_process_kaldi_pitch_feats "compute-and-process-kaldi-pitch-feats.rs" Kaldi "finds the pitch of waveforms and computes features for a recognizer from it";
    compute_fbank_feats "compute-fbank-feats.rs" Kaldi "computes mel filterbank energies of waveforms";
    compute_kaldi_pitch_feats "compute-kaldi-pitch-feats.rs" Kaldi "finds the pitch of waveforms";
    compute_mfcc_feats "compute-mfcc-feats.rs" Kaldi "computes MFCC of waveforms";
    compute_plp_feats "compute-plp-feats.rs" Kaldi "computes PLP cepstra of waveforms";
    compute_spectrogram_feats "compute-spectrogram-feats.rs" Kaldi "computes spectrograms of waveforms";
    extend_wav_with_silence "extend-wav-with-silence.rs" Kaldi "appends silence to recordings";
    extract_segments "extract-segments.rs" Kaldi "cuts segments out of recordings";
    find_copies "find-copies.rs" Own "finds waveforms that are copies of each other: the same, or louder, coded, resampled, cut, noisy";
    process_kaldi_pitch_feats "process-kaldi-pitch-feats.rs" Kaldi "computes features for a recognizer from pitch";
    wav_copy "wav-copy.rs" Kaldi "copies waveforms; reads MP3, Opus, FLAC and other files";
    wav_reverberate "wav-reverberate.rs" Kaldi "adds a room and noises to a waveform";
    wav_to_duration "wav-to-duration.rs" Kaldi "prints the durations of waveforms";
}

use std::ffi::OsString;
use std::fmt::Debug;

use kaldi_extract::{ExtractOptions, WarpFactors};
use kaldi_feat::extract::{FbankOptions, MfccOptions, PlpOptions, SpectrogramOptions, WindowFunction};
use kaldi_feat::pitch::{PitchExtractionOptions, PitchModelOptions, PitchNormalizerOptions, ProcessPitchOptions};
use kaldi_feat::{
    DeltaOptions, FrameGrid, OnlineCmvnOptions, SampleGrid, ShiftedDeltaOptions, SlidingWindowCmnOptions,
};
use kaldi_gmm::{MleDiagGmmOptions, MleFullGmmOptions};
use kaldi_ivector::LengthNormalization;
use kaldi_transform::FmpeOptions;
use option_table::Options;

use super::*;

/// The options of a tool that was given these words.
fn parsed<A: Options>(words: &[&[u8]]) -> A {
    use std::os::unix::ffi::OsStringExt;

    let words: Vec<_> = words.iter().map(|word| OsString::from_vec(word.to_vec())).collect();
    kaldi_cli::parse(&words).unwrap().unwrap()
}

#[track_caller]
fn has_the_defaults_of_the_command_line<A: Options, O>()
where
    O: Default + Debug + for<'a> TryFrom<&'a A, Error: Debug>,
{
    assert_eq!(format!("{:?}", O::try_from(&parsed::<A>(&[])).unwrap()), format!("{:?}", O::default()));
}

#[test]
fn defaults_are_the_same_with_and_without_a_command_line() {
    has_the_defaults_of_the_command_line::<MfccArguments, MfccOptions>();
    has_the_defaults_of_the_command_line::<FbankArguments, FbankOptions>();
    has_the_defaults_of_the_command_line::<PlpArguments, PlpOptions>();
    has_the_defaults_of_the_command_line::<SpectrogramArguments, SpectrogramOptions>();
    has_the_defaults_of_the_command_line::<PitchArguments, PitchExtractionOptions>();
    has_the_defaults_of_the_command_line::<ProcessPitchArguments, ProcessPitchOptions>();
    has_the_defaults_of_the_command_line::<PitchModelArguments, PitchModelOptions>();
    has_the_defaults_of_the_command_line::<PitchNormalizerArguments, PitchNormalizerOptions>();
    has_the_defaults_of_the_command_line::<DeltaArguments, DeltaOptions>();
    has_the_defaults_of_the_command_line::<ShiftedDeltaArguments, ShiftedDeltaOptions>();
    has_the_defaults_of_the_command_line::<SlidingCmnArguments, SlidingWindowCmnOptions>();
    has_the_defaults_of_the_command_line::<OnlineCmvnArguments, OnlineCmvnOptions>();
    has_the_defaults_of_the_command_line::<FrameGridArguments, FrameGrid>();
    has_the_defaults_of_the_command_line::<SampleGridArguments, SampleGrid>();
    has_the_defaults_of_the_command_line::<LengthArguments, LengthNormalization>();
    has_the_defaults_of_the_command_line::<MleDiagGmmArguments, MleDiagGmmOptions>();
    has_the_defaults_of_the_command_line::<MleFullGmmArguments, MleFullGmmOptions>();
    has_the_defaults_of_the_command_line::<FmpeArguments, FmpeOptions>();
    has_the_defaults_of_the_command_line::<ExtractArguments, ExtractOptions>();
    has_the_defaults_of_the_command_line::<WarpArguments, WarpFactors>();
}

#[test]
fn names_are_bytes() {
    let map = parsed::<WarpArguments>(&[b"--vtln-map=ark:\xff"]).vtln_map;
    assert_eq!(**map.unwrap(), *b"ark:\xff");
}

#[test]
fn what_is_out_of_range_is_refused() {
    fn refused<A: Options, O>(words: &[&str]) -> String
    where
        O: for<'a> TryFrom<&'a A, Error: std::fmt::Display> + Debug,
    {
        let words: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        match O::try_from(&parsed::<A>(&words)) {
            Ok(options) => format!("no error: {options:?}"),
            Err(error) => error.to_string(),
        }
    }
    let message = refused::<MfccArguments, MfccOptions>(&["--num-ceps=-1"]);
    assert_eq!(message, "expected --num-ceps to be 1 or more, got -1");
    let message = refused::<FbankArguments, FbankOptions>(&["--window-type=hann"]);
    assert!(message.starts_with("expected --window-type to be hamming, hanning, povey"), "{message}");
    let message = refused::<FbankArguments, FbankOptions>(&["--blackman-coeff=nan"]);
    assert_eq!(message, "expected --blackman-coeff to be a finite number, got NaN");
    let message = refused::<PitchArguments, PitchExtractionOptions>(&["--frames-per-chunk=-1"]);
    assert_eq!(message, "expected --frames-per-chunk to be 0 or more, got -1");
    let message = refused::<DeltaArguments, DeltaOptions>(&["--delta-order=-1"]);
    assert_eq!(message, "expected --delta-order to be from 0 to 999, got -1");
    let message = refused::<SlidingCmnArguments, SlidingWindowCmnOptions>(&["--center", "--min-cmn-window=-5"]);
    assert_eq!(message, "expected --min-cmn-window to be from 1 to --cmn-window, got -5 (and 600)");
    let message = refused::<ExtractArguments, ExtractOptions>(&["--channel=-2"]);
    assert_eq!(message, "expected --channel to be -1, 0 or more, got -2");
    let message = refused::<ExtractArguments, ExtractOptions>(&["--output-format=x"]);
    assert_eq!(message, "expected --output-format to be kaldi or htk, got \"x\"");
}

#[test]
fn values_arrive() {
    let fbank = parsed::<FbankArguments>(&[b"--window-type=blackman", b"--blackman-coeff=0.5", b"--num-mel-bins=40"]);
    let fbank = FbankOptions::try_from(&fbank).unwrap();
    assert_eq!((fbank.frames.window, fbank.mel.num_mel_bins), (WindowFunction::Blackman { coefficient: 0.5 }, 40));
    let extract = parsed::<ExtractArguments>(&[b"--channel=1", b"--min-duration=2"]);
    let extract = ExtractOptions::try_from(&extract).unwrap();
    assert_eq!((extract.channel, extract.min_duration), (Some(1), 2.0));
    let warps = WarpFactors::from(&parsed::<WarpArguments>(&[b"--vtln-warp=0.9"]));
    assert_eq!(warps, WarpFactors::One(0.9));
}

//! The options of features of waveforms, pitch among them.
//!
//! Structs by which `kaldi-feat` computes. With the feature `options` they are also groups of clap's (`clap::Args`), which
//! tools flatten into their own options. They are a crate of their own to be compiled for size: what is derived for clap
//! runs once, at the start of a tool, and would otherwise be larger than all that computes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod kinds;
mod pitch;
mod shared;

pub use kinds::{FbankOptions, MfccOptions, PlpOptions, SpectrogramOptions};
pub use pitch::{PitchExtractionOptions, ProcessPitchOptions};
pub use shared::{EnergyOptions, FrameOptions, MelOptions};

#[cfg(all(test, feature = "options"))]
mod tests {
    use super::*;

    /// The options of a tool that was given none.
    fn parsed<O: clap::Args>() -> O {
        let command = O::augment_args(clap::Command::new("tool"));
        O::from_arg_matches(&command.get_matches_from(["tool"])).unwrap()
    }

    #[test]
    fn defaults_are_the_same_with_and_without_a_command_line() {
        assert_eq!(parsed::<MfccOptions>(), MfccOptions::default());
        assert_eq!(parsed::<FbankOptions>(), FbankOptions::default());
        assert_eq!(parsed::<PlpOptions>(), PlpOptions::default());
        assert_eq!(parsed::<SpectrogramOptions>(), SpectrogramOptions::default());
        assert_eq!(parsed::<PitchExtractionOptions>(), PitchExtractionOptions::default());
        assert_eq!(parsed::<ProcessPitchOptions>(), ProcessPitchOptions::default());
    }
}

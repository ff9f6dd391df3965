//! Options of tools that cut utterances into training examples.

use kaldi_cli::{Arg, InputName};
use kaldi_egs::{CutOptions, Error, SplitOptions};

/// The sizes of chunks and of their context.
#[derive(Clone, Debug, option_table::Options)]
pub struct SplitArguments {
    /// Frames of input before the first labelled frame of each example
    #[option(default = 0)]
    pub left_context: i32,
    /// Frames of input after the last labelled frame of each example
    #[option(default = 0)]
    pub right_context: i32,
    /// Like --left-context, for the first example of each utterance; below 0 it is the same
    #[option(default = -1)]
    pub left_context_initial: i32,
    /// Like --right-context, for the last example of each utterance; below 0 it is the same
    #[option(default = -1)]
    pub right_context_final: i32,
    /// Labelled frames of an example, e.g. 8; after commas other sizes that come twice in an utterance at most, e.g. 40,25,50.
    /// Rounded up to multiples of --frame-subsampling-factor. -1 keeps utterances whole
    #[option(default = "1")]
    pub num_frames: Arg,
    /// Labelled frames that neighbours have in common, if they have the first size of --num-frames; others accordingly
    #[option(default = 0)]
    pub num_frames_overlap: i32,
    /// Frames of input for each label
    #[option(default = 1)]
    pub frame_subsampling_factor: i32,
}

impl From<&SplitArguments> for SplitOptions {
    fn from(args: &SplitArguments) -> Self {
        let mut options = Self::default();
        options.left_context = args.left_context;
        options.right_context = args.right_context;
        options.left_context_initial = args.left_context_initial;
        options.right_context_final = args.right_context_final;
        options.num_frames = args.num_frames.to_string();
        options.num_frames_overlap = args.num_frames_overlap;
        options.frame_subsampling_factor = args.frame_subsampling_factor;
        options
    }
}

/// Vectors beside the features, lengths that may differ, and compression.
#[derive(Clone, Debug, option_table::Options)]
pub struct CutArguments {
    /// Compress full matrices; compressed ones keep their form in any case
    #[option(default = true)]
    pub compress: bool,
    /// Rspecifier of iVectors, a matrix for each utterance
    #[option]
    pub online_ivectors: Option<InputName>,
    /// Old name of --online-ivectors
    #[option]
    pub ivectors: Option<InputName>,
    /// Frames for each row of iVectors
    #[option(default = 1)]
    pub online_ivector_period: i32,
    /// How many frames features and iVectors may differ
    #[option(default = 100)]
    pub length_tolerance: i32,
    /// How many labels there may be more or less than expected
    #[option(default = 2)]
    pub targets_length_tolerance: i32,
}

impl CutArguments {
    /// The rspecifier of iVectors, if there are any.
    pub fn ivectors(&self) -> Option<&InputName> {
        self.online_ivectors.as_ref().or(self.ivectors.as_ref()).filter(|name| !name.is_empty())
    }

    /// The options of the library, for labels of this dimension.
    ///
    /// # Errors
    /// If the period is not above 0.
    pub fn options(&self, dim: Option<i32>, short_is_failure: bool) -> Result<CutOptions, Error> {
        if self.online_ivector_period < 1 {
            let got = self.online_ivector_period.to_string();
            return Err(Error::Option { name: "--online-ivector-period", expected: "above 0", got });
        }
        Ok(CutOptions {
            compress: self.compress,
            dim,
            targets_length_tolerance: self.targets_length_tolerance,
            length_tolerance: self.length_tolerance,
            ivector_period: self.online_ivector_period,
            short_is_failure,
        })
    }
}

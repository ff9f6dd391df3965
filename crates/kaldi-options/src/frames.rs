//! Options of what is computed of frames.

use kaldi_feat::{
    DeltaOptions, Dims, FrameGrid, OnlineCmvnOptions, SampleGrid, ShiftedDeltaOptions, SlidingWindowCmnOptions,
};

use crate::{count, refused};

/// Options of [`DeltaOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct DeltaArguments {
    /// Highest order of the derivatives that are appended
    #[option(name = "delta-order", default = 2)]
    pub order: i32,
    /// Frames on each side of a frame that the window of each order takes in
    #[option(name = "delta-window", default = 2)]
    pub window: i32,
}

/// Options of [`ShiftedDeltaOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct ShiftedDeltaArguments {
    /// Frames on each side of a frame that the window takes in
    #[option(name = "delta-window", default = 1)]
    pub window: i32,
    /// Number of blocks of deltas, of this frame and of later ones
    #[option(default = 7)]
    pub num_blocks: i32,
    /// Frames from one block to the next
    #[option(default = 3)]
    pub block_shift: i32,
}

/// Options of [`SlidingWindowCmnOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct SlidingCmnArguments {
    /// Center the window on the frame, as far as there are frames, instead of ending it there
    #[option]
    pub center: bool,
    /// Number of frames of the window; with --center=false it is the frame itself and this many before
    #[option(default = 600)]
    pub cmn_window: i32,
    /// Number of warnings about floored variances per utterance: 0 for none, -1 for all
    #[option(default = 5)]
    pub max_warnings: i32,
    /// Least number of frames of the window, which includes later ones at the start (only without --center)
    #[option(default = 100)]
    pub min_cmn_window: i32,
    /// Make variances one, too
    #[option]
    pub norm_vars: bool,
}

/// Options of [`OnlineCmvnOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct OnlineCmvnArguments {
    /// Number of frames of the window, which ends at the frame that is normalized
    #[option(default = 600)]
    pub cmn_window: i32,
    /// Largest number of frames for which the global statistics count if the window is not full
    #[option(default = 200)]
    pub global_frames: i32,
    /// Make means zero (variances are not normalized without)
    #[option(default = true)]
    pub norm_means: bool,
    /// Make variances one, too
    #[option]
    pub norm_vars: bool,
    /// Dimensions that are not normalized, for example 13:14:15
    #[option]
    pub skip_dims: Option<Dims>,
    /// Largest number of frames for which earlier utterances of the speaker count if the window is not full
    #[option(default = 600)]
    pub speaker_frames: i32,
}

/// Options of [`FrameGrid`].
#[derive(Clone, Debug, option_table::Options)]
pub struct FrameGridArguments {
    /// Shortest segment in seconds; shorter ones are left out
    #[option(default = 0.1)]
    pub min_segment_length: f32,
    /// Length of a frame in milliseconds
    #[option(default = 25)]
    pub frame_length: i32,
    /// Time from one frame to the next in milliseconds
    #[option(default = 10)]
    pub frame_shift: i32,
    /// How far a segment may extend beyond the end of the features, in seconds, to be cut there; others are left out
    #[option(default = 0.0)]
    pub max_overshoot: f32,
    /// Leave out the last frames of a segment, which would reach beyond its end: as many as features computed from the
    /// segment's audio would lack
    #[option(default = true)]
    pub snip_edges: bool,
}

/// Options of [`SampleGrid`].
#[derive(Clone, Debug, option_table::Options)]
pub struct SampleGridArguments {
    /// Shortest segment in seconds; shorter ones are left out
    #[option(default = 0.1)]
    pub min_segment_length: f32,
    /// How far a segment may extend beyond the end of the recording, in seconds, to be cut there; others are left out
    #[option(default = 0.5)]
    pub max_overshoot: f32,
}

impl TryFrom<&DeltaArguments> for DeltaOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &DeltaArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.order = count("delta-order", "from 0 to 999", arguments.order)?;
        options.window = count("delta-window", "from 1 to 999", arguments.window)?;
        Ok(options)
    }
}

impl TryFrom<&ShiftedDeltaArguments> for ShiftedDeltaOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &ShiftedDeltaArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.window = count("delta-window", "from 1 to 999", arguments.window)?;
        options.num_blocks = count("num-blocks", "from 0 to 999999", arguments.num_blocks)?;
        options.block_shift = arguments.block_shift;
        Ok(options)
    }
}

impl TryFrom<&SlidingCmnArguments> for SlidingWindowCmnOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &SlidingCmnArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.center = arguments.center;
        options.cmn_window = count("cmn-window", "1 or more", arguments.cmn_window)?;
        options.min_cmn_window = match usize::try_from(arguments.min_cmn_window) {
            Ok(frames) => frames,
            // Without effect if the window ends at the frame, as in Kaldi.
            Err(_) if !arguments.center => 0,
            Err(_) => {
                let got = format_args!("{} (and {})", arguments.min_cmn_window, arguments.cmn_window);
                return Err(refused("min-cmn-window", "from 1 to --cmn-window", got));
            }
        };
        options.norm_vars = arguments.norm_vars;
        Ok(options)
    }
}

impl TryFrom<&OnlineCmvnArguments> for OnlineCmvnOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &OnlineCmvnArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.cmn_window = count("cmn-window", "1 or more", arguments.cmn_window)?;
        options.global_frames = usize::try_from(arguments.global_frames).unwrap_or(0);
        options.norm_means = arguments.norm_means;
        options.norm_vars = arguments.norm_vars;
        options.skip_dims.clone_from(&arguments.skip_dims);
        options.speaker_frames = usize::try_from(arguments.speaker_frames).unwrap_or(0);
        Ok(options)
    }
}

impl TryFrom<&FrameGridArguments> for FrameGrid {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &FrameGridArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.min_segment_length = arguments.min_segment_length;
        let milliseconds =
            |name, expected, value: i32| u32::try_from(value).map_err(|_| refused(name, expected, value));
        options.frame_length = milliseconds("frame-length", "0 or more", arguments.frame_length)?;
        options.frame_shift = milliseconds("frame-shift", "positive", arguments.frame_shift)?;
        options.max_overshoot = arguments.max_overshoot;
        options.snip_edges = arguments.snip_edges;
        Ok(options)
    }
}

impl From<&SampleGridArguments> for SampleGrid {
    fn from(arguments: &SampleGridArguments) -> Self {
        let mut options = Self::default();
        options.min_segment_length = arguments.min_segment_length;
        options.max_overshoot = arguments.max_overshoot;
        options
    }
}

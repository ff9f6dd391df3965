//! Tests of the options of the command line.

use option_table::testing::keeps_its_defaults;

use crate::extract::{FbankOptions, MfccOptions, PlpOptions, SpectrogramOptions};
use crate::pitch::{PitchExtractionOptions, PitchModelOptions, PitchNormalizerOptions, ProcessPitchOptions};
use crate::{DeltaOptions, FrameGrid, OnlineCmvnOptions, SampleGrid, ShiftedDeltaOptions, SlidingWindowCmnOptions};

#[test]
fn defaults_are_the_same_with_and_without_a_command_line() {
    keeps_its_defaults::<MfccOptions>();
    keeps_its_defaults::<FbankOptions>();
    keeps_its_defaults::<PlpOptions>();
    keeps_its_defaults::<SpectrogramOptions>();
    keeps_its_defaults::<PitchExtractionOptions>();
    keeps_its_defaults::<ProcessPitchOptions>();
    keeps_its_defaults::<PitchModelOptions>();
    keeps_its_defaults::<PitchNormalizerOptions>();
    keeps_its_defaults::<DeltaOptions>();
    keeps_its_defaults::<ShiftedDeltaOptions>();
    keeps_its_defaults::<SlidingWindowCmnOptions>();
    keeps_its_defaults::<OnlineCmvnOptions>();
    keeps_its_defaults::<FrameGrid>();
    keeps_its_defaults::<SampleGrid>();
}

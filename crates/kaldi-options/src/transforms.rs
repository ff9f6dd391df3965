//! Options of transforms of features.

use kaldi_transform::{BasisFmllrOptions, FmllrOptions, FmllrUpdate, FmpeOptions};

/// Options of [`FmllrOptions`].
#[derive(Clone, Copy, Debug, option_table::Options)]
pub struct FmllrArguments {
    /// With this many frames or fewer, the transform changes nothing
    #[option(default = 500.0)]
    pub fmllr_min_count: f32,
    /// The number of iterations of a full estimate
    #[option(default = 40)]
    pub fmllr_num_iters: i32,
    /// What is estimated: full, diag, offset or none
    #[option(default = "full")]
    pub fmllr_update_type: FmllrUpdate,
}

impl From<&FmllrArguments> for FmllrOptions {
    fn from(arguments: &FmllrArguments) -> Self {
        Self {
            update: arguments.fmllr_update_type,
            min_count: arguments.fmllr_min_count,
            num_iters: arguments.fmllr_num_iters,
        }
    }
}

/// Options of [`BasisFmllrOptions`].
#[derive(Clone, Copy, Debug, option_table::Options)]
pub struct BasisFmllrArguments {
    /// The number of steps
    #[option(default = BasisFmllrOptions::default().num_iters)]
    pub num_iters: i32,
    /// The number of bases for each frame
    #[option(default = BasisFmllrOptions::default().size_scale)]
    pub size_scale: f32,
    /// With fewer frames, the transform changes nothing
    #[option(default = BasisFmllrOptions::default().min_count)]
    pub fmllr_min_count: f32,
    /// The number of steps in the estimate of the size of a step
    #[option(default = BasisFmllrOptions::default().step_size_iters)]
    pub step_size_iters: i32,
}

impl From<&BasisFmllrArguments> for BasisFmllrOptions {
    fn from(arguments: &BasisFmllrArguments) -> Self {
        Self {
            num_iters: arguments.num_iters,
            size_scale: arguments.size_scale,
            min_count: arguments.fmllr_min_count,
            step_size_iters: arguments.step_size_iters,
        }
    }
}

/// Options of [`FmpeOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct FmpeArguments {
    /// Multiply the posterior among the high-dimensional features by this, which makes it learn faster
    #[option(default = 5.0)]
    pub post_scale: f32,
    /// Which frames have a part in the offset of a frame: contexts between colons, each of them offset,weight between
    /// semicolons
    #[option(default = FmpeOptions::default().context_expansion)]
    pub context_expansion: String,
}

impl From<&FmpeArguments> for FmpeOptions {
    fn from(arguments: &FmpeArguments) -> Self {
        let mut options = Self::default();
        options.post_scale = arguments.post_scale;
        options.context_expansion.clone_from(&arguments.context_expansion);
        options
    }
}

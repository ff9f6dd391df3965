//! Options of transforms of features.

use kaldi_transform::FmpeOptions;

/// Options of [`FmpeOptions`].
#[derive(Clone, Debug, clap::Args)]
pub struct FmpeArguments {
    /// Multiply the posterior among the high-dimensional features by this, which makes it learn faster
    #[arg(long, default_value_t = 5.0)]
    pub post_scale: f32,
    /// Which frames have a part in the offset of a frame: contexts between colons, each of them offset,weight between
    /// semicolons
    #[arg(long, default_value_t = FmpeOptions::default().context_expansion)]
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

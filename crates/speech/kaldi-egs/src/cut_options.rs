//! Options of tools that cut utterances into training examples.

use kaldi_io::InputName;

use crate::{CutOptions, Error};

/// Vectors beside the features, lengths that may differ, and compression.
#[derive(Clone, Debug, clap::Args)]
pub struct CutArguments {
    /// Compress full matrices; compressed ones keep their form in any case
    #[arg(long, default_value_t = true)]
    pub compress: bool,
    /// Rspecifier of iVectors, a matrix for each utterance
    #[arg(long)]
    pub online_ivectors: Option<InputName>,
    /// Old name of `online_ivectors`
    #[arg(long)]
    pub ivectors: Option<InputName>,
    /// Frames for each row of iVectors
    #[arg(long, default_value_t = 1)]
    pub online_ivector_period: i32,
    /// How many frames features and iVectors may differ
    #[arg(long, default_value_t = 100)]
    pub length_tolerance: i32,
    /// How many labels there may be more or less than expected
    #[arg(long, default_value_t = 2)]
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
            return Err(Error::Option { name: "online_ivector_period", expected: "above 0", got });
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

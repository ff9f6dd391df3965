//! Options of tools on lattices.

use crate::{Error, Result, Scale};

/// Scales of acoustic and of graph costs.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct CostScaleArguments {
    /// Multiply acoustic costs by this
    #[arg(long, default_value_t = 1.0)]
    pub acoustic_scale: f32,
    /// Multiply graph costs by this
    #[arg(long, default_value_t = 1.0)]
    pub lm_scale: f32,
}

impl From<&CostScaleArguments> for Scale {
    fn from(arguments: &CostScaleArguments) -> Self {
        Self::new(f64::from(arguments.lm_scale), f64::from(arguments.acoustic_scale))
    }
}

/// The scale of acoustic costs, given itself or by its inverse.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct AcousticScaleArguments {
    /// Multiply acoustic costs by this
    #[arg(long, default_value_t = 1.0)]
    pub acoustic_scale: f32,
    /// Divide acoustic costs by this, instead of `acoustic_scale`
    #[arg(long, default_value_t = 1.0)]
    pub inv_acoustic_scale: f32,
}

impl AcousticScaleArguments {
    /// The scale of acoustic costs.
    ///
    /// # Errors
    /// If both options are given.
    pub fn acoustic_scale(&self) -> Result<f32> {
        match (self.acoustic_scale, self.inv_acoustic_scale) {
            (scale, 1.0) => Ok(scale),
            (1.0, inverse) => Ok(1.0 / inverse),
            (_, got) => Err(Error::BothScales { got: got.to_string() }),
        }
    }
}

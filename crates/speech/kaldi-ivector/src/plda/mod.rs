//! Probabilistic linear discriminant analysis.

mod adapt;
mod estimate;
mod model;
mod score;

pub use adapt::{AdaptationOptions, AdaptationStats};
pub use estimate::{PldaEstimator, PldaStats};
pub use model::{LengthNormalization, Plda};
pub use score::{Enrolled, Scorer, Trial};

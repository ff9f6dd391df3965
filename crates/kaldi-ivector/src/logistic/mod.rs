//! Logistic regression.

mod lbfgs;
mod mixtures;
mod regression;
mod train;

pub use regression::LogisticRegression;
pub use train::Trainer;

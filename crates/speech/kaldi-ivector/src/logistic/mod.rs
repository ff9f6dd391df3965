//! Logistic regression.

mod lbfgs;
mod regression;
mod train;

pub use regression::LogisticRegression;
pub use train::Trainer;

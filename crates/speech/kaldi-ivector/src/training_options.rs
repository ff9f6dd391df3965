//! Options of what works on vectors of speakers.

/// How a classifier is trained: the options of [`Trainer`](crate::Trainer).
#[derive(Clone, Debug, clap::Args)]
pub struct TrainingArguments {
    /// Number of steps of the optimization
    #[arg(long, default_value_t = 20)]
    pub max_steps: i32,
    /// Number of components of all classes together; one for each class where it is smaller than that
    #[arg(long, default_value_t = 0)]
    pub mix_up: i32,
    /// Weight of the sum of squares that keeps the weights small
    #[arg(long, default_value_t = 0.0025)]
    pub normalizer: f64,
    /// Power of the number of a class's vectors that its number of components grows with
    #[arg(long, default_value_t = 0.15)]
    pub power: f64,
}

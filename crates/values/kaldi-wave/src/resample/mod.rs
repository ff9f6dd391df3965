//! Sample-rate conversion by windowed sinc filters.
//!
//! A sample `x[n]` at a rate of `S` Hz is treated as an impulse of `x[n] / S` at the time `n / S`. These impulses go
//! through a low-pass filter with cutoff `C`, and the sum can be computed for any time `t`:
//!
//! ```text
//! s(t) = 1/S * sum over n of x[n] * h(t - n/S)      h(t) = 2C sinc(2Ct) * (1 + cos(2 pi C t / w)) / 2
//! ```
//!
//! The filter is a sinc function under a Hann window, which reaches to its `w`-th zero on both sides, that is `w / 2C`
//! seconds. More zeros make the filter sharper and the work longer. [`RateConverter`] is for evenly spaced times, from
//! one whole number of Hz to another; [`Interpolator`] is for times of your choice.
//!
//! Weights and sums are in single precision, as in Kaldi (`LinearResample`, `ArbitraryResample`); sums consist of
//! several partial sums, always in the same way.

mod converter;
mod error;
mod filter;
mod interpolator;
mod kept;
mod side_by_side;

pub use converter::{RateConverter, resample};
pub use error::ResampleError;
pub use interpolator::Interpolator;

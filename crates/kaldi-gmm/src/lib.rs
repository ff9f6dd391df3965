//! Gaussian mixtures: with diagonal and with full covariances, their accumulators, their estimation.

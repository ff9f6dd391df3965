//! The numbers of epochs and samples.

use super::options::{SampleCount, SampleOptions, SeparateLastEpoch};
use crate::{Error, Result};

/// The numbers that follow from the options and the number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) num_epochs: u64,
    /// Whether the last epoch is shuffled separately.
    pub(super) separate: bool,
    /// The number of samples of all epochs.
    pub(super) num_samples: u64,
    /// The number of samples before the last epoch, if it is separate; otherwise all.
    pub(super) num_before_last: u64,
    /// Tokens of all epochs.
    pub(super) num_tokens: u64,
}

impl Plan {
    /// The plan for `tokens` in an epoch.
    pub(super) fn new(options: &SampleOptions, tokens: u64) -> Result<Self> {
        let length = options.seq_length;
        let extra = u64::from(options.extra_token);
        if length == 0 {
            return Err(request("expected a sequence length of 1 or more, got 0"));
        }
        if tokens == 0 {
            return Err(request("there are no tokens to make samples of"));
        }
        let too_many = || request("samples of more tokens than 64 bits can count");
        let num_epochs = match options.count {
            SampleCount::OneEpoch => 1,
            SampleCount::Epochs(0) => return Err(request("expected one epoch or more, got 0")),
            SampleCount::Epochs(epochs) => epochs,
            SampleCount::Samples(samples) => {
                let wanted = samples.checked_mul(length).and_then(|wanted| wanted.checked_add(extra));
                wanted.ok_or_else(too_many)?.div_ceil(tokens).max(1)
            }
        };
        let num_tokens = num_epochs.checked_mul(tokens).filter(|tokens| i64::try_from(*tokens).is_ok());
        let num_tokens = num_tokens.ok_or_else(too_many)?;
        // There is at least one token.
        let (starts, before) = (num_tokens - extra, (num_tokens - tokens).saturating_sub(extra) / length);
        let per_epoch = (tokens - extra) / length;
        let separate = num_epochs > 1
            && match (options.separate_last_epoch, options.count) {
                (SeparateLastEpoch::Yes, _) => true,
                (SeparateLastEpoch::Auto, SampleCount::Samples(samples)) => {
                    // If less than 80 % of an epoch were mixed with the others, its samples would be rarer.
                    samples.saturating_sub(before) < (0.80 * per_epoch as f64) as u64
                }
                _ => false,
            };
        let num_samples = if options.drop_last { starts / length } else { starts.div_ceil(length) };
        let num_before_last = if separate { before } else { num_samples };
        Ok(Self { num_epochs, separate, num_samples, num_before_last, num_tokens })
    }
}

fn request(message: &str) -> Error {
    Error::Request(message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_of_the_last_epoch_keep_it_apart() {
        let options =
            |samples| SampleOptions { seq_length: 10, count: SampleCount::Samples(samples), ..Default::default() };
        // 100 samples an epoch, and one more token for the last.
        let plan = |samples| Plan::new(&options(samples), 1001).unwrap();
        assert_eq!((plan(100).num_epochs, plan(100).separate), (1, false));
        assert_eq!((plan(101).num_epochs, plan(101).separate), (2, true));
        assert_eq!((plan(179).separate, plan(180).separate), (true, false));
        assert_eq!(plan(179).num_before_last, 100);
        let always = SampleOptions { separate_last_epoch: SeparateLastEpoch::Yes, ..options(190) };
        assert!(Plan::new(&always, 1001).unwrap().separate);
        let epochs = SampleOptions { count: SampleCount::Epochs(3), ..options(0) };
        assert_eq!(Plan::new(&epochs, 1001).map(|plan| (plan.num_samples, plan.separate)).unwrap(), (300, false));
    }

    /// Single precision would count 16384 and 145448.
    #[test]
    fn samples_are_counted_in_integers() {
        let options = |seq_length| SampleOptions { seq_length, drop_last: false, ..Default::default() };
        assert_eq!(Plan::new(&options(1024), 16_777_218).unwrap().num_samples, 16_385);
        assert_eq!(Plan::new(&options(2000), 290_894_001).unwrap().num_samples, 145_447);
        let huge = SampleOptions { count: SampleCount::Samples(u64::MAX / 2), ..options(1024) };
        assert!(Plan::new(&huge, 5).is_err());
    }
}

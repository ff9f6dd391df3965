//! Converters that are kept for the next signal.

use std::sync::MutexGuard;

use super::converter::RateConverter;
use super::error::ResampleError;
use kaldi_io::sync::Mutex;

/// The most converters that are kept.
const MOST: usize = 64;

/// The most bytes that they take together.
const MOST_BYTES: usize = 32 << 20;

/// Converters by their source and target rates, those used last first.
type Kept = Vec<((u32, u32), RateConverter)>;

/// Converters for threads that share them.
pub(super) struct KeptConverters(Mutex<Kept>);

impl KeptConverters {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The converter for these rates, made by `make` if there is none. Those that were not used for the longest time make
    /// room for it.
    pub(super) fn get(
        &self,
        rates: (u32, u32),
        make: impl FnOnce() -> Result<RateConverter, ResampleError>,
    ) -> Result<RateConverter, ResampleError> {
        let used = |kept: &mut Kept| {
            let place = kept.iter().position(|(of, _)| *of == rates)?;
            kept[..=place].rotate_right(1);
            Some(kept[0].1.clone())
        };
        if let Some(converter) = self.lock().and_then(|mut kept| used(&mut kept)) {
            return Ok(converter);
        }
        // Without the lock: others need not wait. If two threads make the same one, the first one is kept.
        let made = make()?;
        let Some(mut kept) = self.lock() else { return Ok(made) };
        if let Some(converter) = used(&mut kept) {
            return Ok(converter);
        }
        if made.num_bytes() <= MOST_BYTES {
            kept.insert(0, (rates, made.clone()));
            let mut bytes = 0;
            let fits = |(_, converter): &&(_, RateConverter)| {
                bytes += converter.num_bytes();
                bytes <= MOST_BYTES
            };
            let num_kept = kept.iter().take(MOST).take_while(fits).count();
            kept.truncate(num_kept);
        }
        Ok(made)
    }

    /// `None` if another thread is at the list now. It is not waited for: in a forked child that thread does not exist, and the
    /// list would stay locked for ever.
    fn lock(&self) -> Option<MutexGuard<'_, Kept>> {
        self.0.try_lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates_of(kept: &KeptConverters) -> Vec<(u32, u32)> {
        kept.0.lock().iter().map(|(rates, _)| *rates).collect()
    }

    fn make((from, to): (u32, u32)) -> Result<RateConverter, ResampleError> {
        RateConverter::new(from, to, 0.49 * from.min(to) as f32, 6)
    }

    #[test]
    fn a_converter_is_made_once() {
        let kept = KeptConverters::new();
        let signal: Vec<f32> = (0..2000).map(|at| (at * at % 1000) as f32).collect();
        for _ in 0..2 {
            for rates in [(16_000, 8_000), (8_000, 16_000)] {
                let converted = kept.get(rates, || make(rates)).unwrap().convert(&signal);
                assert_eq!(converted, make(rates).unwrap().convert(&signal));
                let again = kept.get(rates, || unreachable!("it is kept")).unwrap();
                assert_eq!(converted, again.convert(&signal));
            }
        }
        assert_eq!(rates_of(&kept), [(8_000, 16_000), (16_000, 8_000)]);
    }

    #[test]
    fn a_list_that_stays_locked_is_not_waited_for() {
        let kept = KeptConverters::new();
        let locked = kept.0.lock();
        assert!(kept.get((16_000, 8_000), || make((16_000, 8_000))).is_ok());
        drop(locked);
        assert_eq!(rates_of(&kept), []);
    }

    #[test]
    fn a_converter_that_cannot_be_made_is_not_kept() {
        let kept = KeptConverters::new();
        assert!(kept.get((0, 8_000), || make((0, 8_000))).is_err());
        assert_eq!(rates_of(&kept), []);
    }

    #[test]
    fn what_was_used_last_stays() {
        let kept = KeptConverters::new();
        let often = (16_000, 8_000);
        for from in 1..3 * MOST as u32 {
            let rates = (8_000 * from, 8_000);
            kept.get(rates, || make(rates)).unwrap();
            kept.get(often, || if from == 1 { make(often) } else { unreachable!("it is kept") }).unwrap();
        }
        let rates = rates_of(&kept);
        assert_eq!((rates.len(), rates[0], rates[1].0), (MOST, often, 8_000 * (3 * MOST as u32 - 1)));
    }

    #[test]
    fn random_rates_do_not_fill_the_memory() {
        let kept = KeptConverters::new();
        let bytes = || kept.0.lock().iter().map(|(_, converter)| converter.num_bytes()).sum::<usize>();
        for from in 0..10 {
            // Rates without a common divisor: as many rows of weights as the target rate has Hz.
            let rates = (99_001 + 2 * from, 99_000);
            kept.get(rates, || make(rates)).unwrap();
            assert!((1..=MOST_BYTES).contains(&bytes()), "{}", bytes());
        }
        assert!(rates_of(&kept).len() < 10);
        // One that is larger than all of the room is made for one use.
        let large = (500_001, 500_000);
        assert!(kept.get(large, || make(large)).unwrap().num_bytes() > MOST_BYTES);
        assert!(!rates_of(&kept).contains(&large) && bytes() > 0);
    }

    #[test]
    fn threads_share_converters() {
        let kept = KeptConverters::new();
        let get = || kept.get((44_100, 16_000), || make((44_100, 16_000)));
        let expected = get().unwrap().convert(&[1000.0; 3000]);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(get().unwrap().convert(&[1000.0; 3000]), expected));
            }
        });
        assert_eq!(rates_of(&kept).len(), 1);
    }
}

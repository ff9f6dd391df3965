//! Several streams as one.

use crate::{Error, Reader};

/// Mixes readers by their weights: in each stretch of the output every reader has its share, to within one value.
///
/// If a reader ends, the others take its places. The order is not random: shuffle the result if it must not be regular.
///
/// ```
/// use kaldi_reader::{ReaderExt, from_slice, interleave};
///
/// let mut mixed = interleave(vec![(from_slice(&[1, 2, 3, 4]), 2.0), (from_slice(&[10, 20]), 1.0)])?;
/// assert_eq!(mixed.read_all()?, [1, 10, 2, 3, 20, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a weight is not a positive number.
pub fn interleave<R: Reader>(readers: Vec<(R, f64)>) -> Result<Interleave<R>, Error> {
    for (reader, &(_, weight)) in readers.iter().enumerate() {
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(Error::Weight { reader, weight });
        }
    }
    let lanes = readers.into_iter().map(|(reader, weight)| Lane { reader, weight, delivered: 0, ended: false });
    Ok(Interleave { lanes: lanes.collect() })
}

/// The reader that [`interleave`] makes.
#[derive(Debug)]
pub struct Interleave<R> {
    lanes: Vec<Lane<R>>,
}

#[derive(Debug)]
struct Lane<R> {
    reader: R,
    weight: f64,
    delivered: u64,
    ended: bool,
}

impl<R> Lane<R> {
    /// The time of the middle of its next value, if a value takes `1 / weight`.
    fn time(&self) -> f64 {
        (self.delivered as f64 + 0.5) / self.weight
    }
}

impl<R: Reader> Reader for Interleave<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let next = |lanes: &mut [Lane<R>]| {
            let running = (0..lanes.len()).filter(|&lane| !lanes[lane].ended);
            running.min_by(|&a, &b| lanes[a].time().total_cmp(&lanes[b].time()))
        };
        while let Some(lane) = next(&mut self.lanes) {
            let lane = &mut self.lanes[lane];
            match lane.reader.next() {
                Ok(Some(value)) => {
                    lane.delivered += 1;
                    return Ok(Some(value));
                }
                Ok(None) => lane.ended = true,
                Err(error) => {
                    self.lanes.iter_mut().for_each(|lane| lane.ended = true);
                    return Err(error);
                }
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.lanes.iter_mut().for_each(|lane| lane.ended = true);
        for lane in &mut self.lanes {
            lane.reader.restart()?;
        }
        self.lanes.iter_mut().for_each(|lane| (lane.ended, lane.delivered) = (false, 0));
        Ok(())
    }

    /// Finishes all readers, and returns the first error.
    fn finish(&mut self) -> Result<(), R::Error> {
        let finish = |lane: &mut Lane<R>| {
            lane.ended = true;
            lane.reader.finish()
        };
        self.lanes.iter_mut().map(finish).fold(Ok(()), Result::and)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_slice};

    #[test]
    fn parts_are_those_of_the_weights_everywhere() {
        let values: [Vec<usize>; 3] = [0, 1, 2].map(|lane| vec![lane; 1000]);
        let weights = [5.0, 3.0, 2.0];
        let readers = values.iter().zip(weights).map(|(values, weight)| (from_slice(values), weight));
        let order = interleave(readers.collect()).unwrap().read_all().unwrap();
        for end in 1..=2000 {
            for (lane, weight) in weights.iter().enumerate() {
                let got = order[..end].iter().filter(|value| **value == lane).count() as f64;
                assert!((got - end as f64 * weight / 10.0).abs() <= 1.0, "{got} of lane {lane} of {end}");
            }
        }
        assert_eq!(order.len(), 3000);
    }

    #[test]
    fn weights_that_make_no_sense_are_refused() {
        for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(interleave(vec![(from_slice(&[1]), weight)]).is_err(), "{weight}");
        }
    }
}

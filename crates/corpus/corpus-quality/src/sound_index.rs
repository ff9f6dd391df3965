//! Which sounds are copies of each other.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::SoundPrint;

/// A code that is in more places than this says nothing: it is that of hum, or of silence.
const MOST_PLACES: usize = 64;

/// As many equal codes at one shift make two sounds worth a comparison.
const EQUAL_CODES: usize = 2;

/// Codes of a second of sound: the first one stands for the length of a window and a shift, 0.272 s.
const SECOND: usize = 47;

/// The share of the shorter sound that both must have.
const OVERLAP: f64 = 0.8;

/// The largest share of different bits of two copies.
const DIFFERENT: f64 = 0.17;

/// Codes of a stretch of loud sound, and the largest share of different bits of each stretch of two copies. Where one word of a sentence
/// is another one, all bits differ there by half, and few elsewhere.
const STRETCH: usize = 16;
const DIFFERENT_IN_STRETCH: f64 = 0.25;

/// Two copies have at most this part of the different bits that sound has beside itself a little later. Hum, or a tone that swells
/// again and again, is like any other one.
const DISTINCT: f64 = 0.5;

/// Codes that are a little later: a quarter of a second to four.
const LATER: RangeInclusive<usize> = 16..=256;

/// Sounds that a thread compares at a time.
const AT_A_TIME: usize = 16;

/// Bits of a code that name a part of the table.
const PART_BITS: u32 = 16;

/// Codes that have an entry in the table of owners.
const OWNER_STEP: usize = 64;

/// Two sounds that are copies of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SoundPair {
    /// The index of the first one.
    pub first: usize,
    /// The index of the second one.
    pub second: usize,
    /// The share of the bits of their codes that are equal; 1 for the same samples.
    pub share: f64,
    /// Seconds by which the first one starts later in the second one; negative if it starts earlier.
    pub shift: f64,
    /// If their samples, rates and channels are the same.
    pub is_exact: bool,
}

/// Sounds in which copies are found. Beside the codes themselves, it takes 8 bytes for each of them: 2.7 MB an hour in all.
#[derive(Debug)]
pub struct SoundIndex {
    prints: Vec<SoundPrint>,
    /// The first sound that is exactly the same.
    exact: HashMap<u64, usize>,
    /// Codes that say something, of each sound.
    telling: Vec<usize>,
    /// The number of the first code of each sound, and the number of all codes.
    starts: Vec<usize>,
    /// Of every [`OWNER_STEP`]th code, the sound that it belongs to.
    owners: Vec<u32>,
    /// Codes, and their numbers in the lower 32 bits, sorted; without those that say nothing.
    table: Vec<u64>,
    /// The start in the table of each part, and its end.
    parts: Vec<u32>,
}

impl SoundIndex {
    /// The most codes that there may be.
    const MOST_CODES: usize = u32::MAX as usize;

    /// Hours of sound that have room in an index, in round numbers.
    pub const MOST_HOURS: u32 = 19_000;

    /// Sorts the codes of sounds. `None` if there are more than [`MOST_HOURS`](Self::MOST_HOURS) of them.
    pub fn of(mut prints: Vec<SoundPrint>) -> Option<Self> {
        let mut exact = HashMap::new();
        for (index, print) in prints.iter_mut().enumerate() {
            // One of those that are exactly the same is enough.
            if print.exact.is_some_and(|exactly| *exact.entry(exactly).or_insert(index) != index) {
                *print = std::mem::take(print).without_codes();
            }
        }
        let num_codes = prints.iter().map(|print| print.codes.len()).sum::<usize>();
        if num_codes > Self::MOST_CODES || prints.len() > Self::MOST_CODES {
            return None;
        }
        let (mut table, mut starts, mut owners) = (Vec::with_capacity(num_codes), vec![0], Vec::new());
        for (index, print) in prints.iter().enumerate() {
            let start = starts[index];
            table.extend(print.codes.iter().zip(start..).map(|(&code, number)| u64::from(code) << 32 | number as u64));
            starts.push(start + print.codes.len());
            owners.resize(starts[index + 1].div_ceil(OWNER_STEP), index as u32);
        }
        table.sort_unstable();
        keep_telling(&mut table);
        let mut parts = vec![0_u32; (1 << PART_BITS) + 1];
        table.iter().for_each(|entry| parts[(entry >> (64 - PART_BITS)) as usize + 1] += 1);
        (1..parts.len()).for_each(|part| parts[part] += parts[part - 1]);
        let telling = prints.iter().map(|print| num_telling(&print.codes)).collect();
        Some(Self { prints, exact, telling, starts, owners, table, parts })
    }

    /// All pairs of sounds that are copies, in order. Of those that are exactly the same, the first one stands for all: it makes a
    /// pair with each of them, and with those that are nearly the same. `done` is told how many more sounds were compared.
    pub fn pairs(&self, threads: usize, done: impl Fn(u64) + Sync) -> Vec<SoundPair> {
        let mut pairs = on_threads(self.prints.len(), threads, done, |second| {
            let print = &self.prints[second];
            let first = print.exact.map_or(second, |exact| self.exact[&exact]);
            if first != second {
                return vec![SoundPair { first, second, share: 1.0, shift: 0.0, is_exact: true }];
            }
            let near = self.nearly(print, second).into_iter();
            near.map(|found| SoundPair {
                first: found.sound,
                second,
                share: found.share,
                shift: seconds(-found.shift),
                is_exact: false,
            })
            .collect()
        });
        pairs.sort_by_key(|pair| (pair.first, pair.second));
        pairs
    }

    /// All pairs of `sounds`, which are the first of each pair, and sounds of the index, in order. Of those of the index that are
    /// exactly the same, the first one stands for all. `done` is as in [`Self::pairs`].
    pub fn pairs_with(&self, sounds: &[SoundPrint], threads: usize, done: impl Fn(u64) + Sync) -> Vec<SoundPair> {
        on_threads(sounds.len(), threads, done, |first| {
            let print = &sounds[first];
            let exact = print.exact.and_then(|exact| self.exact.get(&exact).copied());
            let near = |found: Near| SoundPair {
                first,
                second: found.sound,
                share: found.share,
                shift: seconds(found.shift),
                is_exact: false,
            };
            let same = |second| SoundPair { first, second, share: 1.0, shift: 0.0, is_exact: true };
            let mut pairs: Vec<SoundPair> = exact.map(same).into_iter().collect();
            let others = self.nearly(print, self.prints.len()).into_iter();
            pairs.extend(others.filter(|found| Some(found.sound) != exact).map(near));
            pairs.sort_by_key(|pair| pair.second);
            pairs
        })
    }

    /// The sounds before `end` that are nearly the same.
    fn nearly(&self, print: &SoundPrint, end: usize) -> Vec<Near> {
        let (codes, telling) = (&*print.codes, num_telling(&print.codes));
        let mut hits = Vec::new();
        for (at, &code) in codes.iter().enumerate() {
            for entry in self.entries(code) {
                let number = (entry & 0xffff_ffff) as usize;
                if number >= self.starts[end] {
                    break;
                }
                let sound = self.owner(number);
                let shift = (number - self.starts[sound]) as i64 - at as i64;
                let both = overlap(codes.len(), self.prints[sound].codes.len(), shift).len();
                if is_enough(both, telling.min(self.telling[sound])) {
                    // Shifts that are negative are sorted with the others.
                    hits.push((sound as u64) << 32 | u64::from(shift as u32 ^ SIGN));
                }
            }
        }
        hits.sort_unstable();
        let mut found: Vec<Near> = Vec::new();
        for hits in hits.chunk_by(PartialEq::eq).filter(|hits| hits.len() >= EQUAL_CODES) {
            let (sound, shift) = ((hits[0] >> 32) as usize, i64::from((hits[0] as u32 ^ SIGN) as i32));
            let Some(share) = self.share(print, telling, sound, shift) else { continue };
            let near = Near { sound, share, shift };
            match found.last_mut().filter(|last| last.sound == sound) {
                Some(last) if last.share >= share => {}
                Some(last) => *last = near,
                None => found.push(near),
            }
        }
        found
    }

    /// The share of equal bits of two sounds, if they are copies.
    fn share(&self, print: &SoundPrint, telling: usize, sound: usize, shift: i64) -> Option<f64> {
        let other = &self.prints[sound];
        let part = overlap(print.codes.len(), other.codes.len(), shift);
        let start = (part.start as i64 + shift) as usize;
        let (compared, different) = difference(&print.codes[part.clone()], &other.codes[start..]);
        let is_copy = is_enough(compared, telling.min(self.telling[sound]))
            && different <= DIFFERENT
            && is_even(print, part, other, start)
            && [print, other].iter().all(|print| different <= DISTINCT * difference_later(&print.codes));
        is_copy.then_some(1.0 - different)
    }

    /// The part of the table with a code.
    fn entries(&self, code: u32) -> &[u64] {
        let part = (code >> (u32::BITS - PART_BITS)) as usize;
        let part = &self.table[self.parts[part] as usize..self.parts[part + 1] as usize];
        let start = part.partition_point(|entry| ((entry >> 32) as u32) < code);
        let length = part[start..].iter().take_while(|&entry| (entry >> 32) as u32 == code).count();
        &part[start..start + length]
    }

    /// The sound that a code belongs to.
    fn owner(&self, number: usize) -> usize {
        let step = number / OWNER_STEP;
        let first = self.owners[step] as usize;
        let last = self.owners.get(step + 1).map_or(self.prints.len() - 1, |&last| last as usize);
        // The one before the first that starts after it.
        first + self.starts[first + 1..=last].partition_point(|&start| start <= number)
    }
}

/// A sound of the index that is nearly the same.
struct Near {
    sound: usize,
    share: f64,
    /// Codes by which the other sound starts later in this one.
    shift: i64,
}

/// If no stretch of loud sound differs much: `part` of a sound from that of the other one which starts at `start`.
fn is_even(print: &SoundPrint, part: Range<usize>, other: &SoundPrint, start: usize) -> bool {
    let both = part.zip(start..).filter(|&(left, right)| print.is_loud(left) && other.is_loud(right));
    let different: Vec<usize> =
        both.map(|(left, right)| (print.codes[left] ^ other.codes[right]).count_ones() as usize).collect();
    different.windows(STRETCH).all(|stretch| share(stretch.iter().sum(), STRETCH) <= DIFFERENT_IN_STRETCH)
}

/// How many codes of two sounds that stand side by side say something in both, and the share of their bits that are different.
fn difference(codes: &[u32], others: &[u32]) -> (usize, f64) {
    let (mut compared, mut different) = (0, 0);
    for (left, right) in codes.iter().zip(others) {
        let is_telling = u32::from(*left != 0 && *right != 0);
        compared += is_telling as usize;
        different += (is_telling * (left ^ right).count_ones()) as usize;
    }
    (compared, share(different, compared))
}

/// The smallest share of different bits of a sound and itself a little later.
fn difference_later(codes: &[u32]) -> f64 {
    let beside = LATER.filter_map(|shift| Some(difference(codes, codes.get(shift..)?)));
    beside.filter(|&(compared, _)| compared >= SECOND).map(|(_, different)| different).fold(1.0, f64::min)
}

/// The share of bits of a number of codes.
fn share(bits: usize, codes: usize) -> f64 {
    bits as f64 / (u32::BITS as usize * codes.max(1)) as f64
}

/// The sign of a shift.
const SIGN: u32 = 1 << 31;

/// The seconds of a number of codes.
fn seconds(codes: i64) -> f64 {
    // One division: the nearest number of what is written with three digits.
    (codes * 16) as f64 / 1000.0
}

/// Codes that say something.
fn num_telling(codes: &[u32]) -> usize {
    codes.iter().filter(|&&code| code != 0).count()
}

/// The codes of a sound of `length` that stand beside those of another one in which it starts `shift` codes later.
fn overlap(length: usize, other: usize, shift: i64) -> Range<usize> {
    let start = (-shift).max(0);
    let end = (length as i64).min(other as i64 - shift);
    start as usize..end.max(start) as usize
}

/// If so many codes are enough of two sounds, of which the shorter one has `shorter`.
fn is_enough(codes: usize, shorter: usize) -> bool {
    codes >= SECOND && codes as f64 >= OVERLAP * shorter as f64
}

/// Takes codes that say nothing out of a sorted table.
fn keep_telling(table: &mut Vec<u64>) {
    let (mut start, mut kept) = (0, 0);
    while start < table.len() {
        let code = table[start] >> 32;
        let length = table[start..].iter().take_while(|&entry| entry >> 32 == code).count();
        if code != 0 && length <= MOST_PLACES {
            table.copy_within(start..start + length, kept);
            kept += length;
        }
        start += length;
    }
    table.truncate(kept);
}

/// The results of `work` for all indices, in order.
fn on_threads<T: Send>(
    count: usize,
    threads: usize,
    done: impl Fn(u64) + Sync,
    work: impl Fn(usize) -> Vec<T> + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut results = Vec::new();
        loop {
            let start = next.fetch_add(AT_A_TIME, Ordering::Relaxed);
            if start >= count {
                return results;
            }
            let end = count.min(start + AT_A_TIME);
            let of_part: Vec<T> = (start..end).flat_map(&work).collect();
            done((end - start) as u64);
            if !of_part.is_empty() {
                results.push((start, of_part));
            }
        }
    };
    let mut results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut results = run();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(start, _)| *start);
    results.into_iter().flat_map(|(_, of_part)| of_part).collect()
}

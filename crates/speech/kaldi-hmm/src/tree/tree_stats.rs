//! The statistics from which trees are built.

use std::collections::BTreeMap;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value, frame_by_parsing, write_basic, write_token};

use super::{Event, GaussStats, TreeError};

/// The statistics of each state in each context, from which a tree is built (Kaldi's `BuildTreeStatsType`, the files
/// of `acc-tree-stats`). As text, of class 0 of phone 1 in a window of one phone; 5 frames of one dimension:
///
/// ```text
/// BTS 1 EV 2 -1 0 0 1
/// T GCL 5 0.01  [
///   2.5
///   1.5 ]
///
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeStats {
    entries: Vec<TreeStatsEntry>,
}

/// An event and its statistics, which a file may leave out.
pub(crate) type TreeStatsEntry = (Event, Option<GaussStats>);

impl TreeStats {
    /// The number of events.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of dimensions of the features; 0 if there are no statistics.
    pub fn dim(&self) -> usize {
        self.entries.iter().find_map(|(_, stats)| stats.as_ref()).map_or(0, GaussStats::dim)
    }

    /// The number of frames.
    pub fn count(&self) -> f64 {
        self.entries.iter().flat_map(|(_, stats)| stats).map(GaussStats::count).sum()
    }

    /// The events with their statistics, in the order of the file; `None` if the file leaves them out.
    pub fn iter(&self) -> impl Iterator<Item = (&Event, Option<&GaussStats>)> {
        self.entries.iter().map(|(event, stats)| (event, stats.as_ref()))
    }

    pub(crate) fn entries(&self) -> &[TreeStatsEntry] {
        &self.entries
    }

    /// Checks what building needs: statistics of one dimension, and values of keys that are not negative.
    pub(crate) fn check(&self) -> Result<(), TreeError> {
        let dim = self.dim();
        for (event, stats) in &self.entries {
            if let Some(got) = stats.as_ref().map(GaussStats::dim).filter(|&got| got != dim) {
                return Err(TreeError::Dim { event: event.clone(), expected: dim, got });
            }
            if let Some(&(key, value)) = event.pairs().iter().find(|(_, value)| !(0..MOST_VALUES).contains(value)) {
                return Err(TreeError::Value { event: event.clone(), key, value });
            }
        }
        Ok(())
    }
}

/// Values of keys are below this number: a tree can have a table of as many.
pub(crate) const MOST_VALUES: i32 = 1 << 24;

/// Statistics that grow: of each event those that are added.
#[derive(Clone, Debug, Default)]
pub struct TreeStatsSum {
    sums: BTreeMap<Event, Option<GaussStats>>,
}

impl TreeStatsSum {
    /// The statistics of an event, to which frames are added; `empty` makes them if there are none yet.
    pub fn entry(&mut self, event: Event, empty: impl Fn() -> GaussStats) -> &mut GaussStats {
        self.sums.entry(event).or_default().get_or_insert_with(empty)
    }

    /// Adds the statistics of each event to those of the same event.
    ///
    /// # Errors
    /// If the numbers of dimensions of an event differ.
    pub fn add(&mut self, stats: TreeStats) -> Result<(), TreeError> {
        for (event, stats) in stats.entries {
            match self.sums.get_mut(&event) {
                Some(Some(sum)) => {
                    let Some(stats) = stats else { continue };
                    if sum.dim() != stats.dim() {
                        return Err(TreeError::Dim { event, expected: sum.dim(), got: stats.dim() });
                    }
                    sum.add(&stats);
                }
                Some(sum) => *sum = stats,
                None => drop(self.sums.insert(event, stats)),
            }
        }
        Ok(())
    }

    /// The statistics, in the order of their events.
    pub fn into_stats(self) -> TreeStats {
        TreeStats { entries: self.sums.into_iter().collect() }
    }
}

impl FromIterator<(Event, GaussStats)> for TreeStats {
    fn from_iter<I: IntoIterator<Item = (Event, GaussStats)>>(entries: I) -> Self {
        Self { entries: entries.into_iter().map(|(event, stats)| (event, Some(stats))).collect() }
    }
}

impl Value for TreeStats {
    const NAME: &'static str = "tree statistics";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        if at_end || window.first() == Some(&0) {
            return frame_by_parsing::<Self>(window, at_end);
        }
        let mut cursor = Cursor::new_open(window);
        match read_entries(&mut cursor, GaussStats::skip_text) {
            Ok(_) => Ok(Frame::Whole(cursor.offset())),
            Err(error) if error.at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
            Err(error) => Err(error),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Ok(Self { entries: read_entries(cursor, GaussStats::read_part)? })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        write_token(out, b"BTS");
        write_basic(out, format, self.entries.len() as u32);
        for (event, stats) in &self.entries {
            event.write_part(out, format);
            write_basic(out, format, stats.is_some());
            if let Some(stats) = stats {
                stats.write_part(out, format);
            }
        }
        format.end_line(out);
    }
}

/// Reads everything; `stats` reads the statistics of an event.
fn read_entries<T>(
    cursor: &mut Cursor<'_>,
    stats: impl Fn(&mut Cursor<'_>) -> Result<T, ParseError>,
) -> Result<Vec<(Event, Option<T>)>, ParseError> {
    cursor.read_marker()?;
    cursor.expect_token("BTS")?;
    let count: u32 = cursor.read_basic()?;
    let mut entries = Vec::new();
    for _ in 0..count {
        let event = Event::read_part(cursor)?;
        let is_there: bool = cursor.read_basic()?;
        entries.push((event, is_there.then(|| stats(cursor)).transpose()?));
    }
    if !cursor.is_binary() {
        cursor.skip_line_end()?;
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::testing::{keeps_the_contract_of_parsed, refuses};

    fn entry(pairs: &[(i32, i32)], frames: &[f32]) -> (Event, GaussStats) {
        let mut stats = GaussStats::new(1, 0.01);
        frames.iter().for_each(|&frame| stats.add_frame(&[frame]));
        (Event::new(pairs.to_vec()), stats)
    }

    #[test]
    fn statistics_keep_the_contract() {
        keeps_the_contract_of_parsed(|random| {
            let entries = random.many(3, |random| {
                let event = Event::new(random.many(3, |random| (random.integer(), random.integer())));
                let dim = random.below(3);
                let mut stats = GaussStats::new(dim, 0.5);
                for _ in 0..random.below(3) {
                    stats.add_frame(&vec![random.below(16) as f32 / 4.0; dim]);
                }
                (event, stats)
            });
            entries.into_iter().collect::<TreeStats>()
        });
    }

    #[test]
    fn statistics_are_written_as_kaldi_does() {
        let stats: TreeStats = [entry(&[(-1, 0), (0, 1)], &[0.5, 2.0])].into_iter().collect();
        let text = "BTS 1 EV 2 -1 0 0 1 \nT GCL 2 0.01  [\n  2.5 \n  4.25 ]\n\n";
        assert_eq!(String::from_utf8(stats.to_bytes(Format::Text)).unwrap(), text);
        let binary = stats.to_bytes(Format::Binary);
        assert!(binary.starts_with(b"\0BBTS \xfc\x01\0\0\0EV \xfc\x02\0\0\0\x04\xff\xff\xff\xff\x04\0\0\0\0"));
        assert_eq!((stats.len(), stats.dim(), stats.count()), (1, 1, 2.0));
    }

    #[test]
    fn damaged_statistics_are_refused() {
        refuses::<TreeStats>(b"BTS 1 EV 2 0 1 0 2 \nF \n", 15, "expected a key over 0, got 0");
        refuses::<TreeStats>(b"BTS 4000000000 EV 0 F ", 22, "expected token \"EV\", got the end of the input");
        let message = "expected sums and sums of squares in 2 rows, got 1 rows";
        refuses::<TreeStats>(b"BTS 1 EV 0 T GCL 1 1  [\n 1 ]\n", 20, message);
    }

    #[test]
    fn sums_are_sorted_by_event() {
        let mut sum = TreeStatsSum::default();
        let stats = |entries: &[(Event, GaussStats)]| entries.iter().cloned().collect::<TreeStats>();
        sum.add(stats(&[entry(&[(0, 2)], &[1.0]), entry(&[(0, 1)], &[2.0])])).unwrap();
        sum.add(stats(&[entry(&[(0, 2)], &[3.0])])).unwrap();
        let expected = stats(&[entry(&[(0, 1)], &[2.0]), entry(&[(0, 2)], &[1.0, 3.0])]);
        assert_eq!(sum.clone().into_stats(), expected);
        let other = (Event::new(vec![(0, 1)]), GaussStats::new(2, 0.01));
        let error = sum.add(stats(&[other])).unwrap_err().to_string();
        assert_eq!(error, "event 0:1: expected statistics of dimension 1, got dimension 2");
    }
}

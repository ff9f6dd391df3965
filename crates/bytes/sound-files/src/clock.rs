//! When packets start, as containers with times say it: a packet that is late follows sound that is missing.

use crate::fault::SoundFault;

/// The times of packets, in nanoseconds.
#[derive(Debug)]
pub(crate) struct Clock {
    /// Packets that have a time: number and time.
    pub(crate) times: Vec<(usize, i64)>,
    /// What times are multiples of.
    pub(crate) unit: i64,
    /// When the first packet may start at the latest.
    pub(crate) latest_start: i64,
    /// When the last packet ends, if the container says so.
    pub(crate) end: Option<i64>,
}

impl Clock {
    pub(crate) fn check(self, sample_rate: u32) -> ClockCheck {
        let Self { times, unit, latest_start, end } = self;
        let start = (latest_start, 0);
        ClockCheck { times: times.into_iter().peekable(), sample_rate, unit, end, next: start, late: None }
    }
}

/// Compares times with the lengths of packets.
pub(crate) struct ClockCheck {
    times: std::iter::Peekable<std::vec::IntoIter<(usize, i64)>>,
    sample_rate: u32,
    unit: i64,
    end: Option<i64>,
    /// When the next packet should start, and how long the last one is.
    next: (i64, i64),
    late: Option<SoundFault>,
}

impl ClockCheck {
    /// A packet comes that lasts `count` samples, or at most so many.
    pub(crate) fn packet(&mut self, index: usize, offset: u64, count: u64, is_exact: bool) {
        let mut start = self.next.0;
        if let Some((_, time)) = self.times.next_if(|(number, _)| *number == index) {
            let what = if index == 0 { "the first packet" } else { "the next packet" };
            self.compare(time, offset, what);
            // A stream may have been taken out of a film, in which it started later.
            if index == 0 {
                self.late.iter_mut().for_each(|late| late.is_doubt = true);
            }
            start = time;
        }
        let length = i128::from(count) * 1_000_000_000 / i128::from(self.sample_rate.max(1));
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        self.next = (start.saturating_add(length), if is_exact { length } else { 0 });
    }

    /// Returns where packets are missing first, if any are; the file has `total` bytes.
    pub(crate) fn finish(mut self, total: u64) -> Option<SoundFault> {
        if let Some(end) = self.end {
            self.compare(end, total, "the end");
        }
        self.late
    }

    fn compare(&mut self, time: i64, offset: u64, what: &str) {
        let (expected, length) = self.next;
        let is_late = time.saturating_sub(expected) > self.unit.saturating_add(length / 2);
        if is_late && self.late.as_ref().is_none_or(|late| late.is_doubt) {
            let seconds = |time: i64| time as f64 / 1e9;
            let (expected, found) = (seconds(expected), seconds(time));
            let message = format!("expected {what} at {expected:.3} s, found it at {found:.3} s: sound is missing");
            self.late = Some(SoundFault::new(offset, message));
        }
    }
}

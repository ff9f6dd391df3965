//! What was measured, as JSON, and which rows became slower since.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A row whose median is larger by more than this factor is slower.
const SLOWER: f64 = 1.03;

/// All rows of a run of the benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// The name of the processor.
    pub processor: String,
    /// How many processors there are.
    pub processors: usize,
    pub rounds: u32,
    pub rows: Vec<Row>,
}

/// What a job took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    /// User and system time.
    pub cpu: Times,
    /// Time on the clock.
    pub wall: Times,
    /// The processor time of Kaldi's program, or of another one that the job is compared with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rival_cpu: Option<Times>,
}

/// The times of all rounds, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    pub median: f64,
    pub min: f64,
    /// The longest time without the shortest.
    pub spread: f64,
}

impl Times {
    /// Sums up what was measured.
    ///
    /// # Panics
    /// If nothing was.
    pub fn of(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.into_iter().map(|time| time.as_secs_f64()).collect();
        times.sort_by(f64::total_cmp);
        let (min, max) = (times[0], times[times.len() - 1]);
        let median = (times[times.len() / 2] + times[(times.len() - 1) / 2]) / 2.0;
        Self { median, min, spread: max - min }
    }

    /// A line, if these times are longer than `old` ones.
    fn slower_than(&self, old: &Self, name: &str, kind: &str) -> Option<String> {
        (self.median > SLOWER * old.median).then(|| {
            let seconds = |times: &Self| format!("{:.4} s (spread {:.4} s)", times.median, times.spread);
            let more = 100.0 * (self.median / old.median - 1.0);
            format!("{name}: {more:.0} % more {kind}: {}, was {}", seconds(self), seconds(old))
        })
    }
}

impl Baseline {
    /// Reads what [`Self::to_json`] wrote.
    ///
    /// # Errors
    /// If it is something else: a line that says what and where.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("expected the JSON of scripts/bench.sh --json: {error}"))
    }

    /// The file.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("numbers and names have a JSON form");
        text.push('\n');
        text
    }

    /// A line for each row that is slower than an `old` one, by processor time or on the clock.
    pub fn slower_than(&self, old: &Self) -> Vec<String> {
        let pairs = self.rows.iter().filter_map(|row| Some((row, old.rows.iter().find(|old| old.name == row.name)?)));
        let lines = pairs.flat_map(|(row, old)| {
            [
                row.cpu.slower_than(&old.cpu, &row.name, "processor time"),
                row.wall.slower_than(&old.wall, &row.name, "time on the clock"),
            ]
        });
        lines.flatten().collect()
    }

    /// What makes a comparison with `old` worth less, a line each.
    pub fn doubts(&self, old: &Self) -> Vec<String> {
        let machine = |run: &Self| format!("{} processors, {}", run.processors, run.processor);
        let mut lines = Vec::new();
        if machine(self) != machine(old) {
            lines.push(format!("the machine is another one: {}, was {}", machine(self), machine(old)));
        }
        let has = |run: &Self, name: &str| run.rows.iter().any(|row| row.name == name);
        let new = self.rows.iter().filter(|row| !has(old, &row.name)).count();
        let gone = old.rows.iter().filter(|row| !has(self, &row.name)).count();
        if new + gone > 0 {
            lines.push(format!("rows in only one of the two: {new} of this run, {gone} of the other"));
        }
        lines
    }
}

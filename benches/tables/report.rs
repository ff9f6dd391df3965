//! The Markdown table.

use std::fs;
use std::time::Duration;

use crate::job::{Goal, Job};
use crate::measure::Cost;

/// Everything that was measured.
pub struct Report<'a> {
    /// `cat` of the matrices to nowhere and to a file.
    pub cats: [Option<Cost>; 2],
    pub rows: Vec<Row<'a>>,
    pub start: Option<Duration>,
    pub kaldis_start: Option<Duration>,
    /// The size of the program in bytes.
    pub size: u64,
    pub rounds: u32,
}

/// What a job cost us and another program, and what the job is compared with; `None` if that was not measured.
pub struct Row<'a> {
    pub job: &'a Job,
    pub yardstick: Option<Cost>,
    pub ours: Option<Cost>,
    pub theirs: Option<Cost>,
}

const COLUMNS: [&str; 9] =
    ["job", "CPU", "clock", "compared with", "its CPU", "its clock", "CPU compared", "goal", "`cat` of the bytes"];

fn print(cells: &[String; 9]) {
    println!("| {} |", cells.join(" | "));
}

impl Report<'_> {
    pub fn print(&self) {
        print(&COLUMNS.map(ToOwned::to_owned));
        print(&COLUMNS.map(|_| "---".to_owned()));
        self.rows.iter().filter_map(|row| Some((row, row.ours?))).for_each(|(row, ours)| self.print_row(row, ours));
        let milliseconds = |time: Option<Duration>| {
            time.map_or_else(String::new, |time| format!("{:.1} ms", 1e3 * time.as_secs_f64()))
        };
        let mut cells = [const { String::new() }; 9];
        cells[0] = "start of a tool (`--help`), mean of 200".to_owned();
        cells[2] = milliseconds(self.start);
        cells[5] = milliseconds(self.kaldis_start);
        cells[7] = "1.5 ms".to_owned();
        print(&cells);
        println!();
        let row = |name| self.rows.iter().find(|row| row.job.name == name).and_then(|row| row.ours);
        for name in ["matrices, binary to binary file", "word errors of 20,000 sentences of 30 words"] {
            if let Some(cost) = row(name) {
                println!("Peak memory of {name:?}: {:.1} MB.", cost.peak_kb as f64 / 1024.0);
            }
        }
        println!("Size of the program: {:.1} MB.", self.size as f64 / 1e6);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        println!("Measured on {processors} processors, {}; best of {} rounds.", processor(), self.rounds);
    }

    /// A line for each program that a job is compared with.
    fn print_row(&self, row: &Row<'_>, ours: Cost) {
        let job = row.job;
        let rival = row.theirs.map(|cost| (job.rival.name(), cost, format!("{:.2} times as long", ratio(cost, ours))));
        let yardstick = job.yardstick.zip(row.yardstick);
        let yardstick = yardstick.map(|(it, cost)| (it.name(), cost, format!("{:.2} of it", ratio(ours, cost))));
        let goal = match job.goal {
            Some(Goal::Faster(times)) => format!("{times} times"),
            Some(Goal::AtMost(multiple)) => format!("{multiple} of it"),
            None => String::new(),
        };
        let bytes = self.time_of_cat(ours).map_or_else(String::new, seconds);
        let cells = |name: &str, other: [String; 2], compared: String, goal: &str| {
            let [cpu, wall] = other;
            [
                job.name.clone(),
                seconds(ours.cpu),
                seconds(ours.wall),
                name.to_owned(),
                cpu,
                wall,
                compared,
                goal.to_owned(),
                bytes.clone(),
            ]
        };
        let compared: Vec<_> = yardstick.into_iter().chain(rival).collect();
        if compared.is_empty() {
            print(&cells("", Default::default(), String::new(), ""));
        }
        for (index, (name, cost, text)) in compared.into_iter().enumerate() {
            let goal = if index == 0 { &goal } else { "" };
            print(&cells(name, [cost.cpu, cost.wall].map(seconds), text, goal));
        }
    }

    /// The processor time that `cat` would take to read and write what a job reads and leaves behind: a bound for it.
    fn time_of_cat(&self, cost: Cost) -> Option<Duration> {
        let [nowhere, file] = self.cats;
        let (nowhere, file) = (nowhere?, file?);
        let a_byte_read = nowhere.cpu.as_secs_f64() / nowhere.read as f64;
        let a_byte_written = (file.cpu.saturating_sub(nowhere.cpu)).as_secs_f64() / file.left as f64;
        Some(Duration::from_secs_f64(a_byte_read * cost.read as f64 + a_byte_written * cost.left as f64))
    }
}

fn ratio(cost: Cost, to: Cost) -> f64 {
    cost.cpu.as_secs_f64() / to.cpu.as_secs_f64()
}

fn seconds(time: Duration) -> String {
    let time = time.as_secs_f64();
    let digits = if time < 0.1 { 4 } else { 3 };
    format!("{time:.digits$} s")
}

/// The processor's name.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown processor").to_owned()
}

//! The Markdown table.

use std::fs;
use std::time::Duration;

use crate::jobs::{Job, Yardstick};
use crate::measure::Cost;

/// Everything that was measured.
pub struct Report<'a> {
    /// In the order of [`Yardstick`].
    pub yardsticks: Vec<Option<Cost>>,
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

impl Report<'_> {
    pub fn print(&self) {
        let with_others = self.kaldis_start.is_some() || self.rows.iter().any(|row| row.theirs.is_some());
        let columns: &[&str] = match with_others {
            true => &["job", "CPU", "goal", "wall", "goal", "Kaldi, CPU", "Kaldi, wall", "CPU / Kaldi's"],
            false => &["job", "CPU", "goal", "wall", "goal"],
        };
        let print = |cells: &[String]| println!("| {} |", cells[..columns.len()].join(" | "));
        print(&columns.iter().map(ToString::to_string).collect::<Vec<_>>());
        print(&columns.iter().map(|_| "---".to_owned()).collect::<Vec<_>>());
        for row in &self.rows {
            let Row { job, ours, theirs, .. } = row;
            let (our_cpu, our_wall) = row.ratios(*ours);
            let (their_cpu, their_wall) = row.ratios(*theirs);
            let goal = |goal: Option<f64>| goal.map_or_else(String::new, |goal| with_unit(goal, job.yardstick));
            let part = ours.zip(*theirs).map(|(ours, theirs)| ours.cpu.as_secs_f64() / theirs.cpu.as_secs_f64());
            let part = part.map_or_else(String::new, |part| format!("{part:.2}"));
            print(&[
                job.name.clone(),
                our_cpu,
                goal(job.goals.0),
                our_wall,
                goal(job.goals.1),
                their_cpu,
                their_wall,
                part,
            ]);
        }
        let milliseconds = |time: Duration| format!("{:.1} ms", 1e3 * time.as_secs_f64());
        let none = String::new;
        print(&[
            "start of a tool (`--help`), mean of 200".into(),
            none(),
            none(),
            self.start.map_or_else(none, milliseconds),
            "1.0 ms".into(),
            none(),
            self.kaldis_start.map_or_else(none, milliseconds),
            none(),
        ]);
        println!();
        let is_copy = |job: &Job| job.yardstick == Yardstick::CatToFile && job.tool == "copy-matrix";
        if let Some(copy) = self.rows.iter().find(|row| is_copy(row.job)).and_then(|row| row.ours) {
            let memory = format!("{:.1} MB", copy.peak_kb as f64 / 1024.0);
            println!("Peak memory of the sequential binary copy: {memory} (goal: 24 MB and a few entries).");
        }
        let errors = self.rows.iter().find(|row| row.job.tool == "compute-wer");
        if let Some(errors) = errors.and_then(|row| row.ours) {
            println!("Peak memory of the word errors: {:.1} MB.", errors.peak_kb as f64 / 1024.0);
        }
        println!("Size of the program: {:.1} MB (goal: 20 MB).", self.size as f64 / 1e6);
        let [Some(unit), Some(cat_to_file), Some(cat_to_null), Some(cp), ..] = self.yardsticks[..] else { return };
        println!(
            "U = {:.2} s of CPU time (`wc -w`); `cat in > out` {:.3} s, `cat in > /dev/null` {:.3} s, `cp` {:.3} s.",
            unit.cpu.as_secs_f64(),
            cat_to_file.wall.as_secs_f64(),
            cat_to_null.wall.as_secs_f64(),
            cp.wall.as_secs_f64()
        );
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        println!("Measured on {processors} processors, {}; best of {} rounds.", processor(), self.rounds);
    }
}

impl Row<'_> {
    /// CPU time and time on the clock as multiples of the yardstick, or a dash where nothing was measured.
    fn ratios(&self, cost: Option<Cost>) -> (String, String) {
        let Some((cost, yardstick)) = cost.zip(self.yardstick) else {
            return ("–".into(), "–".into());
        };
        let kind = self.job.yardstick;
        let show = |time: Duration, one: Duration| with_unit(time.as_secs_f64() / one.as_secs_f64(), kind);
        let one = if kind == Yardstick::Unit { yardstick.cpu } else { yardstick.wall };
        (show(cost.cpu, yardstick.cpu), show(cost.wall, one))
    }
}

fn with_unit(ratio: f64, yardstick: Yardstick) -> String {
    let digits = if ratio < 0.1 { 3 } else { 2 };
    format!("{ratio:.digits$} {}", yardstick.name())
}

/// The processor's name.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    line.and_then(|line| line.split(": ").nth(1)).unwrap_or("unknown processor").to_owned()
}

//! Commands in pieces: what `table-jobs` takes beside the command itself.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::measure::{Cost, Run};

/// What is measured: its name, and its goal.
const ROWS: [(&str, &str); 5] = [
    ("pieces: 8 on this machine, more than the whole run", "0.3 s"),
    ("pieces: the plan of 10 million lines", "2 s, 50 MB"),
    ("pieces: the plan of 10 million lines by bytes", "4 s, 50 MB"),
    ("pieces: the same command when all are done", "0.2 s"),
    ("pieces: 2000 matrices in 8 pieces on Slurm (if there is one)", "3 s"),
];

/// Measures the rows with `wanted` in their names, and prints them.
pub fn print(tools: &Path, dir: &Path, wanted: &str, rounds: u32) {
    let is_wanted = |row: usize| ROWS[row].0.to_lowercase().contains(wanted);
    if !tools.join("table-jobs").exists() || !(0..ROWS.len()).any(is_wanted) {
        return;
    }
    if is_wanted(1) || is_wanted(2) {
        write_long_list(&dir.join("long.scp")).expect("the data can be written");
    }
    let copy = tools.join("copy-matrix").display().to_string();
    let run = |options: &str| {
        let words: Vec<&'static str> =
            format!("{options} -- {copy}").leak().split(' ').filter(|word| !word.is_empty()).collect();
        move |tables: &'static str| {
            let words: Vec<&'static str> = words.iter().copied().chain(tables.split(' ')).collect();
            Run::new(tools.join("table-jobs"), words.leak())
        }
    };
    let matrices = "scp:shuffled.scp ark,scp:copies/p.ark,copies/p.scp";
    let best = |run: Run| (0..rounds).map(|_| run.measure(dir)).reduce(Cost::min).expect("there is a round");
    let seconds = |cost: Cost| cost.wall.as_secs_f64();
    let plan = |cost: Cost| format!("{:.2} s, {:.0} MB", seconds(cost), cost.peak_kb as f64 / 1e3);
    let measure = |row: usize| match row {
        0 => {
            let whole =
                best(Run::new(tools.join("copy-matrix"), &["scp:shuffled.scp", "ark,scp:copies/p.ark,copies/p.scp"]));
            let pieces = best(run("--nj=8 --dir=copies/jobs")(matrices));
            format!("{:.2} s ({:.2} s and {:.2} s)", seconds(pieces) - seconds(whole), seconds(pieces), seconds(whole))
        }
        1 => plan(best(run("--nj=1000 --dry-run --dir=copies/jobs")("scp:long.scp ark:copies/l.ark"))),
        2 => plan(best(run("--nj=1000 --by=bytes --dry-run --dir=copies/jobs")("scp:long.scp ark:copies/l.ark"))),
        3 => {
            let again = run("--nj=8 --dir=jobs.done")("scp:shuffled.scp ark,scp:done.ark,done.scp");
            again.measure(dir);
            format!("{:.3} s", seconds(best(again)))
        }
        _ => format!("{:.2} s", seconds(best(run("--nj=8 --engine=slurm --dir=copies/jobs")(matrices)))),
    };
    println!("| job | wall | goal |\n| --- | --- | --- |");
    for row in (0..ROWS.len()).filter(|row| is_wanted(*row) && (*row < 4 || has_slurm())) {
        println!("| {} | {} | {} |", ROWS[row].0, measure(row), ROWS[row].1);
    }
    println!();
}

/// Whether a controller answers.
fn has_slurm() -> bool {
    let mut ask = Command::new("squeue");
    ask.arg("-h").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

/// A script file of 10 million lines.
fn write_long_list(path: &Path) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for index in 0..10_000_000_u64 {
        writeln!(file, "utterance-{index:08} exp/feats/raw.{}.ark:{}", index / 100_000, 18 + index % 100_000 * 31_000)?;
    }
    file.flush()
}

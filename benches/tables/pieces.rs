//! Commands in pieces: what `table-jobs` takes beside the command itself.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::measure::{Bench, Cost, Run};

/// What is measured: its name, and its goal.
const ROWS: [(&str, &str); 5] = [
    ("pieces: 8 on this machine, more than the whole run", "0.3 s"),
    ("pieces: the plan of 10 million lines", "2 s, 50 MB"),
    ("pieces: the plan of 10 million lines by bytes", "4 s, 50 MB"),
    ("pieces: the same command when all are done", "0.2 s"),
    ("pieces: 2000 matrices in 8 pieces on Slurm (if there is one)", "3 s"),
];

/// Measures the wanted rows, and prints them.
pub fn print(bench: &Bench) {
    let is_wanted = |row: usize| bench.is_wanted(ROWS[row].0);
    let tools = &bench.tools;
    if !tools.join("table-jobs").exists() || !(0..ROWS.len()).any(is_wanted) {
        return;
    }
    if is_wanted(1) || is_wanted(2) {
        let lines = bench.size.pick(10_000_000, 10_000);
        write_long_list(&bench.dir.join("long.scp"), lines).expect("the data can be written");
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
    let seconds = |cost: Cost| cost.wall.as_secs_f64();
    let plan = |cost: Cost| format!("{:.2} s, {:.0} MB", seconds(cost), cost.peak_kb as f64 / 1e3);
    let measure = |row: usize| {
        let best = |run: Run| bench.best(ROWS[row].0, &run);
        Some(match row {
            0 => {
                let whole = ["scp:shuffled.scp", "ark,scp:copies/p.ark,copies/p.scp"];
                let whole = seconds(best(Run::new(tools.join("copy-matrix"), &whole))?);
                let pieces = seconds(best(run("--nj=8 --dir=copies/jobs")(matrices))?);
                format!("{:.2} s ({pieces:.2} s and {whole:.2} s)", pieces - whole)
            }
            1 => plan(best(run("--nj=1000 --dry-run --dir=copies/jobs")("scp:long.scp ark:copies/l.ark"))?),
            2 => plan(best(run("--nj=1000 --by=bytes --dry-run --dir=copies/jobs")("scp:long.scp ark:copies/l.ark"))?),
            3 => {
                let again = run("--nj=8 --dir=jobs.done")("scp:shuffled.scp ark,scp:done.ark,done.scp");
                bench.measure(ROWS[row].0, &again)?;
                format!("{:.3} s", seconds(best(again)?))
            }
            _ => format!("{:.2} s", seconds(best(run("--nj=8 --engine=slurm --dir=copies/jobs")(matrices))?)),
        })
    };
    println!("| job | wall | goal |\n| --- | --- | --- |");
    for row in (0..ROWS.len()).filter(|row| is_wanted(*row) && (*row < 4 || has_slurm())) {
        if let Some(shown) = measure(row) {
            println!("| {} | {shown} | {} |", ROWS[row].0, ROWS[row].1);
        }
    }
    println!();
}

/// Whether a controller answers.
fn has_slurm() -> bool {
    let mut ask = Command::new("squeue");
    ask.arg("-h").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}

/// A script file of many lines.
fn write_long_list(path: &Path, lines: u64) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for index in 0..lines {
        writeln!(file, "utterance-{index:08} exp/feats/raw.{}.ark:{}", index / 100_000, 18 + index % 100_000 * 31_000)?;
    }
    file.flush()
}

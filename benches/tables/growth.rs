//! Tables of more and more entries: time and memory of each entry should stay the same.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::measure::{Bench, Cost, Run};

/// Numbers of entries.
const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];

/// As many tables, to see whether a row fails.
const SMALL_SIZES: [u64; 4] = [10, 20, 30, 40];

/// What is measured: its name, the tool, and its arguments.
const ROWS: [(&str, &str, &str); 7] = [
    ("growth: copy by a shuffled script file", "copy-matrix", "scp:g.shuffled.scp ark:-"),
    ("growth: sort a shuffled script file", "table-sort", "g.shuffled.scp out"),
    ("growth: shuffle a script file", "table-shuffle", "g.scp out"),
    ("growth: split a list into 8 parts", "table-split", "--parts=8 g.scp copies/%d.scp"),
    ("growth: check a script file and its values", "table-check", "scp:g.scp"),
    ("growth: random access by a script file", "matrix-sum", "scp:g.shuffled.scp scp:g.scp ark:-"),
    ("growth: --utt2spk", "apply-cmvn", "--utt2spk=ark:g.utt2spk ark:g.cmvn.ark scp:g.scp ark:-"),
];

/// Utterances of each speaker.
const SPEAKER: u64 = 40;

/// Measures the wanted rows once, and prints them.
pub fn print(bench: &Bench) {
    let is_wanted = |row: &&(&str, &str, &str)| bench.is_wanted(row.0) && bench.tools.join(row.1).exists();
    let rows: Vec<_> = ROWS.iter().filter(is_wanted).collect();
    if rows.is_empty() {
        return;
    }
    let sizes = bench.size.pick(SIZES, SMALL_SIZES);
    let mut costs = vec![Vec::new(); rows.len()];
    for size in sizes {
        if bench.note("growth: data", write(bench, size)).is_none() {
            return;
        }
        for (costs, (name, tool, arguments)) in costs.iter_mut().zip(&rows) {
            let arguments: Vec<&'static str> = arguments.split(' ').collect();
            costs.extend(bench.measure(name, &Run::new(bench.tools.join(tool), arguments.leak())));
        }
    }
    println!("| job | {} entries | an entry |", sizes.map(|size| size.to_string()).join(" | "));
    println!("| --- | --- | --- | --- | --- | --- |");
    for ((name, ..), costs) in rows.iter().zip(&costs).filter(|(_, costs)| costs.len() == sizes.len()) {
        let cell = |cost: &Cost| format!("{:.2} s, {:.0} MB", cost.cpu.as_secs_f64(), cost.peak_kb as f64 / 1e3);
        let cells: Vec<String> = costs.iter().map(cell).collect();
        println!("| {name} | {} | {} |", cells.join(" | "), of_an_entry(sizes, costs));
    }
    println!();
}

/// Processor time and memory that each entry adds, between the smallest and the largest table.
fn of_an_entry(sizes: [u64; 4], costs: &[Cost]) -> String {
    let (first, last) = (costs[0], costs[costs.len() - 1]);
    let entries = (sizes[sizes.len() - 1] - sizes[0]) as f64;
    let time = (last.cpu.as_secs_f64() - first.cpu.as_secs_f64()) / entries;
    let memory = 1024.0 * (last.peak_kb as f64 - first.peak_kb as f64) / entries;
    format!("{:.2} µs, {:.0} bytes", 1e6 * time, memory.max(0.0))
}

/// An archive of matrices of one row, its script file, that file in another order, and speakers with their statistics.
fn write(bench: &Bench, size: u64) -> Result<(), String> {
    write_tables(&bench.dir, size).map_err(|error| error.to_string())?;
    Run::new(bench.tools.join("table-shuffle"), &["g.scp", "g.shuffled.scp"]).measure(&bench.dir).map(|_| ())
}

fn write_tables(dir: &Path, size: u64) -> std::io::Result<()> {
    let create = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
    let (mut archive, mut script, mut utt2spk) = (create("g.ark")?, create("g.scp")?, create("g.utt2spk")?);
    let mut offset = 0;
    for index in 0..size {
        let key = format!("utterance-{index:08} ");
        writeln!(script, "{key}g.ark:{}", offset + key.len() as u64)?;
        writeln!(utt2spk, "{key}speaker-{:07}", index / SPEAKER)?;
        let value = (index % 100) as f32;
        let mut entry = [key.as_bytes(), b"\0BFM \x04\x01\0\0\0\x04\x02\0\0\0"].concat();
        entry.extend([value, -value].into_iter().flat_map(f32::to_le_bytes));
        archive.write_all(&entry)?;
        offset += entry.len() as u64;
    }
    let mut statistics = create("g.cmvn.ark")?;
    for speaker in 0..size.div_ceil(SPEAKER) {
        writeln!(statistics, "speaker-{speaker:07}  [\n  40 80 40\n  800 1600 0 ]")?;
    }
    [archive, script, utt2spk, statistics].iter_mut().try_for_each(Write::flush)
}

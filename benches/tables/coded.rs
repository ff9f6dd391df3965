//! Coded sound to features, beside FFmpeg, which only decodes; and data directories of many files.
//!
//! One file of 20 minutes, so that the start of FFmpeg (0.05 s) is a small part. Each program has one thread.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::corpus::utterance;
use crate::measure::{Bench, Cost, Run, Size};
use crate::voice;

/// What is measured: its name, the file, how FFmpeg makes it of the recording, and the options of the tool.
const ROWS: [(&str, &str, &[&str], &[&str]); 3] = [
    ("coded: MP3 of 16 kHz to 80 filter banks", "long.mp3", &["-c:a", "libmp3lame", "-b:a", "64k"], &[]),
    (
        "coded: MP3 of 44.1 kHz in two channels to 80 filter banks of 16 kHz",
        "stereo.mp3",
        &["-ar", "44100", "-ac", "2", "-c:a", "libmp3lame", "-b:a", "128k"],
        &["--allow-downsample=true", "--channel=0"],
    ),
    (
        "coded: Opus to 80 filter banks of 16 kHz",
        "long.opus",
        &["-c:a", "libopus", "-b:a", "32k"],
        &["--allow-downsample=true"],
    ),
];

/// The processor time of FFmpeg is multiplied by this.
const GOAL: f64 = 0.7;

const DIRECTORY: &str = "make-data-dir of 100,000 files";

/// Measures the wanted rows, and prints them.
pub fn print(bench: &Bench) {
    let tool = bench.tools.join("compute-fbank-feats");
    let rows: Vec<_> = ROWS.iter().filter(|row| bench.is_wanted(row.0) && tool.exists()).collect();
    if !rows.is_empty() && !has_ffmpeg() {
        for (name, ..) in &rows {
            println!("Not measured, since there is no ffmpeg: {name}.");
        }
        println!();
    } else if !rows.is_empty() {
        write_recording(&bench.dir, bench.size).expect("the data can be written");
        println!("| job | features, CPU | `ffmpeg`, decoding, CPU | part | goal |\n| --- | --- | --- | --- | --- |");
        for (name, file, encoding, options) in rows {
            if let Some((ours, theirs)) = beside_ffmpeg(bench, name, file, encoding, options) {
                println!("{}", line(name, ours, theirs));
            }
        }
        println!();
    }
    print_directory(bench);
}

fn has_ffmpeg() -> bool {
    let mut version = Command::new("ffmpeg");
    version.arg("-version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    version.status().is_ok_and(|status| status.success())
}

/// What the features cost, and what decoding costs FFmpeg, in turns.
fn beside_ffmpeg(
    bench: &Bench,
    name: &str,
    file: &'static str,
    encoding: &[&'static str],
    options: &[&'static str],
) -> Option<(Cost, Cost)> {
    let ffmpeg = |arguments: &[&'static str]| {
        Run::new("ffmpeg".into(), &[&["-v", "error", "-nostdin", "-y", "-threads", "1"], arguments].concat())
    };
    bench.measure(name, &ffmpeg(&[&["-i", "long.wav"], encoding, &[file]].concat()))?;
    fs::write(bench.dir.join("coded.scp"), format!("long {file}\n")).expect("the data can be written");
    let theirs = ffmpeg(&["-i", file, "-c:a", "pcm_s16le", "-f", "wav", "/dev/null"]);
    let tables = ["--num-threads=1", "--num-mel-bins=80", "scp:coded.scp", "ark:/dev/null"];
    let ours = Run::new(bench.tools.join("compute-fbank-feats"), &[options, &tables].concat());
    let costs = (0..bench.rounds).map(|_| Some((bench.measure(name, &ours)?, bench.measure(name, &theirs)?)));
    let costs: Option<Vec<(Cost, Cost)>> = costs.collect();
    costs?.into_iter().reduce(|best, cost| (best.0.min(cost.0), best.1.min(cost.1)))
}

fn line(name: &str, ours: Cost, theirs: Cost) -> String {
    let [ours, theirs] = [ours, theirs].map(|cost| cost.cpu.as_secs_f64());
    let mark = if ours <= GOAL * theirs { "met" } else { "missed" };
    format!("| {name} | {ours:.2} s | {theirs:.2} s | {:.2} | {GOAL}: {mark} |", ours / theirs)
}

/// `long.wav`: 20 minutes of a voice at 16 kHz.
fn write_recording(dir: &Path, size: Size) -> std::io::Result<()> {
    let minutes = size.pick(20, 1);
    let samples: Vec<i16> = (0..minutes).flat_map(|seed| utterance(seed, 60.0)).collect();
    fs::write(dir.join("long.wav"), voice::wave_file(&samples))
}

/// The time of a folder of as many files in 1000 folders.
fn print_directory(bench: &Bench) {
    let tool = bench.tools.join("make-data-dir");
    if !bench.is_wanted(DIRECTORY) || !tool.exists() {
        return;
    }
    write_folder(&bench.dir, bench.size).expect("the data can be written");
    let run = Run::new(tool, &["many", "copies/data"]);
    if let Some(cost) = bench.best(DIRECTORY, &run) {
        let [wall, cpu] = [cost.wall, cost.cpu].map(|time| time.as_secs_f64());
        let mark = if wall <= 3.0 { "met" } else { "missed" };
        println!("| job | wall | CPU | memory | goal |\n| --- | --- | --- | --- | --- |");
        println!("| {DIRECTORY} | {wall:.2} s | {cpu:.2} s | {:.0} MB | 3 s: {mark} |\n", cost.peak_kb as f64 / 1e3);
    }
}

fn write_folder(dir: &Path, size: Size) -> std::io::Result<()> {
    for speaker in 0..size.pick(1000, 10) {
        let folder = dir.join(format!("many/s{speaker:03}"));
        fs::create_dir_all(&folder)?;
        for index in 0..100 {
            File::create(folder.join(format!("s{speaker:03}-{index:02}.mp3")))?;
        }
    }
    Ok(())
}

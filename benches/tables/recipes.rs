//! Whole runs of Kaldi's own scripts, once with our tools and once with Kaldi's: `KALDI` is a checkout of Kaldi, whose scripts are
//! run, and `KALDI_BIN` has its programs.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::corpus::Random;
use crate::measure::{Bench, Cost, Run, Size};
use crate::voice::{self, Speaker};

/// A run: its name, its script in `benches/recipes`, and how many times faster than Kaldi it is to be. Each needs what those before made.
const ROWS: [(&str, &str, f64); 3] = [
    ("recipe: features of 1,000 utterances", "features.sh", 5.0),
    ("recipe: speaker recognition", "speakers.sh", 4.0),
    ("recipe: training of triphones", "training.sh", 4.0),
];

/// Letters of [`voice`], which are the phones after silence.
const LETTERS: &str = "aeiounlzsx";
const SHIFT: usize = 160;
const WINDOW: usize = 400;

/// Runs the recipes, and prints them.
pub fn print(bench: &Bench, kaldi_bin: Option<&Path>) {
    let Some(kaldi) = std::env::var_os("KALDI").map(PathBuf::from) else { return };
    if !ROWS.iter().any(|row| bench.is_wanted(row.0)) {
        return;
    }
    let given = bench.dir.join("recipes");
    write(&given, &kaldi, bench.size).expect("the data can be written");
    let ours = run_all(bench, &given, "ours", &bench.tools);
    let theirs = kaldi_bin.map(|programs| run_all(bench, &given, "kaldi", programs)).unwrap_or_default();
    println!("| recipe | on the clock | processor | Kaldi on the clock | processor | times | goal |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (index, (name, _, goal)) in ROWS.iter().enumerate() {
        let Some(ours) = ours.get(index) else { continue };
        let show = |cost: &Cost| format!("{:.1} s | {:.1} s", cost.wall.as_secs_f64(), cost.cpu.as_secs_f64());
        let times = theirs.get(index).map(|theirs| theirs.wall.as_secs_f64() / ours.wall.as_secs_f64());
        println!(
            "| {name} | {} | {} | {} | {goal} |",
            show(ours),
            theirs.get(index).map_or("|".to_owned(), show),
            times.map(|times| format!("{times:.1}")).unwrap_or_default()
        );
    }
    println!();
}

/// Runs all recipes one after the other in a copy of the data, with the programs of a folder. Ends after the first that fails.
fn run_all(bench: &Bench, given: &Path, copy: &str, programs: &Path) -> Vec<Cost> {
    let folder = bench.dir.join(format!("recipes-{copy}"));
    let (given, folder, programs) = (given.display(), folder.display(), programs.display());
    let path = std::env::var("PATH").unwrap_or_default();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/recipes");
    let shell = |commands: String| {
        let commands =
            format!("export PATH=utils:graphs:{programs}:{path} OMP_NUM_THREADS=1; exec 1>&2; cd {folder}; {commands}");
        Run::new("/bin/bash".into(), &["-euo", "pipefail", "-c", commands.leak()])
    };
    let copied = Run::new("/bin/cp".into(), &["-a", given.to_string().leak(), folder.to_string().leak()]);
    if bench.measure(copy, &copied).is_none() {
        return Vec::new();
    }
    let run = |row: &(&str, &str, f64)| bench.measure(row.0, &shell(format!(". {}", scripts.join(row.1).display())));
    ROWS.iter().map_while(run).collect()
}

/// A folder as a recipe of Kaldi has it: scripts, sound of speakers, and the phones that they say, aligned.
fn write(dir: &Path, kaldi: &Path, size: Size) -> std::io::Result<()> {
    for folder in ["conf", "data/train", "data/lang/phones", "exp/mono", "sound"] {
        fs::create_dir_all(dir.join(folder))?;
    }
    for (link, place) in [("steps", "wsj/s5/steps"), ("utils", "wsj/s5/utils"), ("sid", "sre08/v1/sid")] {
        symlink(kaldi.canonicalize()?.join("egs").join(place), dir.join(link))?;
    }
    let file = |name: &str, text: &str| fs::write(dir.join(name), text);
    // Graphs are compiled even if nothing is aligned with them.
    fs::create_dir(dir.join("graphs"))?;
    file("graphs/compile-train-graphs", "#!/bin/sh\n")?;
    fs::set_permissions(dir.join("graphs/compile-train-graphs"), fs::Permissions::from_mode(0o755))?;
    file("conf/mfcc.conf", "--use-energy=false\n")?;
    file("conf/fbank.conf", "--num-mel-bins=40\n")?;
    file("conf/pitch.conf", "--sample-frequency=16000\n")?;
    file("conf/vad.conf", "--vad-energy-threshold=5.5\n--vad-energy-mean-scale=0.5\n")?;
    write_lang(dir)?;
    write_sound(dir, size.pick((50, 20), (12, 5)))
}

/// The language: a phone for each letter, and silence.
fn write_lang(dir: &Path) -> std::io::Result<()> {
    let lang = |name: &str, text: &str| fs::write(dir.join("data/lang").join(name), text);
    let phones: Vec<usize> = (1..=LETTERS.len() + 1).collect();
    let lines = |line: &dyn Fn(usize) -> String| phones.iter().map(|&phone| line(phone) + "\n").collect::<String>();
    let name = |phone: usize| LETTERS.get(phone.wrapping_sub(2)..phone - 1).unwrap_or("sil");
    let symbols = format!("<eps> 0\n{}", lines(&|phone| format!("{} {phone}", name(phone))));
    lang("phones.txt", &symbols)?;
    fs::write(dir.join("exp/mono/phones.txt"), &symbols)?;
    lang("words.txt", "<eps> 0\n<unk> 1\n")?;
    lang("oov.int", "1\n")?;
    lang("phones/sets.int", &lines(&|phone| phone.to_string()))?;
    lang("phones/roots.int", &lines(&|phone| format!("shared split {phone}")))?;
    lang("phones/extra_questions.int", "1\n2 3 4 5 6\n")?;
    lang("phones/optional_silence.txt", "sil\n")?;
    lang("phones/silence.txt", "sil\n")?;
    for list in ["silence", "context_indep", "optional_silence"] {
        lang(&format!("phones/{list}.csl"), "1\n")?;
    }
    let states: String = (0..3)
        .map(|state| {
            format!(
                "<State> {state} <PdfClass> {state} <Transition> {state} 0.75 <Transition> {} 0.25 </State>\n",
                state + 1
            )
        })
        .collect();
    let all = phones.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let entry = format!("<ForPhones>\n{all}\n</ForPhones>\n{states}<State> 3 </State>\n");
    lang("topo", &format!("<Topology>\n<TopologyEntry>\n{entry}</TopologyEntry>\n</Topology>\n"))
}

/// Recordings of some speakers, the lists about them, all pairs as trials, and alignments in four parts.
fn write_sound(dir: &Path, (speakers, of_each): (u64, u64)) -> std::io::Result<()> {
    let (mut waves, mut owners, mut owned, mut text) = <(String, String, String, String)>::default();
    let mut utterances = Vec::new();
    let mut random = Random(1);
    for speaker in 0..speakers {
        let of = format!("s{speaker:02}");
        write!(owned, "{of}").unwrap();
        for index in 0..of_each {
            let mut said = " ".to_owned();
            for _ in 0..5 {
                (0..5).for_each(|_| said.push(LETTERS.as_bytes()[random.below(LETTERS.len())].into()));
                said.push(' ');
            }
            let (key, sounds) = (format!("{of}-{index:02}"), voice::sounds(&said));
            let pitch = 90.0 + (speaker * 37 % 120) as f64;
            let formant_scale = 0.85 + 0.3 * (speaker * 7 % 15) as f64 / 14.0;
            let speaker = Speaker { pitch: (pitch, 0.85 * pitch), formant_scale, seed: speaker * 1000 + index };
            let samples = voice::speak(&speaker, &sounds);
            fs::write(dir.join(format!("sound/{key}.wav")), voice::wave_file(&samples))?;
            writeln!(waves, "{key} sound/{key}.wav").unwrap();
            writeln!(owners, "{key} {of}").unwrap();
            writeln!(text, "{key} {}", said.trim()).unwrap();
            write!(owned, " {key}").unwrap();
            utterances.push((key.clone(), of.clone(), alignment(&sounds, samples.len())));
        }
        owned.push('\n');
    }
    for (list, lines) in [("wav.scp", waves), ("utt2spk", owners), ("spk2utt", owned), ("text", text)] {
        fs::write(dir.join("data/train").join(list), lines)?;
    }
    let trials = (0..speakers).flat_map(|one| utterances.iter().map(move |(key, ..)| format!("s{one:02} {key}\n")));
    fs::write(dir.join("trials"), trials.collect::<String>())?;
    fs::write(dir.join("exp/mono/num_jobs"), "4\n")?;
    let part = utterances.len() / 4;
    for (index, part) in utterances.chunks(part).enumerate() {
        let lines: String = part.iter().map(|(key, _, states)| format!("{key} {states}\n")).collect();
        // `gunzip -c` takes only what is packed.
        let path = dir.join(format!("exp/mono/ali.{}", index + 1));
        fs::write(&path, lines)?;
        assert!(std::process::Command::new("gzip").arg(path).status()?.success());
    }
    Ok(())
}

/// The transition-ids of what is said: of each state first the way out, then its loop. Each phone has three states.
fn alignment(sounds: &[(char, f64)], num_samples: usize) -> String {
    let frames = 1 + (num_samples - WINDOW) / SHIFT;
    let (mut ids, mut time, mut frame) = (String::new(), 0.0, 0);
    for (place, (letter, seconds)) in sounds.iter().enumerate() {
        time += seconds;
        let is_last = place + 1 == sounds.len();
        let end = if is_last { frames } else { ((time * 100.0) as usize).min(frames) };
        let phone = LETTERS.find(*letter).map_or(1, |place| place + 2);
        let count = end - frame;
        for state in 0..3 {
            let (from, to) = (count * state / 3, count * (state + 1) / 3);
            let first = 2 * (3 * (phone - 1) + state) + 1;
            for at in from..to {
                write!(ids, "{} ", if at == from { first + 1 } else { first }).unwrap();
            }
        }
        frame = end;
    }
    ids
}

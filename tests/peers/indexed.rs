//! `megatron_core`: its own builder and reader of datasets, its compiled sample index, its `GPTDataset`.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;

pub const TRIALS: &Trials = &[
    ("datasets_and_sample_indices_are_megatrons", datasets_and_sample_indices),
    ("merged_datasets_are_megatrons", merged_datasets),
    ("modes_are_megatrons", modes),
    ("blends_are_megatrons", blends),
];

/// The seed of random datasets: another one with `KALDI_TABLES_SEED`.
fn seed() -> String {
    std::env::var("KALDI_TABLES_SEED").unwrap_or_else(|_| "20261122".to_owned())
}

/// Random datasets: each file that ours write is Megatron's, byte for byte, and ours read what Megatron has written.
fn datasets_and_sample_indices(python: &Python) {
    const COUNT: usize = 330;
    let scratch = Scratch::new();
    let list = python.run(&scratch, "make_datasets", &format!("{} {COUNT}", seed()));
    assert_eq!(list.lines().count(), COUNT);
    let mut script = String::from("set -e\n");
    for line in list.lines() {
        let [number, write, build, samples] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        let step = |command: String| format!("{{ {command}; }} 2> log || {{ echo {number}; cat log; exit 1; }}\n");
        script += &step(format!("int-vector-to-indexed --nested {write} ark:{number}.txt ours-{number}"));
        script +=
            &step(format!("cmp ours-{number}.idx theirs-{number}.idx && cmp ours-{number}.bin theirs-{number}.bin"));
        script += &step(format!("indexed-check theirs-{number} > out"));
        script += &step(format!("indexed-to-int-vector theirs-{number} ark,t:- | cut -d ' ' -f 2- > tokens"));
        // One sequence a line, as int-vector-to-indexed has read them.
        let sequences = format!("cut -d ' ' -f 2- {number}.txt | sed 's/; $//; s/; /\\n/g' | sed '/^$/d' > wanted");
        script += &step(format!("{sequences}; sed -i '/^$/d' tokens; cmp wanted tokens"));
        script += &step(format!(
            "indexed-build-samples {build} ours-{number} indices-{number} && diff -r indices-{number} cache-{number}"
        ));
        if !samples.is_empty() {
            let read = format!("indexed-samples-to-int-vector {samples} theirs-{number} cache-{number} ark,t:-");
            script += &step(format!("{read} | cmp - {number}.samples"));
        }
    }
    scratch.write("all.sh", script);
    scratch.sh_within(std::time::Duration::from_secs(600), "bash -o pipefail all.sh").succeeds();
    let pairs: Vec<_> = (0..COUNT).map(|number| format!("ours-{number}={number}.txt")).collect();
    assert_eq!(python.run(&scratch, "read_datasets", &pairs.join(" ")), format!("{COUNT}\n"));
}

fn merged_datasets(python: &Python) {
    let scratch = Scratch::new();
    scratch.write("a", "x 1 2 ; ; 3 ; \ny \n").write("b", "z \n").write("c", "u 4 ; \nv 5 6 ; 7 ; \n");
    let make = "for name in a b c; do int-vector-to-indexed --nested --dtype=int16 ark:$name $name; done";
    scratch.sh(&format!("{make}; indexed-merge ours c a b a")).succeeds();
    python.run(&scratch, "merge_datasets", "int16 theirs c a b a");
    scratch.sh("cmp ours.idx theirs.idx && cmp ours.bin theirs.bin").succeeds();
}

fn modes(python: &Python) {
    let scratch = Scratch::new();
    scratch.write("a", "x 1 2 ; 3 ; \ny \nz 4 5 ; \n").write("modes", "x 0 1\nz -1\n");
    scratch.sh("int-vector-to-indexed --nested --dtype=uint16 --modes=ark:modes ark:a ours").succeeds();
    python.run(&scratch, "make_modes", "theirs");
    scratch.sh("cmp ours.idx theirs.idx && cmp ours.bin theirs.bin").succeeds();
}

fn blends(python: &Python) {
    const COUNT: usize = 60;
    let scratch = Scratch::new();
    let list = python.run(&scratch, "blend", &format!("{} {COUNT}", seed()));
    assert_eq!(list.lines().count(), COUNT);
    for line in list.lines() {
        let [number, weights, size] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line:?}") };
        let blend = format!("indexed-blend --weights={weights} --size={size} ours-{number}");
        scratch.sh(&format!("{blend} && diff -r ours-{number} blend-{number}")).succeeds();
    }
}

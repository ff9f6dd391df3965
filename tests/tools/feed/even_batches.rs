//! Ranks that get the same number of batches, and the end of an epoch.

use super::corpus::{batches, corpus, fed, keys};

const PLAIN: &str = "--conf=plain.yaml --symbols=units.txt data.list";

/// Sound whose header claims more samples than there are, which only loading it shows.
fn cut_flac() -> Vec<u8> {
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/signal");
    let mut bytes = std::fs::read(data.join("hd-flac-not-wav.wav")).unwrap();
    bytes[22..26].copy_from_slice(&20_000_u32.to_be_bytes());
    bytes
}

#[test]
fn ranks_get_equally_many_batches_whatever_cannot_be_read() {
    let scratch = corpus();
    scratch.write("cut.flac", cut_flac());
    scratch.sh("sed -i 's/batch_size: 4/batch_size: 1/' plain.yaml").succeeds();
    // Two of rank 0: its second and its last.
    scratch.sh("sed -i '4s/u03.wav/..\\/cut.flac/; 22s/u21.wav/..\\/cut.flac/' data.list").succeeds();
    let of = |more: &str| {
        let ran = scratch
            .sh(&format!("feed-batches --conf=plain.yaml --labels=none --max-bad=-1 {more} data.list -"))
            .succeeds();
        (batches(ran.stdout()), ran)
    };
    let none = of("--rank=0 --world-size=3").0;
    assert_eq!(keys(&none), ["u00", "u06", "u09", "u12", "u15", "u18"]);
    for (even, number) in [("trim", 7_usize), ("repeat", 8)] {
        for num_workers in [1, 2] {
            for rank in 0..3 {
                let numbers: Vec<usize> = (0..num_workers)
                    .map(|worker| {
                        let worker = format!("--num-workers={num_workers} --worker={worker}");
                        of(&format!("--even={even} --rank={rank} --world-size=3 {worker}")).0.len()
                    })
                    .collect();
                let expected: Vec<usize> = (0..num_workers).map(|it| (number - it).div_ceil(num_workers)).collect();
                assert_eq!(numbers, expected, "{even} {rank}");
            }
        }
    }
    let (repeated, ran) = of("--even=repeat --rank=0 --world-size=3");
    // The first batches of the rank take the places of those that cannot be read.
    assert_eq!(keys(&repeated), ["u00", "u00", "u06", "u09", "u12", "u15", "u18", "u06"]);
    ran.stderr_has("u03: ").stderr_has("batch 1 cannot be read; another one takes its place");
    scratch
        .sh("feed-batches --conf=plain.yaml --labels=none --max-bad=-1 --even=repeat --world-size=3 data.list out")
        .succeeds();
    assert_eq!(scratch.sh("ls out | wc -l").succeeds().stdout(), b"8\n");
    // Batches that are skipped need no other one.
    assert_eq!(keys(&of("--even=repeat --skip-batches=6 --world-size=3").0), ["u18", "u00"]);
}

#[test]
fn a_rank_without_batches_is_an_error_on_all_ranks_that_should_get_equally_many() {
    let scratch = corpus();
    scratch.sh("head -n 2 data.list > two.list").succeeds();
    for even in ["trim", "repeat"] {
        for rank in 0..3 {
            let options = format!("--conf=plain.yaml --labels=none --even={even} --rank={rank} --world-size=3");
            let ran = scratch.sh(&format!("feed-batches {options} two.list -")).fails_with(255);
            ran.stdout_is("").stderr_has("expected batches for each of 3 ranks, got none for rank 2");
        }
    }
    scratch.write("cut.flac", cut_flac());
    scratch.sh("sed -i 's/u01.wav/..\\/cut.flac/' two.list").succeeds();
    let of = |rank| {
        format!(
            "feed-batches --conf=plain.yaml --labels=none --max-bad=-1 --even=trim --rank={rank} --world-size=2 two.list -"
        )
    };
    scratch.sh(&of(0)).succeeds();
    let ran = scratch.sh(&of(1)).fails_with(255).stdout_is("");
    ran.stderr_has("expected another batch for batch 0, which cannot be read, got none that can");
}

#[test]
fn to_skip_an_epoch_is_to_be_at_its_end() {
    let scratch = corpus();
    for skip in [6, 7, 1000] {
        scratch.sh(&format!("feed-batches --skip-batches={skip} {PLAIN} -")).succeeds().stdout_is("");
        let ran = scratch.sh(&format!("feed-feats --skip-batches={skip} {PLAIN} ark:-")).succeeds();
        ran.stdout_is("").stderr_has("delivered 0 in 0 batches");
    }
    assert_eq!(fed(&scratch, &format!("--skip-batches=5 {PLAIN}")).len(), 1);
    // A worker for whom there is no batch has nothing to do, either.
    scratch.sh(&format!("feed-batches --num-workers=8 --worker=7 {PLAIN} -")).succeeds().stdout_is("");
    scratch.sh("rm wav/*").succeeds();
    scratch.sh(&format!("feed-batches --skip-batches=6 --max-bad=-1 {PLAIN} -")).fails_with(1);
}

#[test]
fn ranks_get_equally_many_batches() {
    let scratch = corpus();
    let of = |rank, even: &str| {
        let options = format!("--conf=plain.yaml --labels=none --even={even} --rank={rank} --world-size=3");
        fed(&scratch, &format!("{options} data.list"))
    };
    scratch.sh("sed -i 's/batch_size: 4/batch_size: 1/' plain.yaml").succeeds();
    // 8, 8 and 7 utterances.
    assert_eq!([0, 1, 2].map(|rank| of(rank, "none").len()), [8, 8, 7]);
    assert_eq!([0, 1, 2].map(|rank| of(rank, "trim").len()), [7, 7, 7]);
    assert_eq!([0, 1, 2].map(|rank| of(rank, "repeat").len()), [8, 8, 8]);
    let (short, long) = (of(2, "none"), of(2, "repeat"));
    assert!(short == long[..7] && short[0] == long[7]);
    assert!(of(0, "trim") == of(0, "none")[..7]);
}

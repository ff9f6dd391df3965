use crate::support::Scratch;
use crate::support::sample::{binary_archive, ints};

fn list(number: usize) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("l.scp", (0..number).map(|number| format!("u{number} x\n")).collect::<String>());
    scratch
}

/// The numbers of the keys of a list.
fn numbers(list: &[u8]) -> Vec<usize> {
    let text = String::from_utf8(list.to_vec()).unwrap();
    text.lines().map(|line| line[1..].split(' ').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn shares_are_slices_of_slices() {
    let scratch = list(23);
    for (world_size, num_workers) in [(1, 1), (2, 1), (3, 2), (2, 3)] {
        for rank in 0..world_size {
            for worker in 0..num_workers {
                let share =
                    format!("--rank={rank} --world-size={world_size} --worker={worker} --num-workers={num_workers}");
                let ran = scratch.sh(&format!("table-split {share} l.scp -")).succeeds();
                let of_rank = (0..23).skip(rank).step_by(world_size);
                let expected: Vec<usize> = of_rank.skip(worker).step_by(num_workers).collect();
                assert_eq!(numbers(ran.stdout()), expected, "{share}");
            }
        }
    }
}

#[test]
fn parts_of_items_are_those_of_split_scp() {
    let scratch = list(10);
    scratch
        .sh("table-split --parts=3 l.scp l.%d.scp")
        .succeeds()
        .stderr_has("Wrote 10 entries to 3 parts, 3 to 4 each");
    let part = |number| numbers(&scratch.read(&format!("l.{number}.scp")));
    assert_eq!([part(1), part(2), part(3)], [vec![0, 1, 2, 3], vec![4, 5, 6], vec![7, 8, 9]]);
}

#[test]
fn parts_of_bytes_have_about_as_many() {
    let scratch = Scratch::new();
    let entries = [("a", ints(1, 1000)), ("b", ints(2, 10)), ("c", ints(3, 10)), ("d", ints(4, 1000))];
    scratch.write("i.ark", binary_archive(&entries));
    scratch.sh("table-split --parts=2 --by=bytes ark:i.ark ark,scp:o.%d.ark,o.%d.scp").succeeds();
    assert_eq!(scratch.read("o.1.ark"), binary_archive(&entries[..2]));
    assert_eq!(scratch.read("o.2.ark"), binary_archive(&entries[2..]));
    scratch.sh("copy-int-vector scp:o.2.scp ark:-").succeeds().stdout_is(binary_archive(&entries[2..]));
}

#[test]
fn no_speaker_is_in_two_parts() {
    let scratch = list(12);
    let speakers = [0, 0, 0, 1, 1, 2, 3, 0, 3, 3, 4, 4];
    let lines = speakers.iter().enumerate().map(|(number, speaker)| format!("u{number} s{speaker}\n"));
    scratch.write("utt2spk", lines.collect::<String>());
    scratch.sh("table-split --parts=3 --by=speakers --utt2spk=utt2spk l.scp l.%d.scp").succeeds();
    let part = |number| numbers(&scratch.read(&format!("l.{number}.scp")));
    assert_eq!([part(1), part(2), part(3)], [vec![0, 1, 2, 7], vec![3, 4, 5], vec![6, 8, 9, 10, 11]]);
}

#[test]
fn more_parts_than_items_leave_some_empty() {
    let scratch = list(1);
    scratch.sh("table-split --parts=3 l.scp l.%d.scp").succeeds();
    assert_eq!(scratch.read("l.1.scp"), b"u0 x\n");
    assert_eq!([scratch.read("l.2.scp"), scratch.read("l.3.scp")], [b"", b""]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = list(3);
    scratch.write("utt2spk", "u0 a\nu1 a b\n");
    for (options, message) in [
        ("--rank=2 --world-size=2", "expected a number from 0 to 1 of 2 ranks, got 2"),
        ("--num-workers=0", "expected 1 or more workers, got 0"),
        ("--parts=2 --rank=1 --world-size=2", "expected either --parts or --rank and --worker"),
        ("--parts=2", "expected %d in the name of the output, got o"),
        ("--by=bytes", "expected --by and --utt2spk with --parts only"),
    ] {
        scratch.sh(&format!("table-split {options} l.scp o")).fails_with(255).stderr_has(message);
    }
    for (options, message) in [
        ("--by=x", "--by=x: expected items, bytes or speakers, got \"x\""),
        ("--by=speakers", "expected --utt2spk with --by=speakers"),
        ("--by=speakers --utt2spk=utt2spk", "u1: expected one speaker, got \"a b\""),
    ] {
        scratch.sh(&format!("table-split --parts=2 {options} l.scp o.%d")).fails_with(255).stderr_has(message);
    }
    scratch.write("utt2spk", "u0 a\n");
    let ran = scratch.sh("table-split --parts=2 --by=speakers --utt2spk=utt2spk l.scp o.%d");
    ran.fails_with(255).stderr_has("u1: --utt2spk does not have this key");
    assert_eq!(scratch.list(), ["l.scp", "utt2spk"]);
    scratch.sh("table-split /dev/null -").fails_with(1).stdout_is("");
}

//! `scripts/bench.sh --against` names the rows that became slower, and no others.

use std::time::Duration;

#[path = "../../benches/tables/baseline.rs"]
mod baseline;

use baseline::{Baseline, Row, Times};

fn row(name: &str, milliseconds: &[u64]) -> Row {
    let times = Times::of(milliseconds.iter().map(|&time| Duration::from_millis(time)));
    Row { name: name.to_owned(), cpu: times, wall: Times { median: 1.0, min: 1.0, spread: 0.0 }, rival_cpu: None }
}

fn run(rows: Vec<Row>) -> Baseline {
    Baseline { processor: "a processor".to_owned(), processors: 2, rounds: 3, rows }
}

#[test]
fn times_are_summed_up() {
    let times = |milliseconds: &[u64]| row("", milliseconds).cpu;
    assert_eq!(times(&[500, 125, 250]), Times { median: 0.25, min: 0.125, spread: 0.375 });
    assert_eq!(times(&[250, 750]), Times { median: 0.5, min: 0.25, spread: 0.5 });
    assert_eq!(times(&[125]), Times { median: 0.125, min: 0.125, spread: 0.0 });
}

#[test]
fn rows_that_are_slower_by_more_than_three_percent_are_named() {
    let old = run(vec![row("a", &[1000]), row("b", &[1000]), row("c", &[1000]), row("gone", &[1])]);
    // One slow round of three does not make a row slower.
    let new = run(vec![row("c", &[1031]), row("a", &[1029]), row("b", &[900, 1020, 3000]), row("new", &[9000])]);
    let expected = "c: 3 % more processor time: 1.0310 s (spread 0.0000 s), was 1.0000 s (spread 0.0000 s)";
    assert_eq!(new.slower_than(&old), [expected]);
    assert_eq!(old.slower_than(&old), [""; 0]);
    let mut late = old.clone();
    late.rows[1].wall.median = 1.5;
    let expected = "b: 50 % more time on the clock: 1.5000 s (spread 0.0000 s), was 1.0000 s (spread 0.0000 s)";
    assert_eq!(late.slower_than(&old), [expected]);
}

#[test]
fn other_machines_and_other_rows_are_doubts() {
    let old = run(vec![row("a", &[1]), row("b", &[1])]);
    assert_eq!(old.doubts(&old), [""; 0]);
    let new = Baseline { processors: 8, ..run(vec![row("a", &[1])]) };
    assert_eq!(
        new.doubts(&old),
        [
            "the machine is another one: 8 processors, a processor, was 2 processors, a processor",
            "rows in only one of the two: 0 of this run, 1 of the other",
        ]
    );
}

#[test]
fn what_is_written_is_read_again() {
    let mut written = run(vec![row("a", &[100, 250])]);
    written.rows[0].rival_cpu = Some(row("", &[125]).cpu);
    assert_eq!(Baseline::from_json(&written.to_json()), Ok(written));
    let message = Baseline::from_json("{\"rows\": 1}").unwrap_err();
    assert!(message.starts_with("expected the JSON of scripts/bench.sh --json: "), "{message}");
    assert!(message.contains("line 1 column 10"), "{message}");
}

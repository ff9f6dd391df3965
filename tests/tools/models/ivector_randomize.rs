use crate::support::Scratch;

fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("iv", "a  [\n  1 1\n  2 2\n  3 3\n  4 4\n  5 5\n  6 6 ]\nb  [\n  7 8 ]\n");
    scratch
}

#[test]
fn rows_are_replaced_by_later_ones() {
    let scratch = ivectors();
    let run = |options: &str| {
        let ran = scratch.sh(&format!("ivector-randomize {options} ark:iv ark,t:-"));
        let ran = ran.succeeds().stderr_has("Randomized 2 iVectors.");
        let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
        text.split_whitespace().filter_map(|word| word.parse::<i32>().ok()).step_by(2).collect::<Vec<_>>()
    };
    assert_eq!(run("--randomize-prob=0"), [1, 2, 3, 4, 5, 6, 7]);
    for options in ["", "--randomize-prob=1", "--randomize-prob=0.9"] {
        let rows = run(options);
        assert!(rows.len() == 7 && (1..7).zip(&rows).all(|(row, &other)| other >= row && other < 7), "{rows:?}");
    }
}

/// Kaldi ignores the option.
#[test]
fn a_seed_has_an_effect() {
    let scratch = ivectors();
    let run = |options: &str| {
        scratch.sh(&format!("ivector-randomize --randomize-prob=1 {options} ark:iv ark,t:-")).stdout().to_vec()
    };
    assert_eq!(run(""), run("--srand=0"));
    assert_eq!(run("--srand=7"), run("--srand=7"));
    assert_ne!(run(""), run("--srand=7"));
}

#[test]
fn a_probability_that_is_none_is_refused() {
    let scratch = ivectors();
    for prob in ["-0.5", "1.2", "nan"] {
        let ran = scratch.sh(&format!("ivector-randomize --randomize-prob={prob} ark:iv ark:o"));
        ran.fails_with(255).stderr_has("expected --randomize-prob to be from 0 to 1");
    }
    assert_eq!(scratch.list(), ["iv"]);
    scratch.sh("ivector-randomize ark:/dev/null ark:o").fails_with(1);
}

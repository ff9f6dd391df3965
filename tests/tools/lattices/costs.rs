//! Costs by which paths cannot be compared, in all tools that compare them; and states in any order.

use crate::support::Scratch;
use crate::tools::lattices::{golden, text_of};

/// Commands that compare paths of `lats`, and print what they find of each utterance.
const COMPARING: &[&str] = &[
    "lattice-to-post ark:lats ark,t:-",
    "lattice-arc-post ark:lats -",
    "lattice-best-path ark:lats ark,t:-",
    "lattice-1best ark:lats ark,t:-",
    "lattice-mbr-decode ark:lats ark,t:-",
    "lattice-to-ctm-conf ark:lats -",
    "lattice-to-nbest --n=2 ark:lats ark,t:-",
    "lattice-limit-depth --max-arcs-per-frame=1 ark:lats ark,t:-",
    "lattice-union ark:lats ark:lats ark,t:-",
    "lattice-to-fst --acoustic-scale=1 --lm-scale=1 ark:lats ark,t:-",
    "lattice-push ark:lats ark,t:-",
    "lattice-combine ark:lats ark:lats ark,t:-",
    "lattice-score --inv-acwt=1 --penalty=0 --write-text=- ark:lats",
    "lattice-score --inv-acwt=1 --penalty=0 --decode-mbr --beam=0 --write-text=- ark:lats",
    "lattice-score --inv-acwt=1 --penalty=0 --decode-mbr --write-text=- ark:lats",
];

const GOOD: [&str; 2] = ["a1 \n0 1 5 1,2,3\n0 1 6 3,0,4\n1 0.5,0,\n\n", "c1 \n0 1 5 1,2,3\n1\n\n"];

#[track_caller]
fn others_are_written(scratch: &Scratch, command: &str, case: &str) {
    let ran = scratch.sh(command).succeeds();
    let [stdout, stderr] = [ran.stdout(), ran.stderr()].map(String::from_utf8_lossy);
    let starts = |key: &str| stdout.lines().any(|line| line.starts_with(key));
    assert!(starts("a1") && starts("c1") && !starts("b1"), "{command}: {case}\n{stdout}");
    assert!(
        stderr.contains("b1") && stderr.contains("expected a number as the cost of"),
        "{command}: {case}\n{stderr}"
    );
}

#[test]
fn costs_that_are_no_numbers_are_an_error_for_their_utterance() {
    let scratch = Scratch::new();
    let lattice = |cost: &str, end: &str| format!("b1 \n0 1 5 {cost},3\n0 1 6 3,0,4\n1 {end},\n\n");
    let mut bad = vec![lattice("1,0", "nan,0"), lattice("-inf,inf", "0,0"), lattice("1,0", "-inf,inf")];
    bad.extend(["nan,0", "0,nan", "nan,nan"].map(|cost| lattice(cost, "0,0")));
    // As the first, and as the second one of two ways.
    bad.push("b1 \n0 1 6 3,0,4\n0 1 5 nan,0,3\n1\n\n".into());
    bad.push("b1 \n0 1 5 -inf,0,3\n0 1 6 0,-inf,4\n1\n\n".into());
    for bad in &bad {
        scratch.write("lats", [GOOD[0], bad, GOOD[1]].concat());
        COMPARING.iter().for_each(|command| others_are_written(&scratch, command, bad));
    }
    scratch.write("lats", &bad[3]);
    for command in COMPARING {
        let ran = scratch.sh(command).fails_with(1);
        assert!(!String::from_utf8_lossy(ran.stdout()).contains("b1"), "{command}");
    }
}

/// Kaldi's `lattice-1best` takes it, and shows it.
#[test]
fn a_path_that_costs_minus_infinity_is_taken_only_by_lattice_1best() {
    let scratch = Scratch::new();
    let bad = "b1 \n0 1 5 -inf,2,3\n0 1 6 3,0,4\n1\n\n";
    scratch.write("lats", [GOOD[0], bad, GOOD[1]].concat());
    for command in COMPARING {
        if command.starts_with("lattice-1best") {
            let printed = text_of(&scratch, command);
            assert!(printed.contains("b1 \n0\t1\t5\t-Infinity,2,3\n1\n"), "{printed}");
        } else {
            others_are_written(&scratch, command, bad);
        }
    }
}

#[test]
fn what_is_impossible_is_on_no_path() {
    let scratch = Scratch::new();
    for cost in ["inf,0", "0,inf", "inf,1e30"] {
        let sure = |first: &str| format!("a1 \n0 1 5 {cost},3\n{first}0 1 6 3,0,4\n1\n\n");
        scratch.write("lats", sure(""));
        scratch.sh("lattice-to-post ark:lats ark,t:-").succeeds().stdout_is("a1 [ 4 1 ] \n");
        scratch.sh("lattice-best-path ark:lats ark,t:-").succeeds().stdout_is("a1 6 \n");
        scratch.sh("lattice-arc-post ark:lats -").succeeds().stdout_is("a1\t0\t1\t1\t6\n");
        scratch.sh("lattice-mbr-decode ark:lats ark,t:- ark,t:r && cat r").succeeds().stdout_is("a1 6 \na1 0 \n");
        scratch.sh("lattice-to-ctm-conf ark:lats -").succeeds().stdout_is("a1 1 0.00 0.01 6 1.00\n");
        let paths = text_of(&scratch, "lattice-to-nbest --n=5 ark:lats ark,t:-");
        assert_eq!(paths, "a1-1 \n0\t1\t6\t3,0,4\n1\n\n");
    }
}

#[test]
fn a_lattice_without_a_path_has_no_arc_posteriors() {
    let scratch = Scratch::new();
    for none in ["u \n\n", "u \n0 1 5 1,2,3\n1 inf,inf,\n\n", "u \n0 1 5 inf,2,3\n1\n\n", "u \n0 1 5 1,2,3\n2\n\n"] {
        scratch.write("lats", [none, "v \n0 1 5 1,2,3\n1\n\n"].concat());
        let ran = scratch.sh("lattice-arc-post ark:lats -").succeeds().stdout_is("v\t0\t1\t1\t5\n");
        ran.stderr_has("No posterior printed for u: the lattice has no path from the start to a final state");
        scratch.write("lats", none);
        scratch.sh("lattice-arc-post ark:lats -").fails_with(1).stdout_is("");
    }
}

#[test]
fn costs_of_paths_as_tables_are_numbers() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 nan,2,3\n1\n\nv \n0 1 5 1,2,3\n1\n\nw \n0 1 5 inf,2,3\n1 -inf,0,\n\n");
    let ran = scratch.sh("nbest-to-linear ark:lats ark,t:- ark:/dev/null ark,t:lm ark:/dev/null && cat lm").succeeds();
    ran.stdout_is("v 3 \nv 1 \n").stderr_has("u: expected numbers as costs, got NaN and 2").stderr_has("2 had errors");
    scratch.write("ali", "u 3\nv 3\n").write("words", "u 5\nv 5\n").write("lm", "u nan\nv 1\n");
    let ran = scratch.sh("linear-to-nbest ark:ali ark:words ark:lm '' ark,t:-").succeeds();
    ran.stdout_is("v \n0\t1\t5\t0,0,3\n1\t1,0,\n\n").stderr_has("u: expected numbers as costs, got NaN and 0");
}

#[test]
fn what_cannot_be_pruned_is_written_as_it_is() {
    let scratch = Scratch::new();
    for cost in ["BadNumber,2", "-Infinity,2"] {
        // Its states are not sorted.
        let text = format!("u \n0\t2\t5\t{cost},3\n0\t2\t7\t90,2,3\n1\n2\t1\t6\t1,1,4\n\n");
        scratch.write("lats", &text);
        let ran = scratch.sh("lattice-prune --beam=1 ark:lats ark,t:-").succeeds();
        let place = format!("arc 0 of state 0, got {},2", if cost.starts_with('-') { "-inf" } else { "NaN" });
        let ran = ran.stderr_has("Error pruning lattice for utterance u: expected a number as the cost of");
        let ran = ran.stderr_has(&format!("{place}, and it is not pruned"));
        ran.stdout_is(text);
    }
}

#[test]
fn lattices_are_equivalent_only_if_their_costs_are_numbers() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 nan,2,3\n1\n\n");
    let ran = scratch.sh("lattice-equivalent ark:lats ark:lats").fails_with(1);
    ran.stderr_has("u: expected a number as the cost of arc 0 of state 0, got NaN,2");
    scratch.write("lats", "u \n0 1 5 inf,2,3\n1\n\n");
    scratch.sh("lattice-equivalent ark:lats ark:lats").succeeds();
}

#[test]
fn an_alignment_needs_costs_that_are_numbers() {
    let scratch = golden();
    scratch.sh("lattice-copy ark:few.ark ark,t:few").succeeds();
    // The first arc of the second lattice.
    let bad = scratch.sh("awk '/spk/ { n++ } NF == 4 && n == 2 && !c++ { $4 = \"nan,\" $4; sub(/nan,[^,]*/, \"nan\", $4) } { print }' few > bad");
    bad.succeeds();
    let keys = text_of(&scratch, "awk '/spk/ { print $1 }' few");
    let keys: Vec<&str> = keys.lines().collect();
    for command in [
        "lattice-align-phones final.mdl ark:bad ark,t:-",
        "lattice-align-words word_boundary.int final.mdl ark:bad ark,t:-",
        "lattice-align-words-lexicon align_lexicon.int final.mdl ark:bad ark,t:-",
    ] {
        let ran = scratch.sh(command).succeeds();
        let printed = String::from_utf8_lossy(ran.stdout()).into_owned();
        let has = |key: &str| printed.lines().any(|line| line.trim_end() == key);
        assert_eq!(keys.iter().map(|key| has(key)).collect::<Vec<_>>(), [true, false, true], "{command}\n{printed}");
        ran.stderr_has(&format!("{}: expected a number as the cost of arc", keys[1]));
    }
}

/// Random lattices whose states and lines are in any order, with states that are on no path: after pushing, and whatever else keeps
/// all paths, the best path has the same words and the same cost.
#[test]
pub fn states_may_be_in_any_order() {
    let mut seed = 11_u32;
    let mut draw = move |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let mut lats = String::new();
    for number in 0..40 {
        let count = 3 + draw(6);
        // `names[0]` is the start; the last one is the end.
        let mut names: Vec<usize> = (0..count + 2).collect();
        (1..names.len()).rev().for_each(|at| names.swap(at, draw(at + 1)));
        let mut lines = Vec::new();
        for state in 0..count - 1 {
            for _ in 0..1 + draw(2) {
                let next = state + 1 + draw((count - 1 - state).min(2));
                let (word, cost, id) = (1 + draw(9), draw(1000), 1 + draw(3));
                let ids = vec![id.to_string(); next - state].join("_");
                lines.push(format!("{} {} {word} {}.{:03},1,{ids}", names[state], names[next], cost / 100, cost));
            }
        }
        // What is not reached leads to what is; and a way that does not end.
        lines.push(format!("{} {} 9 0.5,0,1", names[count], names[1]));
        lines.push(format!("{} {} 9 0.25,0,1", names[0], names[count + 1]));
        let first = lines.remove(0);
        (1..lines.len()).rev().for_each(|at| lines.swap(at, draw(at + 1)));
        lines.insert(0, first);
        lines.push(format!("{} 0.125,0,", names[count - 1]));
        lats += &format!("u{number:02} \n{}\n\n", lines.join("\n"));
    }
    let scratch = Scratch::new();
    scratch.write("lats", &lats);
    let best = |command: &str| {
        let ran = scratch.sh(&format!("{command} | lattice-1best ark:- ark:- | nbest-to-linear ark:- ark,t:i ark,t:w ark,t:l ark,t:a && cat i w && awk '{{ printf \"%s %.2f\\n\", $1, $2 }}' l a"));
        String::from_utf8_lossy(ran.succeeds().stdout()).into_owned()
    };
    let expected = best("cat lats");
    assert_eq!(expected.lines().count(), 4 * 40);
    for command in [
        "lattice-push ark:lats ark:-",
        "lattice-push --push-strings=false ark:lats ark:-",
        "lattice-push --push-weights=false ark:lats ark:-",
        "lattice-prune --beam=5 ark:lats ark:-",
        "lattice-copy ark:lats ark:-",
        "lattice-copy --write-compact=false ark:lats ark:-",
        "lattice-limit-depth --max-arcs-per-frame=3 ark:lats ark:-",
        "lattice-union ark:lats ark:lats ark:-",
        "lattice-reverse ark:lats ark:- | lattice-reverse ark:- ark:-",
        "lattice-to-nbest --n=3 ark:lats ark:- | nbest-to-lattice ark:- ark:-",
    ] {
        assert_eq!(best(command), expected, "{command}");
    }
    // Sums over all paths do not depend on the order either.
    let sorted = "lattice-prune --beam=1000 ark:lats ark:-";
    for command in ["lattice-to-post ark:- ark,t:-", "lattice-mbr-decode ark:- ark,t:-", "lattice-to-ctm-conf ark:- -"]
    {
        let of = |lattices: &str| text_of(&scratch, &format!("{lattices} | {command}"));
        assert_eq!(of("cat lats"), of(sorted), "{command}");
    }
}

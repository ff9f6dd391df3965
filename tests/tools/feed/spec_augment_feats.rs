use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write(
        "f.ark",
        binary_archive(&[("u1", matrix(1, 60, 20)), ("u2", matrix(2, 60, 20)), ("e", matrix(1, 0, 0))]),
    );
    scratch
}

#[test]
fn no_masks_change_nothing() {
    let scratch = feats();
    let ran = scratch.sh("spec-augment-feats --num-t-mask=0 --num-f-mask=0 ark:f.ark ark:-");
    ran.succeeds().stdout_is(scratch.read("f.ark")).stderr_has("Changed the features of 3 utterances");
}

#[test]
fn changes_follow_from_seed_epoch_and_key_alone() {
    let scratch = feats();
    let run = |options: &str, archive: &str| {
        scratch.sh(&format!("spec-augment-feats {options} ark:{archive} ark:-")).succeeds().stdout().to_vec()
    };
    let first = run("", "f.ark");
    assert_ne!(first, scratch.read("f.ark"));
    assert_eq!(run("--num-threads=3", "f.ark"), first);
    assert_ne!(run("--epoch=1", "f.ark"), first);
    assert_ne!(run("--seed=1", "f.ark"), first);
    // Alone, or behind others.
    scratch.sh("copy-feats ark:f.ark ark,scp:g.ark,g.scp; grep u2 g.scp > u2.scp").succeeds();
    let alone = scratch.sh("spec-augment-feats scp:u2.scp ark:-").succeeds().stdout().to_vec();
    assert!(first.windows(alone.len()).any(|part| part == alone));
}

#[test]
fn frames_are_masked_replaced_and_cut_off() {
    let scratch = feats();
    let text = |options: &str| {
        let options = format!("--num-t-mask=0 --num-f-mask=0 {options}");
        let ran = scratch.sh(&format!("spec-augment-feats {options} ark:f.ark ark:- | copy-feats ark:- ark,t:-"));
        String::from_utf8(ran.succeeds().stdout().to_vec()).unwrap()
    };
    let plain = text("");
    let rows = |text: &str| text.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect::<Vec<_>>();
    let masked = rows(&text("--num-t-mask=1 --max-t=5"));
    let zeros = masked.iter().filter(|row| row.split(' ').all(|field| matches!(field, "" | "0" | "]"))).count();
    assert!((2..=10).contains(&zeros), "{zeros}");
    let replaced = rows(&text("--num-t-sub=5 --max-t-sub=9"));
    let known = rows(&plain);
    assert_ne!(replaced, known);
    let bare = |row: &String| row.trim_end_matches([' ', ']']).to_owned();
    let known: Vec<String> = known.iter().map(bare).collect();
    assert!(replaced.iter().map(bare).all(|row| known.contains(&row)));
    let cut = rows(&text("--max-t-trim=4"));
    assert!((112..=118).contains(&cut.len()), "{}", cut.len());
}

#[test]
fn more_masks_than_make_sense_are_refused() {
    for option in ["num-t-mask", "num-f-mask", "num-t-sub"] {
        let ran = Scratch::new().sh(&format!("spec-augment-feats --{option}=2147483648 ark:- ark:-")).fails_with(255);
        ran.stderr_has(&format!("expected --{option} to be at most 1000, got 2147483648"));
    }
}

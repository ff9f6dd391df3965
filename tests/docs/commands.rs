use super::page::{Block, Page, without_trailing_space};
use crate::support::Scratch;

/// Runs the `console` blocks among those of a document, one after the other, in one folder: a line that starts with `$` is a command,
/// one that starts with `>` continues it, and the lines up to the next command are what it writes to standard output.
pub fn run(blocks: &[Block], scratch: &Scratch) -> usize {
    let mut count = 0;
    for block in blocks.iter().filter(|block| block.info == "console") {
        let text = format!("\n{}", block.text);
        let (before, commands) = text.split_once("\n$ ").unwrap_or((&text, ""));
        assert!(before.is_empty(), "{}: expected a command, got {before:?}", block.place);
        for command in commands.split("\n$ ") {
            let mut lines = command.trim_end_matches('\n').split('\n').peekable();
            let mut script = lines.next().unwrap_or_default().to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                script = format!("{script}\n{}", &more[2..]);
            }
            let wanted: String = lines.map(|line| format!("{line}\n")).collect();
            let ran = scratch.sh(&script).succeeds();
            let got = without_trailing_space(&String::from_utf8_lossy(ran.stdout()));
            assert_eq!(got, wanted, "{}: $ {script}", block.place);
            count += 1;
        }
    }
    count
}

#[test]
fn formats_shows_what_commands_write() {
    let scratch = Scratch::new();
    // Names of samples are those in the repository.
    scratch.sh(&format!("ln -s {}/samples samples", env!("CARGO_MANIFEST_DIR"))).succeeds();
    assert!(run(&Page::read("docs/formats.md").blocks(), &scratch) > 10);
}

/// Every door of the page, on small files that packages of others have made.
#[test]
fn each_door_for_a_corpus_is_open() {
    let scratch = Scratch::new();
    scratch.sh(&format!("ln -s {}/samples samples", env!("CARGO_MANIFEST_DIR"))).succeeds();
    assert!(run(&Page::read("docs/corpora.md").blocks(), &scratch) > 10);
}

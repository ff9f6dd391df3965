//! Names of outputs whose endings say something else, and options of one letter.

use crate::support::Scratch;

#[test]
fn a_name_must_not_end_as_those_of_another_format_do() {
    let scratch = Scratch::new();
    scratch.write("x.ark", "a [ 1 2\n 3 4 ]\n").write("wav.list", "");
    for (command, message) in [
        (
            "feats-to-png x.ark x.jpg",
            "expected the name of a folder, or of a file that ends in .png or .svg, got x.jpg",
        ),
        ("table-report ark:x.ark page.pdf", "expected a name that ends in .html or .htm, got page.pdf"),
        (
            "table-report --write-json=x.csv ark:x.ark page.html",
            "expected a name that ends in .json or .jsonl, got x.csv",
        ),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["wav.list", "x.ark"]);
    scratch.sh("feats-to-png --key=a x.ark a.png && test -s a.png").succeeds();
    scratch.sh("feats-to-png --key=b x.ark b.png").fails_with(255).stderr_has("x.ark has no key b");
    scratch.sh("feats-to-png x.ark pictures.v1 && feats-to-png x.ark x.svg && table-report ark:x.ark page").succeeds();
}

#[test]
fn an_option_of_one_letter_may_be_given_in_the_short_form() {
    let scratch = Scratch::new();
    scratch.write("x.ark", "a 1\nb 2\nc 3\n");
    for form in ["-n 2", "-n2", "-n=2", "--n=2"] {
        scratch.sh(&format!("table-head {form} x.ark")).succeeds().stdout_is("a 1 \nb 2 \n");
    }
    scratch.sh("table-sample -n 3 x.ark y.ark && cmp x.ark y.ark").succeeds();
    scratch.sh("table-head -n").fails_with(255).stderr_has("Invalid option --n: expected --n=<uint>");
    scratch.sh("cp x.ark ./-n && table-head -- -n").succeeds().stdout_has("c 3");
    // A tool without such an option takes the word for a name.
    scratch.sh("table-info -n").succeeds();
}

#[test]
fn the_launcher_lists_its_tools_when_it_is_asked_for_help() {
    let scratch = Scratch::new();
    scratch.sh("kaldi-tables help | diff - <(kaldi-tables list)").succeeds();
}

#[test]
fn a_shell_completes_keys_of_a_table() {
    let scratch = Scratch::new();
    scratch.write("x.ark", "u1 1\nu2 2\nv3 3\n");
    let complete = |line: &str, words: &str, at: usize| {
        format!(
            "source <(kaldi-tables completions bash); compopt() {{ :; }}; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
             COMP_WORDS=({words}); COMP_CWORD={at}; _kaldi_tables; echo ${{COMPREPLY[@]}}"
        )
    };
    scratch.sh(&complete("table-get x.ark u", "table-get x.ark u", 2)).succeeds().stdout_is("u1 u2\n");
    scratch
        .sh(&complete("table-get --json ark:x.ark ", "table-get --json ark : x.ark ''", 5))
        .succeeds()
        .stdout_is("u1 u2 v3\n");
    scratch.sh(&complete("table-get x", "table-get x", 1)).succeeds().stdout_is("x.ark\n");
}

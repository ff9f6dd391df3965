use crate::support::sample::{binary_archive, matrix};
use crate::support::shell::tools_dir;
use crate::support::{Scratch, tool};

fn listed() -> Vec<String> {
    let list = String::from_utf8(tool("kaldi-tables").assert().success().get_output().stdout.clone()).unwrap();
    list.lines().filter_map(|line| Some(line.strip_prefix("  ")?.split(' ').next()?.to_owned())).collect()
}

#[test]
fn all_tools_are_listed_under_their_tasks() {
    let tools = listed();
    assert!(tools.len() > 100);
    for tool in &tools {
        assert!(tools_dir().join(tool).is_file(), "{tool}");
    }
    let ran = Scratch::new().sh("kaldi-tables | grep -A 1 '^Tables$'").succeeds();
    ran.stdout_is(format!(
        "Tables\n  {:<38} makes the script file of archives that have none, by their headers\n",
        "ark-to-scp"
    ));
}

#[test]
fn a_tool_is_run_with_its_arguments_and_its_exit_code() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4))]));
    scratch.sh("kaldi-tables matrix-dim ark:m.ark").succeeds().stdout_is("a\t3\t4\n").stderr_lacks("kaldi-tables");
    scratch.sh("kaldi-tables copy-matrix --scale=2 ark:m.ark ark:- | matrix-dim ark:-").succeeds();
    scratch.sh("kaldi-tables matrix-dim").fails_with(1).stderr_has("Usage: matrix-dim");
    scratch.sh("kaldi-tables matrix-dim ark:missing").fails_with(255).stderr_has("ERROR (matrix-dim[");
    scratch.sh("kaldi-tables help matrix-dim | diff - <(matrix-dim --help)").succeeds();
}

#[test]
fn what_is_no_tool_and_no_command_is_an_error() {
    let scratch = Scratch::new();
    let ran = scratch.sh("kaldi-tables nosuch").fails_with(255);
    ran.stderr_has("there is no tool nosuch; kaldi-tables lists all");
    let ran = scratch.sh("kaldi-tables help copy-features").fails_with(255);
    ran.stderr_has("there is no tool copy-features; kaldi-tables | grep copy lists some");
    scratch.sh("kaldi-tables manual nosuch").fails_with(255).stderr_has("there is no tool nosuch");
    scratch.sh("kaldi-tables completions csh").fails_with(255).stderr_has("expected bash, zsh or fish, got csh");
    scratch.sh("kaldi-tables manual").fails_with(1).stderr_has("expected 1 argument behind manual, got 0");
    scratch.sh("kaldi-tables completions bash zsh").fails_with(1).stderr_has("Usage: kaldi-tables [<tool>");
}

#[test]
fn a_tool_that_is_not_installed_is_told_from_one_that_does_not_exist() {
    let scratch = Scratch::new();
    let here = tools_dir().display();
    let ran = scratch
        .sh(&format!("mkdir bin; cp {here}/kaldi-tables bin; PATH=/bin:/usr/bin bin/kaldi-tables copy-feats a b"));
    ran.fails_with(255).stderr_has("copy-feats is not installed");
    // Completions and manuals are those of the tools that are there.
    let ran = scratch.sh(&format!("cp {here}/matrix-dim bin; bin/kaldi-tables manuals man 2> /dev/null; ls man"));
    ran.succeeds().stdout_is("kaldi-tables.1\nmatrix-dim.1\n");
}

#[test]
fn manuals_have_every_option_of_every_tool() {
    let scratch = Scratch::new();
    scratch.sh("kaldi-tables manuals man/man1").succeeds();
    for name in listed() {
        let help = String::from_utf8(tool(&name).arg("--help").output().unwrap().stdout).unwrap();
        let page = String::from_utf8(scratch.read(&format!("man/man1/{name}.1"))).unwrap();
        assert!(page.starts_with(".TH "), "{page}");
        let options: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  --")?.split(' ').next()).collect();
        assert!(options.len() >= 7, "{help}");
        for option in &options {
            assert!(page.contains(&format!(".TP\n\\fB\\-\\-{}\\fR", option.replace('-', "\\-"))), "{name} --{option}");
        }
        assert_eq!(page.matches(".TP\n").count(), options.len(), "{name}");
        // Types and defaults were taken off the help, and not left in it.
        assert!(!page.contains(", default = "), "{page}");
        for heading in ["NAME", "SYNOPSIS", "DESCRIPTION", "STANDARD OPTIONS", "EXAMPLES", "EXIT STATUS"] {
            assert!(page.contains(&format!("\n.SH {heading}\n")), "{name}: {heading}");
        }
    }
}

#[test]
fn bash_completes_options_and_files() {
    let scratch = Scratch::new();
    scratch.write("feats.ark", "").write("feats with blanks.ark", "");
    scratch.sh("kaldi-tables completions bash > completions 2> /dev/null").succeeds();
    let complete = |words: &str| {
        let script = format!(
            "cat > run.sh <<'END'\ncompopt() {{ :; }}\n. ./completions\nCOMP_WORDS=({words})\n\
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_kaldi_tables\nprintf '%s\\n' \"${{COMPREPLY[@]}}\" | sort\nEND\nbash run.sh"
        );
        String::from_utf8(scratch.sh(&script).succeeds().stdout().to_vec()).unwrap()
    };
    assert_eq!(complete("copy-matrix --apply-p"), "--apply-power=\n");
    assert_eq!(complete("/usr/bin/copy-matrix --apply-e"), "--apply-exp\n");
    assert_eq!(complete("copy-matrix feats"), "feats with blanks.ark\nfeats.ark\n");
    // As bash takes `ark:fea` and `--config=fea` apart.
    assert_eq!(complete("copy-matrix ark : feats."), "feats.ark\n");
    assert_eq!(complete("copy-matrix --config = feats."), "feats.ark\n");
    assert!(complete("copy-matrix ark :").contains("feats.ark\n"));
    assert_eq!(complete("kaldi-tables matrix-d"), "matrix-dim\n");
    assert_eq!(complete("kaldi-tables help matrix-d"), "matrix-dim\n");
    let named = scratch.sh("bash -c '. ./completions; complete -p copy-feats kaldi-tables'").succeeds();
    named.stdout_is("complete -F _kaldi_tables copy-feats\ncomplete -F _kaldi_tables kaldi-tables\n");
}

/// Where these shells are installed.
#[test]
fn zsh_and_fish_read_their_scripts() {
    let scratch = Scratch::new();
    for shell in ["zsh", "fish"] {
        scratch.sh(&format!("kaldi-tables completions {shell} > completions 2> /dev/null")).succeeds();
        scratch.sh(&format!("if command -v {shell} > /dev/null; then {shell} -n completions; fi")).succeeds();
        let script = String::from_utf8(scratch.read("completions")).unwrap();
        assert!(script.contains("apply-power"), "{shell}");
    }
}

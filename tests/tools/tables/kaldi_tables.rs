use std::fs;
use std::path::{Path, PathBuf};

use crate::support::sample::{binary_archive, matrix};
use crate::support::shell::{program, tools_dir};
use crate::support::{Scratch, registry, tool};

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
fn programs_that_only_kaldi_has_are_said_to_be_its() {
    let known = include_str!("../../../src/kaldi-programs.txt");
    for tool in registry::tools().iter().filter(|tool| tool.in_kaldi) {
        assert!(known.lines().any(|name| name == tool.name), "{}", tool.name);
    }
    let names = registry::names();
    let missing: Vec<&str> = known.lines().filter(|name| !names.contains(name)).collect();
    let ran = Scratch::new().sh(&format!("kaldi-tables {}", missing[0])).fails_with(255);
    ran.stderr_has(&format!("{} is a program of Kaldi that kaldi-tables does not have", missing[0]));
}

#[test]
fn what_is_no_tool_and_no_command_is_an_error() {
    let scratch = Scratch::new();
    let ran = scratch.sh("kaldi-tables nosuch").fails_with(255);
    ran.stderr_has("there is no tool nosuch; kaldi-tables lists all");
    // The options of a tool that does not exist are not those of the program.
    let ran = scratch.sh("kaldi-tables copy-all-features --compress=true a b").fails_with(255);
    ran.stderr_has("there is no tool copy-all-features; kaldi-tables | grep copy lists some");
    for (word, meant) in [("copy-feets", "copy-feats"), ("table-chek", "table-check"), ("lisst", "list")] {
        for command in ["", "help "] {
            let ran = scratch.sh(&format!("kaldi-tables {command}{word}")).fails_with(255);
            ran.stderr_has(&format!("there is no tool {word}; did you mean {meant}"));
        }
    }
    scratch.sh("kaldi-tables list | diff - <(kaldi-tables)").succeeds();
    scratch.sh("kaldi-tables list --json | diff - <(kaldi-tables --json)").succeeds();
    scratch.sh("kaldi-tables list all").fails_with(1).stderr_has("expected no argument after list, got 1");
    scratch.sh("kaldi-tables manual nosuch").fails_with(255).stderr_has("there is no tool nosuch");
    scratch.sh("kaldi-tables completions csh").fails_with(255).stderr_has("expected bash, zsh or fish, got csh");
    scratch.sh("kaldi-tables manual").fails_with(1).stderr_has("expected 1 argument after manual, got 0");
    scratch.sh("kaldi-tables completions bash zsh").fails_with(1).stderr_has("Usage: kaldi-tables [options] [<tool>");
}

#[test]
fn the_name_of_a_link_chooses_the_tool() {
    let scratch = Scratch::new();
    scratch.write("m.ark", binary_archive(&[("a", matrix(1, 3, 4))]));
    let copy = format!("cp {} copy-of-it; ln -s copy-of-it matrix-dim; ln copy-of-it copy-matrix", program().display());
    scratch.sh(&copy).succeeds();
    scratch.sh("./matrix-dim ark:m.ark").succeeds().stdout_is("a\t3\t4\n").stderr_has("./matrix-dim ark:m.ark");
    scratch.sh("PATH=$PWD ./copy-matrix ark:m.ark ark:- | cmp - m.ark").succeeds();
    // By another name it is the program.
    scratch.sh("./copy-of-it matrix-dim ark:m.ark").succeeds().stdout_is("a\t3\t4\n");
    let ran = scratch.sh("ln -s copy-of-it gone-tool; ./gone-tool ark:m.ark ark:-").fails_with(255);
    ran.stderr_has("there is no tool gone-tool").stderr_has("ark:m.ark is none either");
}

/// What is in a folder, and where its links lead.
fn links(scratch: &Scratch, folder: &str) -> Vec<(String, Option<PathBuf>)> {
    let entries = fs::read_dir(scratch.path(folder)).unwrap().map(|entry| entry.unwrap());
    let mut links: Vec<_> =
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read_link(entry.path()).ok())).collect();
    links.sort();
    links
}

#[test]
fn links_are_made_for_all_tools() {
    let scratch = Scratch::new();
    scratch.sh(&format!("mkdir -p a/bin b; cp {} a/bin/kaldi-tables", program().display())).succeeds();
    let ran = scratch.sh("a/bin/kaldi-tables link a/bin").succeeds();
    ran.stderr_has(&format!("{} links made, 0 were there, 0 removed", listed().len()));
    let mut expected: Vec<_> = listed().into_iter().map(|tool| (tool, Some(PathBuf::from("kaldi-tables")))).collect();
    expected.push(("kaldi-tables".into(), None));
    expected.sort();
    assert_eq!(links(&scratch, "a/bin"), expected);
    // In another folder they are relative, too, and the program has one.
    scratch.sh("a/bin/kaldi-tables link b/c/d").succeeds();
    let deep = links(&scratch, "b/c/d");
    assert_eq!(deep.len(), expected.len());
    assert!(deep.iter().all(|(_, link)| link.as_deref() == Some(Path::new("../../../a/bin/kaldi-tables"))));
    scratch.sh("mkdir moved && mv a b moved && moved/b/c/d/matrix-dim --version").succeeds();
    // Links that are right stay as they are; what was lost comes back.
    scratch
        .sh("cd moved/b/c/d && rm copy-feats && ls -i > ../before && ./kaldi-tables link . && ls -i > ../after")
        .succeeds();
    scratch.sh("diff moved/b/c/before moved/b/c/after | grep -v '> .* copy-feats$' | grep '^[<>]'").fails_with(1);
}

#[test]
fn links_of_tools_that_are_gone_are_removed_and_other_files_stay() {
    let scratch = Scratch::new();
    scratch
        .sh(&format!("mkdir bin; cp {} bin/kaldi-tables; bin/kaldi-tables link bin", program().display()))
        .succeeds();
    scratch
        .sh("cd bin; ln -s kaldi-tables old-tool; ln -s /bin/sh other; echo own > notes; ln -s nowhere dangling")
        .succeeds();
    scratch.sh("cd bin; ./kaldi-tables link .").succeeds().stderr_has("1 removed").stderr_has("old-tool");
    scratch
        .sh("cd bin; ls old-tool other notes dangling 2> /dev/null | tr '\\n' ' '")
        .stdout_is("dangling notes other ");
    // A program of somebody else is not replaced, and nothing is done at all.
    scratch.sh("cd bin; rm copy-feats matrix-dim; echo own > copy-feats").succeeds();
    let ran = scratch.sh("cd bin; ./kaldi-tables link .").fails_with(255);
    ran.stderr_has("copy-feats is another file").stderr_has("--force");
    scratch.sh("cd bin; cat copy-feats; test ! -e matrix-dim").succeeds().stdout_is("own\n");
    scratch.sh("cd bin; ./kaldi-tables --force link . && ./copy-feats --version && ./matrix-dim --version").succeeds();
    scratch.sh("cd bin; rm copy-feats; mkdir copy-feats; ./kaldi-tables --force link .").fails_with(255);
}

#[test]
fn links_may_be_hard_or_copies_or_only_printed() {
    let scratch = Scratch::new();
    scratch.sh(&format!("cp {} kaldi-tables; mkdir bin", program().display())).succeeds();
    let printed = scratch.sh("./kaldi-tables --print link bin").succeeds();
    let printed = String::from_utf8(printed.stdout().to_vec()).unwrap();
    assert!(printed.contains("ln -sfn ../kaldi-tables bin/copy-feats\n"), "{printed}");
    assert_eq!(links(&scratch, "bin"), []);
    scratch.sh("./kaldi-tables --print link new/bin && test ! -e new").succeeds();
    scratch
        .sh("./kaldi-tables --hard link bin && test kaldi-tables -ef bin/copy-feats && bin/copy-feats --version")
        .succeeds();
    scratch.sh("./kaldi-tables --hard link bin").succeeds().stderr_has("0 links made");
    scratch.sh("./kaldi-tables link bin && test -L bin/copy-feats").succeeds();
    scratch.sh("./kaldi-tables --hard --copy link bin").fails_with(255).stderr_has("only one of --hard and --copy");
    scratch.sh("./kaldi-tables --hard link bin && ./kaldi-tables --print --copy link bin | head -n 1").succeeds();
}

/// The copies of a program are large; a small folder is enough to see one replaced by a link.
#[test]
fn copies_are_known_as_copies() {
    let scratch = Scratch::new();
    scratch
        .sh(&format!("cp {} kaldi-tables; mkdir bin; cp kaldi-tables bin/copy-feats", program().display()))
        .succeeds();
    scratch.sh("./kaldi-tables link bin && test -L bin/copy-feats").succeeds();
    scratch.sh("./kaldi-tables --print --copy link bin | grep -c '^cp -f '").succeeds();
}

#[test]
fn the_list_as_json_has_options_and_arguments() {
    let tools = registry::tools();
    let tool = tools.iter().find(|tool| tool.name == "apply-cmvn").unwrap();
    assert!(tool.in_kaldi && tool.task == "cmvn" && tool.summary.starts_with("normalizes"));
    let option = tool.options.iter().find(|option| option.name == "utt2spk").unwrap();
    assert_eq!((option.r#type.as_str(), option.role.as_deref()), ("string", Some("input")));
    let roles: Vec<_> = tool.arguments.iter().map(|argument| argument.role.as_deref().unwrap()).collect();
    assert_eq!(roles, ["input", "input", "output"]);
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
    assert_eq!(complete("table-info --type = int32-v"), "int32-vector\nint32-vector-vector\n");
    assert_eq!(complete("kaldi-tables feed-batches --part ="), "cv\ntrain\n");
    assert_eq!(complete("copy-matrix --binary = f"), "false\n");
    assert_eq!(complete("kaldi-tables copy-matrix --apply-e"), "--apply-exp\n");
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

/// The first line of a standard `path.sh` that is missing here would end the shell.
#[test]
fn a_path_of_a_recipe_without_kaldi_can_be_sourced() {
    let scratch = Scratch::new();
    scratch.sh("mkdir -p 'my tools' root/egs/x/s5/utils; kaldi-tables link 'my tools'").succeeds();
    scratch.sh("kaldi-tables path.sh 'my tools' > root/egs/x/s5/path.sh").succeeds();
    scratch.sh("printf '#!/bin/sh\\necho of the recipe\\n' > root/egs/x/s5/utils/helper; chmod +x root/egs/x/s5/utils/helper").succeeds();
    // As scripts source it: with strict options, and without any tool in the path before.
    let run = "set -eu; PATH=/usr/bin:/bin; cd root/egs/x/s5; . ./path.sh; helper; command -v copy-feats; echo $LC_ALL $OMP_NUM_THREADS; \
               [ $KALDI_ROOT = $(cd ../../.. && pwd) ]; echo a 1 | copy-int-vector ark:- ark,t:-";
    for shell in ["bash", "sh"] {
        let ran = scratch.sh(&format!("unset OMP_NUM_THREADS KALDI_ROOT LC_ALL; {shell} -c '{run}'"));
        let tools = scratch.path("my tools");
        ran.succeeds().stdout_is(format!("of the recipe\n{}/copy-feats\nC 1\na 1 \n", tools.display()));
    }
    // Without a folder it is that of the links which were called.
    scratch.sh("PATH=\"$PWD/my tools:$PATH\" kaldi-tables path.sh | cmp - root/egs/x/s5/path.sh").succeeds();
    scratch.sh("kaldi-tables path.sh root").fails_with(255).stderr_has("kaldi-tables link root makes them");
    scratch.sh("kaldi-tables path.sh a b").fails_with(1).stderr_has("expected a folder after path.sh");
}

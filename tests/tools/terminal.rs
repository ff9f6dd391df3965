//! What people see on a terminal, which logs and pipes do not have.

use crate::support::Scratch;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let rows = |key: &str| format!("{key} [\n{}]\n", (0..40).map(|row| format!("  {row} 2.5\n")).collect::<String>());
    scratch.write("m.txt", rows("a") + &rows("b"));
    scratch.sh("copy-feats ark:m.txt ark,scp:x.ark,x.scp && table-export ark:m.txt x.npz").succeeds();
    scratch
}

#[test]
fn binary_data_is_not_written_there() {
    let scratch = scratch();
    for command in [
        "copy-feats scp:x.scp ark:-",
        "table-import x.npz ark:-",
        "cat x.ark | concat-ark ark:- ark:-",
        "ark-to-scp x.ark /dev/null && copy-feats ark:x.ark ark:-",
    ] {
        let ran = scratch.on_terminal(command);
        assert_eq!(ran.code, 255, "{command}: {}", ran.screen);
        for words in ["binary data is not written to a terminal", "; ark,t:- writes text"] {
            assert!(ran.screen.contains(words), "{}", ran.screen);
        }
        assert!(!ran.screen.contains('\0') && !ran.screen.contains("BFM"), "{}", ran.screen);
    }
    for command in [
        "copy-feats scp:x.scp ark,t:-",
        "copy-feats scp:x.scp ark:- | copy-feats ark:- ark,t:-",
        "copy-feats scp:x.scp ark:- > y.ark",
    ] {
        let ran = scratch.on_terminal(command);
        assert_eq!(ran.code, 0, "{command}: {}", ran.screen);
    }
}

#[test]
fn the_middle_of_long_values_is_left_out_there() {
    let scratch = scratch();
    let ran = scratch.on_terminal("table-head x.scp");
    assert_eq!(ran.screen.matches("... 21 more\n").count(), 2, "{}", ran.screen);
    assert!(
        ran.screen.contains("39 2.5 ]") && ran.screen.contains("  0 2.5") && !ran.screen.contains("20 2.5"),
        "{}",
        ran.screen
    );
    let ran = scratch.on_terminal("table-head -n 1 --rows=4 x.scp");
    assert_eq!(ran.screen, "a  [\n  0 2.5 \n... 37 more\n  38 2.5 \n  39 2.5 ]\n", "{}", ran.screen);
    assert!(!scratch.on_terminal("table-head --full x.scp").screen.contains("more"));
    scratch.sh("table-head x.scp | diff - m.txt").fails_with(1);
    scratch.sh("table-head x.scp | grep -c more").fails_with(1).stdout_is("0\n");
    scratch.sh("table-head --rows=4 -n1 x.scp | grep -c more").succeeds().stdout_is("1\n");
}

#[test]
fn columns_are_below_each_other_there() {
    let scratch = scratch();
    let ran = scratch.on_terminal("table-stats --by=column x.scp");
    let lines: Vec<&str> = ran.screen.lines().filter(|line| !line.contains("LOG")).collect();
    assert_eq!(lines.len(), 3, "{}", ran.screen);
    assert!(lines.iter().all(|line| line.len() == lines[0].len() && !line.contains('\t')), "{}", ran.screen);
    scratch.sh("table-stats --by=column x.scp").succeeds().stdout_has("table\tgroup\tcount");
}

#[test]
fn tools_that_kaldi_does_not_have_do_not_repeat_their_command_line_there() {
    let scratch = scratch();
    let first = |command: &str| scratch.on_terminal(command).screen.lines().next().unwrap_or_default().to_owned();
    assert_eq!(first("table-info x.scp"), "x.scp");
    assert_eq!(first("kaldi-tables table-info x.scp"), "x.scp");
    assert_eq!(first("table-info --print-args=true x.scp"), "table-info --print-args=true x.scp ");
    assert_eq!(first("copy-feats scp:x.scp ark:/dev/null"), "copy-feats scp:x.scp ark:/dev/null ");
    scratch.sh("table-info x.scp").succeeds().stderr_has("table-info x.scp \n");
}

#[test]
fn commands_of_advice_write_text_there() {
    let scratch = scratch();
    let ran = scratch.on_terminal("table-info x.npz");
    assert!(ran.screen.contains("table-import x.npz ark,t:-"), "{}", ran.screen);
    let ran = scratch.on_terminal("copy-feats ark:x.npz ark,t:-");
    assert!(ran.screen.contains("table-import x.npz ark,t:-"), "{}", ran.screen);
    let ran = scratch.on_terminal("table-import x.npz ark,t:-");
    assert!(ran.code == 0 && ran.screen.contains("39 2.5"), "{}", ran.screen);
    scratch.sh("table-info x.npz").succeeds().stdout_has("table-import x.npz ark:-");
}

//! The dialect from the words of a command line to the fields of an options struct.

mod renamed;

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;

use clap::Args;

use crate::advice::advise_on_arguments;
use crate::command::command;
use crate::dialect::{Request, read};
use crate::fault::matches;
use crate::{Arg, usage};

#[derive(Debug, clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename).
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Take the logarithm
    #[arg(long)]
    apply_log: bool,
    /// Cut or zero-pad to this dimension
    #[arg(long = "change_dim", default_value_t = -1)]
    change_dim: i32,
    /// First row
    #[arg(long, visible_alias = "start_row", default_value_t = 0)]
    first: u32,
    #[command(flatten)]
    window: Window,
    /// Wspecifier for the number of frames
    #[arg(long)]
    write_num_frames: Option<Arg>,
    input: Arg,
    output: Arg,
}

const WINDOWS: [(&str, &str); 2] = [("povey", "povey"), ("hamming", "hamming")];

/// A group of options that several tools share.
#[derive(Debug, clap::Args)]
struct Window {
    /// Factor
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    /// Smallest value
    #[arg(long, default_value_t = 1e-10)]
    floor: f64,
    /// Type of window
    #[arg(long, default_value = "povey", value_parser = crate::one_of(&WINDOWS))]
    window_type: &'static str,
}

#[derive(Debug, clap::Args)]
struct Joined {
    #[arg(required = true)]
    inputs: Vec<Arg>,
    output: Arg,
}

/// A type that parses itself, with a cause of its error.
#[derive(Clone, Debug)]
struct Selection;

#[derive(Debug)]
struct BadSelection(std::num::ParseIntError);

impl std::fmt::Display for BadSelection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected columns")
    }
}

impl std::error::Error for BadSelection {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

impl std::str::FromStr for Selection {
    type Err = BadSelection;

    fn from_str(text: &str) -> Result<Self, BadSelection> {
        text.parse::<u32>().map(|_| Self).map_err(BadSelection)
    }
}

#[derive(Debug, clap::Args)]
struct Typed {
    /// Columns
    #[arg(long)]
    other_columns: Option<Selection>,
    first_columns: Selection,
}

#[derive(Debug, clap::Args)]
struct Loose {
    first: Arg,
    second: Option<Arg>,
    rest: Vec<Arg>,
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

/// Parses as `run` does; an error is its message, help is `help`.
fn parse_words<O: Args>(words: &[OsString]) -> Result<O, String> {
    let mut command = command(&O::augment_args, false);
    let spelled = match read(&command, words).map_err(|fault| fault.message)? {
        Request::Run(spelled) => spelled,
        Request::Help => return Err("help".to_owned()),
        Request::Usage => return Err("usage".to_owned()),
        Request::Version => return Err("version".to_owned()),
    };
    let mut matches = matches(&mut command, &spelled).map_err(|fault| fault.message)?;
    O::from_arg_matches_mut(&mut matches).map_err(|error| error.to_string())
}

fn parse(line: &[&str]) -> Result<Options, String> {
    parse_words(&words(line))
}

fn with_config(lines: &[u8], test: impl FnOnce(&str)) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(lines).unwrap();
    test(file.path().to_str().unwrap());
}

#[test]
fn options_left_out_have_their_defaults() {
    let opts = parse(&["ark:a", "ark:b"]).unwrap();
    assert!(opts.binary && !opts.apply_log);
    assert_eq!((opts.change_dim, opts.first, opts.window.scale, opts.window.floor), (-1, 0, 1.0, 1e-10));
    assert_eq!((opts.window.window_type, opts.write_num_frames), ("povey", None));
    assert_eq!((opts.input, opts.output), (Arg::from("ark:a"), Arg::from("ark:b")));
}

#[test]
fn names_are_blind_for_case_and_underscores() {
    for name in ["--change_dim", "--change-dim", "--CHANGE-Dim", "--Change_DIM"] {
        assert_eq!(parse(&[&format!("{name}=3"), "a", "b"]).unwrap().change_dim, 3);
    }
    assert_eq!(parse(&["--write_num_frames=ark:n", "a", "b"]).unwrap().write_num_frames, Some(Arg::from("ark:n")));
}

#[test]
fn values_are_read_as_kaldi_reads_them() {
    let opts =
        parse(&["--change-dim= +3 ", "--scale=.5", "--floor=1e99", "--binary=F", "--apply-log", "a", "b"]).unwrap();
    assert_eq!((opts.change_dim, opts.window.scale, opts.window.floor), (3, 0.5, 1e99));
    assert!(!opts.binary && opts.apply_log);
    assert!(parse(&["--scale=-inf", "--scale=NaN", "a", "b"]).unwrap().window.scale.is_nan());
}

#[test]
fn a_bad_value_names_the_option_and_what_was_expected() {
    for (option, expected) in [
        ("--change-dim=1.5", "expected an integer"),
        ("--change-dim=2147483648", "expected an integer from -2147483648 to 2147483647"),
        ("--change-dim", "expected --change_dim=<int>"),
        ("--first=-1", "expected an integer from 0 to 4294967295"),
        ("--scale=x", "expected a number"),
        ("--scale=1e99", "expected a number up to 3.4028235e38"),
        ("--binary=yes", "expected true or false"),
        ("--binary=", "expected true or false"),
        ("--print-args=x", "expected true or false"),
        ("--write-num-frames", "expected --write-num-frames=<string>, as in --write-num-frames=a"),
        ("--=3", "expected the form --name=value"),
        ("--window-type=gauss", "expected povey or hamming, got \"gauss\""),
        ("--num-threads=0", "expected 1 or more"),
    ] {
        assert_eq!(parse(&[option, "a", "b"]).unwrap_err(), format!("Invalid option {option}: {expected}"));
    }
}

#[test]
fn an_unknown_option_is_answered_with_what_was_probably_meant() {
    assert_eq!(parse(&["--change-dims=3"]).unwrap_err(), "Invalid option --change-dims=3: did you mean --change_dim?");
    assert_eq!(parse(&["--BINRAY"]).unwrap_err(), "Invalid option --BINRAY: did you mean --binary?");
    assert_eq!(parse(&["--nosuch-option=3"]).unwrap_err(), "Invalid option --nosuch-option=3");
}

#[test]
fn parts_of_a_name_tell_what_was_probably_meant() {
    for (option, meant) in [
        ("--num-frames=ark:x", "--write-num-frames"),
        ("--type=povey", "--window-type"),
        ("--dim=3", "--change_dim"),
        ("--window-length=25", "--window-type"),
        ("--log", "--apply-log"),
        ("--threads=4", "--num-threads"),
    ] {
        let expected = format!("Invalid option {option}: did you mean {meant}?");
        assert_eq!(parse(&[option, "a", "b"]).unwrap_err(), expected);
    }
    // Words that many names have say nothing.
    for option in ["--num-foo-bars=3", "--write-everything"] {
        assert_eq!(parse(&[option, "a", "b"]).unwrap_err(), format!("Invalid option {option}"));
    }
}

#[test]
fn options_of_other_dialects_get_advice() {
    let command = command(&Options::augment_args, false);
    let advice = |line: &[&str]| advise_on_arguments(&command, &words(line)).unwrap_or_default();
    for (line, expected) in [
        (&["-o", "out", "a"][..], "-o is an argument here; options have the form --name=value; outputs are arguments"),
        (&["-j4", "a", "b"], "-j4 is an argument here; options have the form --name=value, such as --num-threads=4"),
        (&["a", "b", "-v"], "-v is an argument here; options have the form --name=value"),
        (
            &["--binary", "false", "a", "b"],
            "false after --binary is an argument; as its value, it is written --binary=false",
        ),
        (
            &["a", "b", "--apply_log", "1"],
            "1 after --apply_log is an argument; as its value, it is written --apply_log=1",
        ),
        (&["a", "b", "c"], ""),
        (&["a", "-1", "-"], ""),
        (&["a", "b", "--", "--scale=2"], ""),
    ] {
        assert_eq!(advice(line), expected, "{line:?}");
    }
    for (line, expected) in [
        (["--scale", "2", "a", "b"], "expected --scale=<float>, as in --scale=2"),
        (["--scale", "a", "b", "c"], "expected --scale=<float>"),
        (["--scale", "--binary", "a", "b"], "expected --scale=<float>"),
        (["a", "b", "--scale", "2"], "expected --scale=<float>, as in --scale=2"),
        (["a", "b", "2", "--scale"], "expected --scale=<float>"),
    ] {
        assert_eq!(parse(&line).unwrap_err(), format!("Invalid option --scale: {expected}"));
    }
}

#[test]
fn two_options_on_a_line_of_a_config_file_are_warned_about() {
    let warnings = |line: &str| {
        let mut log = Vec::new();
        with_config(line.as_bytes(), |conf| {
            log = kaldi_io::log::capture(|| drop(parse(&[&format!("--config={conf}"), "a", "b"]))).1;
        });
        String::from_utf8(log).unwrap()
    };
    for line in ["--scale=2 --binary=false", "--write-num-frames=ark:n --apply_log"] {
        assert!(warnings(line).contains("is a part of the value here; a line has one option only"), "{line}");
    }
    for line in ["--scale=2", "--write-num-frames=ark:foo --bar |", "--scale=2 # --binary"] {
        assert_eq!(warnings(line), "", "{line}");
    }
}

#[test]
fn the_last_of_a_repeated_option_wins() {
    assert_eq!(parse(&["--change-dim=5", "--change_dim=3", "a", "b"]).unwrap().change_dim, 3);
    assert!(parse(&["--binary=false", "--binary", "a", "b"]).unwrap().binary);
}

#[test]
fn an_option_may_have_several_names() {
    assert_eq!(parse(&["--start-row=3", "a", "b"]).unwrap().first, 3);
    assert_eq!(parse(&["--START_ROW=3", "--first=4", "a", "b"]).unwrap().first, 4);
    assert_eq!(parse(&["--first=4", "--start-row=3", "a", "b"]).unwrap().first, 3);
}

#[test]
fn an_empty_name_is_no_name() {
    assert_eq!(parse(&["--write-num-frames=ark:x", "--write-num-frames=", "a", "b"]).unwrap().write_num_frames, None);
}

#[test]
fn options_may_stand_after_arguments() {
    for line in [["--scale=2", "a", "b"], ["a", "--scale=2", "b"], ["a", "b", "--scale=2"]] {
        let opts = parse(&line).unwrap();
        assert!(opts.window.scale == 2.0 && opts.input == "a" && opts.output == "b", "{line:?}");
    }
    let opts = parse(&["--scale=2", "a", "--scale=3", "b", "--binary=false", "--scale=4"]).unwrap();
    assert!(opts.window.scale == 4.0 && !opts.binary, "the last one wins wherever it stands");
    for line in [["a", "b", "--scales=2"], ["a", "--scales=2", "b"]] {
        assert_eq!(parse(&line).unwrap_err(), "Invalid option --scales=2: did you mean --scale?");
    }
    with_config(b"--scale=5\n--change-dim=7\n", |conf| {
        let opts = parse(&["--scale=3", "a", "b", &format!("--config={conf}")]).unwrap();
        assert_eq!((opts.window.scale, opts.change_dim), (3.0, 7));
    });
}

#[test]
fn one_dash_makes_no_option() {
    for word in ["-", "-1", "-1.5", "-change-dim=3", "-x"] {
        for line in [[word, "b"], ["b", word]] {
            let opts = parse(&line).unwrap();
            assert!(opts.input == line[0] && opts.output == line[1] && opts.change_dim == -1);
        }
    }
}

#[test]
fn one_double_dash_is_taken_away_wherever_it_stands() {
    for line in [["--", "a", "b"], ["a", "--", "b"], ["a", "b", "--"]] {
        let opts = parse(&line).unwrap();
        assert!(opts.input == "a" && opts.output == "b");
    }
    let opts = parse(&["--scale=2", "--", "--scale=3", "--"]).unwrap();
    assert!(opts.window.scale == 2.0 && opts.input == "--scale=3" && opts.output == "--");
    assert!(parse(&["--", "--", "a", "b"]).is_err());
    let opts = parse(&["a", "--", "--scale=3"]).unwrap();
    assert!(opts.window.scale == 1.0 && opts.output == "--scale=3");
}

#[test]
fn help_is_looked_for_first_and_everywhere_before_a_double_dash() {
    for line in [
        &["--help"][..],
        &["--scale=x", "--help"],
        &["a", "b", "c", "--HELP"],
        &["--config=nosuch.conf", "--help"],
        &["-h"],
        &["--scale=1", "-h"],
    ] {
        assert_eq!(parse(line).unwrap_err(), "help", "{line:?}");
    }
    assert_eq!(parse(&["--help=maybe", "--nosuch"]).unwrap_err(), "usage");
    assert_eq!(parse(&["--help=maybe", "--help"]).unwrap_err(), "help");
    assert_eq!(parse(&["--", "--help", "b"]).unwrap().input, "--help");
    assert_eq!(parse(&["a", "-h"]).unwrap().output, "-h");
    assert_eq!(parse(&["--version"]).unwrap_err(), "version");
}

#[test]
fn help_that_is_not_asked_for_is_not_given() {
    for no in ["false", "f", "0"] {
        assert_eq!(parse(&[&format!("--help={no}"), "a", "b"]).unwrap().input, "a");
    }
    assert_eq!(parse(&["--version=false", "--help", "--HELP=false", "a", "b"]).unwrap().output, "b");
    for yes in ["--help=true", "--help=1"] {
        assert_eq!(parse(&[yes, "a", "b"]).unwrap_err(), "help", "{yes}");
    }
    assert_eq!(parse(&["--help=false", "--help", "a", "b"]).unwrap_err(), "help");
    assert_eq!(parse(&["--version=true"]).unwrap_err(), "version");
    assert!(parse(&["--version=maybe", "a", "b"]).unwrap_err().contains("--version"));
}

#[test]
fn the_command_line_wins_over_a_config_file_wherever_it_is_named() {
    with_config(
        b"# comment\n--change-dim=4   # another\n\n   --scale=2.0\r\n--apply_log\r\n--print_args=false",
        |conf| {
            let config = format!("--config={conf}");
            let opts = parse(&[&config, "a", "b"]).unwrap();
            assert_eq!((opts.change_dim, opts.window.scale, opts.apply_log), (4, 2.0, true));
            let opts = parse(&["--scale=3", &config, "--apply-log=false", "a", "b"]).unwrap();
            assert_eq!((opts.change_dim, opts.window.scale, opts.apply_log), (4, 3.0, false));
            with_config(b"--scale=-1\n", |later| {
                let opts = parse(&[&config, &format!("--config={later}"), "a", "b"]).unwrap();
                assert_eq!((opts.change_dim, opts.window.scale), (4, -1.0));
            });
        },
    );
}

#[test]
fn a_bad_line_of_a_config_file_is_named() {
    for (line, message) in [
        ("change-dim=4", "expected --name=value, got \"change-dim=4\""),
        ("--nosuch-thing=4", "Invalid option --nosuch-thing=4"),
        ("--change-dim 4", "Invalid option --change-dim 4: did you mean --change_dim?"),
        ("--apply-log = 1", "Invalid option --apply-log = 1: did you mean --apply-log?"),
    ] {
        with_config(format!("--scale=2\n{line}\n").as_bytes(), |conf| {
            let error = parse(&[&format!("--config={conf}"), "a", "b"]).unwrap_err();
            assert_eq!(error, format!("{conf}:2: {message}"));
        });
    }
    assert_eq!(
        parse(&["--config=nosuch.conf"]).unwrap_err(),
        "cannot open config file nosuch.conf: No such file or directory"
    );
    assert_eq!(parse(&["--config"]).unwrap_err(), "cannot open config file '': No such file or directory");
}

#[test]
fn arguments_are_distributed_by_their_places() {
    let joined = parse_words::<Joined>(&words(&["a", "b", "c"])).unwrap();
    assert!(joined.inputs == ["a", "b"] && joined.output == "c");
    assert_eq!(parse_words::<Joined>(&words(&["a"])).unwrap_err(), "expected at least 2 arguments, got 1");
    let loose = parse_words::<Loose>(&words(&["a"])).unwrap();
    assert!(loose.first == "a" && loose.second.is_none() && loose.rest.is_empty());
    let loose = parse_words::<Loose>(&words(&["a", "b", "c", "d"])).unwrap();
    assert!(loose.first == "a" && loose.second == Some(Arg::from("b")) && loose.rest == ["c", "d"]);
}

#[test]
fn a_value_that_its_type_refuses_is_named_with_the_reason() {
    let Typed { other_columns, first_columns } = parse_words(&words(&["--other-columns=1", "2"])).unwrap();
    assert!(matches!((other_columns, first_columns), (Some(Selection), Selection)));
    let error = parse_words::<Typed>(&words(&["--other_columns=1", "x"])).unwrap_err();
    assert_eq!(error, "invalid first columns \"x\": expected columns: invalid digit found in string");
    let error = parse_words::<Typed>(&words(&["--other_columns=y", "2"])).unwrap_err();
    assert_eq!(error, "Invalid option --other_columns=y: expected columns: invalid digit found in string");
    let odd = OsString::from_vec(b"\xff".to_vec());
    let error = parse_words::<Typed>(&[odd]).unwrap_err();
    assert_eq!(error, "invalid first columns \"\u{fffd}\": expected UTF-8");
}

#[test]
fn arguments_need_not_be_utf8_nor_filled() {
    let odd = OsString::from_vec(b"\xff=\n".to_vec());
    let opts: Options = parse_words(&[odd.clone(), "".into()]).unwrap();
    assert!(opts.input == Arg::from(odd.clone()) && opts.output.is_empty());
    let mut option = OsString::from("--write-num-frames=");
    option.push(&odd);
    let opts: Options = parse_words(&[option, "a".into(), "b".into()]).unwrap();
    assert_eq!(opts.write_num_frames, Some(Arg::from(OsString::from_vec(b"\xff=".to_vec()))));
    let unknown = OsString::from_vec(b"--\xff=1".to_vec());
    assert!(parse_words::<Options>(&[unknown]).unwrap_err().starts_with("Invalid option --"));
}

#[test]
fn the_usage_text_has_kaldis_layout() {
    let usage = usage::usage_text(
        "Copies.\n\nUsage: copy [options] <in> <out>\n",
        &command(&Options::augment_args, false),
        200,
    );
    let expected = "
Copies.

Usage: copy [options] <in> <out>

Options:
  --apply-log                 : Take the logarithm (bool, default = false)
  --binary                    : Write in binary mode (only relevant if the output is a wxfilename) (bool, default = true)
  --change_dim                : Cut or zero-pad to this dimension (int, default = -1)
  --first                     : First row (uint, default = 0)
  --start_row                 : Another name of --first
  --floor                     : Smallest value (double, default = 1e-10)
  --scale                     : Factor (float, default = 1)
  --window-type               : Type of window (string, default = \"povey\")
  --write-num-frames          : Wspecifier for the number of frames (string, default = \"\")

Standard options:
  --config                    : ";
    assert!(usage.starts_with(expected), "{usage}");
}

//! Options and words with old names, and which options were given.

use super::*;

const PARTS: [(&str, char); 2] = [("train", 't'), ("valid", 'v')];

#[derive(Debug, clap::Args)]
struct Renamed {
    /// The part of the data
    #[arg(long, alias = "split", default_value = "train", value_parser = crate::one_of_renamed(&PARTS, &[("dev", "valid")]))]
    part: char,
}

#[test]
fn old_names_and_words_are_taken_and_not_shown() {
    for option in ["--part=valid", "--part=Valid", "--split=valid", "--SPLIT=dev", "--part=dev"] {
        let (parsed, log) = kaldi_io::log::capture(|| parse_words::<Renamed>(&words(&[option])));
        assert_eq!(parsed.unwrap().part, 'v', "{option}");
        let log = String::from_utf8(log).unwrap();
        assert_eq!(log.contains("--split is an old name of --part"), option.to_lowercase().contains("split"), "{log}");
        assert_eq!(log.contains("--part=dev is an old spelling of --part=valid"), option.contains("dev"), "{log}");
    }
    let refused = parse_words::<Renamed>(&words(&["--split=x"])).unwrap_err();
    assert_eq!(refused, "Invalid option --split=x: expected train or valid, got \"x\"");
    let help = usage::usage_text("", &command(&Renamed::augment_args, false), 100);
    assert!(!help.contains("split") && !help.contains("dev"), "{help}");
}

#[test]
fn options_that_were_given_are_returned_without_the_others() {
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), "--Part=dev # a comment\n--verbose=0\n").unwrap();
    let config = format!("--config={}", config.path().display());
    let given = |given: &[&str]| crate::given_options::<Renamed>(&words(given));
    let (from_config, _) = kaldi_io::log::capture(|| given(&[&config]));
    assert_eq!(from_config.unwrap(), [("part".to_owned(), "valid".to_owned())]);
    assert_eq!(given(&[]).unwrap(), []);
    assert!(given(&["--prat=train"]).unwrap_err().ends_with("did you mean --part?"));
    assert!(given(&["--help"]).is_err() && given(&["x"]).is_err());
}

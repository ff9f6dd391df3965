//! The display of progress on a terminal, which script(1) is.

use crate::support::Scratch;

/// Whether a display was shown while a tool ran for some seconds; the display comes after two.
fn is_shown(scratch: &Scratch, seconds: u32, arguments: &str) -> bool {
    let line = format!("script -qec \"copy-vector 'ark:(echo a [ 1 ]; sleep {seconds}) |' {arguments}\" /dev/null");
    String::from_utf8_lossy(scratch.sh(&line).succeeds().stdout()).contains("1 entries, ")
}

#[test]
fn progress_is_shown_if_no_values_come_to_the_terminal() {
    let scratch = Scratch::new();
    if std::path::Path::new("/usr/bin/script").exists() {
        assert!(is_shown(&scratch, 8, "ark:out.ark"));
        assert!(is_shown(&scratch, 8, "ark,t:- > out.txt"));
        assert!(!is_shown(&scratch, 4, "ark,t:-"));
        assert!(!is_shown(&scratch, 4, "'ark,t:| cat'"));
        assert!(!is_shown(&scratch, 4, "--progress=false ark:out.ark"));
    }
}

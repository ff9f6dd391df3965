//! The display of progress on a terminal, which script(1) is.

use crate::support::Scratch;

/// Whether a display was shown while a tool ran for some seconds.
fn is_shown(scratch: &Scratch, arguments: &str) -> bool {
    let line = format!("script -qec \"copy-vector 'ark:(echo a [ 1 ]; sleep 3) |' {arguments}\" /dev/null");
    String::from_utf8_lossy(scratch.sh(&line).succeeds().stdout()).contains("1 entries, ")
}

#[test]
fn progress_is_shown_if_no_values_come_to_the_terminal() {
    let scratch = Scratch::new();
    if std::path::Path::new("/usr/bin/script").exists() {
        assert!(is_shown(&scratch, "ark:out.ark"));
        assert!(is_shown(&scratch, "ark,t:- > out.txt"));
        assert!(!is_shown(&scratch, "ark,t:-"));
        assert!(!is_shown(&scratch, "'ark,t:| cat'"));
        assert!(!is_shown(&scratch, "--progress=false ark:out.ark"));
    }
}

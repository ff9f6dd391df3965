//! Names of tables without `ark:` and `scp:`.

use bstr::{BStr, BString};
use kaldi_io::{Rspecifier, RspecifierKind, Wspecifier, WspecifierKind, is_specifier};

use crate::entries::Entries;
use crate::kind::{Named, NamedKind};

/// The wspecifier of an archive, whose name needs no `ark:`. That of a script file alone stays as it is: it is no archive.
pub fn archive_to_write(name: &BStr) -> BString {
    match is_specifier(name) || name.ends_with(b".scp") {
        true => name.to_owned(),
        false => with("ark:", name),
    }
}

/// The specifiers of a table and of its copy, where one of the names says that it is an archive. Lists, of which lines are copied, keep
/// their names. A source that cannot be looked at keeps its name, too: whoever opens it says why.
pub fn copied_tables(source: &BStr, target: &BStr) -> (BString, BString) {
    let to_archive = match Wspecifier::parse(target) {
        Some(wspecifier) => !matches!(wspecifier.kind, WspecifierKind::Script(_)),
        None => target.ends_with(b".ark"),
    };
    let (is_archive, source) = match Rspecifier::parse(source) {
        Some(rspecifier) => (rspecifier.kind == RspecifierKind::Archive, source.to_owned()),
        None => match bare_kind(source) {
            Some(NamedKind::Script) if to_archive => (false, with("scp:", source)),
            Some(NamedKind::Archive) if to_archive => (true, with("ark:", source)),
            Some(NamedKind::Archive) if !has_lines(source) => (true, with("ark:", source)),
            _ => (false, source.to_owned()),
        },
    };
    let target = if is_archive || to_archive { archive_to_write(target) } else { target.to_owned() };
    (source, target)
}

/// What a name without a specifier names.
fn bare_kind(name: &BStr) -> Option<NamedKind> {
    if is_specifier(name) {
        return None;
    }
    Named::find(name).ok().map(|named| named.kind)
}

/// Whether each line of a text has an entry, so that copying lines copies the entries.
fn has_lines(name: &BStr) -> bool {
    let Ok(named) = Named::find(name) else { return true };
    if named.is_binary {
        return false;
    }
    named.is_stream() || Entries::find_type(&named).is_none_or(|value_type| value_type.has_lines())
}

fn with(prefix: &str, name: &BStr) -> BString {
    [prefix.as_bytes(), name].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_names_become_specifiers_where_values_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).display().to_string();
        for (name, content) in [
            ("b.ark", &b"a \0B\x04\x07\0\0\0"[..]),
            ("m.ark", b"a  [\n  1 2\n  3 4 ]\n"),
            ("text", b"a one two\nb three\n"),
            ("keys", b"a\nb\n"),
        ] {
            std::fs::write(place(name), content).unwrap();
        }
        std::fs::write(place("s.scp"), format!("a {}:2\n", place("b.ark"))).unwrap();
        let named = |source: &str, target: &str| {
            let (source, target) = copied_tables(source.into(), target.into());
            format!("{source} {target}").replace(&format!("{}/", folder.path().display()), "")
        };
        let source = |name: &str, target: &str| named(&place(name), target);
        assert_eq!(source("b.ark", "x.ark"), "ark:b.ark ark:x.ark");
        assert_eq!(source("b.ark", "x"), "ark:b.ark ark:x");
        assert_eq!(source("m.ark", "x"), "ark:m.ark ark:x");
        assert_eq!(source("text", "x"), "text x");
        assert_eq!(source("text", "ark:x"), "ark:text ark:x");
        assert_eq!(source("keys", "x"), "keys x");
        assert_eq!(source("s.scp", "x.scp"), "s.scp x.scp");
        assert_eq!(source("s.scp", "x.ark"), "scp:s.scp ark:x.ark");
        assert_eq!(source("s.scp", "ark,scp:x,y"), "scp:s.scp ark,scp:x,y");
        assert_eq!(source("b.ark", "x.scp"), "ark:b.ark x.scp");
        assert_eq!(named("ark:-", "x"), "ark:- ark:x");
        assert_eq!(named("scp:s", "x"), "scp:s x");
        assert_eq!(named("-", "-"), "- -");
        assert_eq!(named("-", "ark:-"), "ark:- ark:-");
        assert_eq!(named("nowhere", "x"), "nowhere x");
    }
}

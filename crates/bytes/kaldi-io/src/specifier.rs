//! Names of tables: rspecifiers and wspecifiers.
//!
//! ```text
//! s,cs,ark:gunzip -c feats.ark.gz |        options and kind, a colon, where to read
//! ark,scp,t:feats.ark,feats.scp            an archive and the script file that points into it
//! ```
//!
//! The part before the first colon is a list of words without spaces. Exactly one of them (or `ark,scp` in this order,
//! for writing) says which kind of table it is. Follows Kaldi's `util/kaldi-table.h`.

use std::io::Read;

use bstr::{BStr, BString, ByteSlice};

/// How a table is stored for reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RspecifierKind {
    /// `ark:`, keys and values in one stream.
    Archive,
    /// `scp:`, lines of a key and the rxfilename of its value.
    Script,
    /// `shard:`, a list of tar files of samples, or one of them.
    Shards,
    /// `shar:`, a folder of cuts and tar files as lhotse writes it, or one of its files of cuts.
    Shar,
}

/// The words before the colon of an rspecifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RspecifierOptions {
    /// `o`: every key is asked for at most once (random access).
    pub once: bool,
    /// `s`: the keys of the table are sorted (random access).
    pub sorted: bool,
    /// `cs`: keys are asked for in sorted order (random access).
    pub called_sorted: bool,
    /// `p`: entries that cannot be read count as missing. A cut archive or a failing pipe is no error.
    pub permissive: bool,
    /// `bg`: entries are read ahead on another thread.
    pub background: bool,
}

/// A table to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rspecifier {
    /// Archive, script file, shards or Shar.
    pub kind: RspecifierKind,
    /// What is promised about the table, and how to read it.
    pub options: RspecifierOptions,
    /// `field=NAME`, for shards: the member or the entry of a member that is the value, such as `json.text`; for Shar the entry of a cut.
    pub field: Option<BString>,
    /// Where the archive or script file is.
    pub rxfilename: BString,
}

impl Rspecifier {
    /// Parses `[options,]ark:rxfilename`, and the same with `scp:`, `shard:` or `shar:`; `None` if `text` has no such form.
    ///
    /// `b` and `t` are accepted and have no effect, because a reader looks at the data.
    pub fn parse(text: &BStr) -> Option<Self> {
        let (words, rest) = split(text)?;
        let (mut kind, mut field) = (None, None);
        let mut options = RspecifierOptions::default();
        for word in words {
            if let Some(name) = word.strip_prefix(b"field=").filter(|name| !name.is_empty()) {
                field = Some(BString::from(name));
                continue;
            }
            match word {
                b"b" | b"t" => {}
                b"o" => options.once = true,
                b"no" => options.once = false,
                b"s" => options.sorted = true,
                b"ns" => options.sorted = false,
                b"cs" => options.called_sorted = true,
                b"ncs" => options.called_sorted = false,
                b"p" => options.permissive = true,
                b"np" => options.permissive = false,
                b"bg" => options.background = true,
                b"ark" if kind.is_none() => kind = Some(RspecifierKind::Archive),
                b"scp" if kind.is_none() => kind = Some(RspecifierKind::Script),
                b"shard" if kind.is_none() => kind = Some(RspecifierKind::Shards),
                b"shar" if kind.is_none() => kind = Some(RspecifierKind::Shar),
                _ => return None,
            }
        }
        let kind = kind?;
        let has_fields = matches!(kind, RspecifierKind::Shards | RspecifierKind::Shar);
        (has_fields || field.is_none()).then(|| Self { kind, options, field, rxfilename: rest.into() })
    }
}

/// Where a table is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WspecifierKind {
    /// `ark:`, one stream.
    Archive(BString),
    /// `scp:`, every value is written to the file that an existing script file names for its key.
    Script(BString),
    /// `ark,scp:`, an archive and a new script file that points into it.
    Both {
        /// Where the archive goes.
        archive: BString,
        /// Where the script file goes.
        script: BString,
    },
}

/// The words before the colon of a wspecifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WspecifierOptions {
    /// `b` (default) or `t`: binary or text values.
    pub binary: bool,
    /// `f` or `nf` (default): write every entry out at once, in place.
    pub flush: bool,
    /// `p`: keys that a script file does not have are skipped. A failing output pipe is no error.
    pub permissive: bool,
}

/// A table to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wspecifier {
    /// Archive, script file or both.
    pub kind: WspecifierKind,
    /// How to write.
    pub options: WspecifierOptions,
}

impl Wspecifier {
    /// Parses `[options,]ark:wxfilename`, `[options,]scp:rxfilename` or `[options,]ark,scp:wxfilename,wxfilename` (split
    /// at the first comma); `None` if `text` has no such form.
    pub fn parse(text: &BStr) -> Option<Self> {
        let (words, rest) = split(text)?;
        let (mut archive, mut script) = (false, false);
        let mut options = WspecifierOptions { binary: true, flush: false, permissive: false };
        for word in words {
            match word {
                b"b" => options.binary = true,
                b"t" => options.binary = false,
                b"f" => options.flush = true,
                b"nf" => options.flush = false,
                b"p" => options.permissive = true,
                b"ark" if !archive && !script => archive = true,
                b"scp" if !script => script = true,
                _ => return None,
            }
        }
        let kind = match (archive, script) {
            (true, false) => WspecifierKind::Archive(rest.into()),
            (false, true) => WspecifierKind::Script(rest.into()),
            (true, true) => {
                let (archive, script) = rest.split_once_str(b",")?;
                WspecifierKind::Both { archive: archive.into(), script: script.into() }
            }
            (false, false) => return None,
        };
        Some(Self { kind, options })
    }
}

/// Whether `text` has the form of a specifier.
pub fn is_specifier(text: &BStr) -> bool {
    Rspecifier::parse(text).is_some() || Wspecifier::parse(text).is_some()
}

/// Says why `text` is not a valid specifier, for an error message. `role` is `rspecifier` or `wspecifier`.
pub fn specifier_advice(text: &BStr, role: &str) -> String {
    let example =
        if role == "wspecifier" { "ark,t:- or ark,scp:foo.ark,foo.scp" } else { "ark:foo.ark or scp:foo.scp" };
    let Some((words, _)) = text.split_once_str(b":") else {
        let kind = if role == "rspecifier" && text.ends_with(b".scp") { "scp" } else { "ark" };
        let meant = crate::quote::quote_on_one_line(&[kind.as_bytes(), b":", text].concat());
        let found = if role == "rspecifier" { recognized(text) } else { None };
        return match found {
            Some(found) => format!("it is a file, not a table; {found}"),
            None => format!("it is a file or pipe, not a table; write {meant}, or for example {example}"),
        };
    };
    if text.last().is_some_and(|&byte| crate::characters::is_space(byte)) {
        return "it ends in white space".to_owned();
    }
    if words.iter().any(|&byte| crate::characters::is_space(byte)) {
        return "there must be no white space before the colon".to_owned();
    }
    if role == "wspecifier" && words.split_str(b",").any(|word| matches!(word, b"shard" | b"shar")) {
        return crate::Lack::WritingShards.explain("shards are tables to read only");
    }
    let kinds: Vec<&[u8]> = words.split_str(b",").filter(|word| is_kind(word)).collect();
    match kinds.as_slice() {
        [b"scp", b"ark"] if role == "wspecifier" => "the order is ark,scp and not scp,ark".to_owned(),
        [b"ark", b"scp"] if role == "rspecifier" => "ark,scp is for writing; read either of the two".to_owned(),
        [] => format!("no ark or scp before the colon; write for example {example}"),
        [b"ark", b"scp"] => "two names are needed, with a comma between them: ark,scp:foo.ark,foo.scp".to_owned(),
        [_, _, ..] => "there is more than one of ark, scp, shard and shar".to_owned(),
        _ if words.split_str(b",").any(|word| word.starts_with(b"field=")) => {
            "field= needs a name, and is only for shard and shar".to_owned()
        }
        _ => format!("an option before the colon is unknown or not for a {role}"),
    }
}

/// What the file is that was named instead of a table. `None` if it is an archive.
fn recognized(name: &BStr) -> Option<String> {
    const HEAD: usize = 1 << 9;
    let Ok(crate::Rxfilename::File(path)) = crate::Rxfilename::parse(name) else { return None };
    if !path.is_file() {
        return None;
    }
    let mut head = Vec::new();
    std::fs::File::open(path).ok()?.take(HEAD as u64).read_to_end(&mut head).ok()?;
    crate::recognize(&head, crate::ExpectedStream::Archive, &crate::printable_rxfilename(name), 0)
}

/// Whether a word before the colon says which kind of table it is.
pub fn is_kind(word: &[u8]) -> bool {
    matches!(word, b"ark" | b"scp" | b"shard" | b"shar")
}

/// The words before the first colon and what follows it. `None` if the text ends in white space.
fn split(text: &BStr) -> Option<(impl Iterator<Item = &[u8]>, &[u8])> {
    let (words, rest) = text.split_once_str(b":")?;
    if text.last().is_some_and(|&byte| crate::characters::is_space(byte)) {
        return None;
    }
    Some((words.split(|&byte| byte == b',' || byte == b' '), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(text: &str) -> Option<(RspecifierKind, String)> {
        Rspecifier::parse(text.into()).map(|spec| (spec.kind, spec.rxfilename.to_string()))
    }

    #[test]
    fn options_of_an_rspecifier_come_in_any_order() {
        let spec = Rspecifier::parse("s,ark,cs,o,p,bg,t:foo:1".into()).unwrap();
        assert_eq!(spec.kind, RspecifierKind::Archive);
        assert_eq!(spec.rxfilename, "foo:1");
        let all =
            RspecifierOptions { once: true, sorted: true, called_sorted: true, permissive: true, background: true };
        assert_eq!(spec.options, all);
        let none = Rspecifier::parse("s,cs,o,p,ns,ncs,no,np,scp:x".into()).unwrap();
        assert_eq!(none.options, RspecifierOptions::default());
    }

    #[test]
    fn shards_may_have_a_field() {
        let spec = Rspecifier::parse("p,shard,field=json.text:data.list".into()).unwrap();
        assert_eq!((spec.kind, spec.field), (RspecifierKind::Shards, Some("json.text".into())));
        assert_eq!((spec.rxfilename.as_slice(), spec.options.permissive), (&b"data.list"[..], true));
        assert_eq!(Rspecifier::parse("shard:x".into()).unwrap().field, None);
        for text in ["ark,field=a:x", "scp,field=a:x", "shard,field=:x", "shard,fields=a:x", "field=a:x"] {
            assert_eq!(reads(text), None, "{text:?}");
        }
        let spec = Rspecifier::parse("p,field=speaker,shar:x".into()).unwrap();
        assert_eq!((spec.kind, spec.field.unwrap()), (RspecifierKind::Shar, "speaker".into()));
        assert_eq!(specifier_advice("shar:x".into(), "wspecifier"), "shards are tables to read only");
        let advice = specifier_advice("ark,field=a:x".into(), "rspecifier");
        assert_eq!(advice, "field= needs a name, and is only for shard and shar");
    }

    #[test]
    fn an_rspecifier_needs_exactly_one_kind_and_known_options() {
        for text in [
            "",
            "ark",
            "foo.ark",
            "t:x",
            ":x",
            "o,s:x",
            "ARK:x",
            "ark,T:x",
            "ark,ark:x",
            "scp,ark:x",
            "ark,scp:x,y",
            "ark, t:x",
            "ark,:x",
            ",ark:x",
            "x,ark:x",
            "ark,f:x",
            "ark:x ",
            "ark:x\n",
            "ark;x",
        ] {
            assert_eq!(reads(text), None, "{text:?}");
        }
        assert_eq!(reads("ark:"), Some((RspecifierKind::Archive, String::new())));
        assert_eq!(reads("ark: x"), Some((RspecifierKind::Archive, " x".to_owned())));
        assert_eq!(reads("scp:ark:x"), Some((RspecifierKind::Script, "ark:x".to_owned())));
    }

    #[test]
    fn an_archive_and_its_script_file_are_split_at_the_first_comma() {
        let spec = Wspecifier::parse("t,ark,f,scp:a,b,c".into()).unwrap();
        assert_eq!(spec.kind, WspecifierKind::Both { archive: "a".into(), script: "b,c".into() });
        assert_eq!(spec.options, WspecifierOptions { binary: false, flush: true, permissive: false });
        for text in ["scp,ark:a,b", "ark,scp:a", "ark,scp,scp:a,b", "ark,o:a", "ark,bg:a", "t:a", "ark:a "] {
            assert_eq!(Wspecifier::parse(text.into()), None, "{text:?}");
        }
    }

    #[test]
    fn advice_names_the_mistake() {
        let advice = |text: &str| specifier_advice(text.into(), "wspecifier");
        assert!(advice("scp,ark:a,b").contains("ark,scp and not scp,ark"));
        assert!(advice("ark,scp:a").contains("two names"));
        assert!(advice("ark,ark:a").contains("more than one"));
        assert!(advice("ark, t:a").contains("white space"));
        assert!(advice("foo.ark").contains("not a table"));
    }
}

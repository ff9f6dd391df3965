//! Where a value is: an rxfilename, and perhaps a range after it.
//!
//! ```text
//! raw.ark:9341[0:99]          the file raw.ark, from byte 9341 on, and of the value there the rows 0 to 99
//! gunzip -c utt3.mat.gz |     the output of a command
//! ```

use std::path::Path;

use bstr::{BStr, BString, ByteSlice};

use crate::{Error, Rxfilename};

/// Where a value is, parsed: the rxfilename and the range after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// The text as it was written.
    text: BString,
    /// The length of the rxfilename in the text.
    length: usize,
    rxfilename: Rxfilename,
}

/// What is wrong with a text that should name a value.
#[derive(Debug, thiserror::Error)]
pub enum LocatorError {
    /// The brackets at its end make no sense.
    #[error("{0}")]
    Range(String),
    /// The name before them is not an rxfilename.
    #[error(transparent)]
    Name(Error),
}

impl Locator {
    /// Parses the text: one pair of brackets at its end is a range, and the rest is an rxfilename.
    ///
    /// # Errors
    /// If the brackets make no sense, or the name is not an rxfilename.
    pub fn parse(text: &BStr) -> Result<Self, LocatorError> {
        let length = split_range(text)?.0.len();
        let rxfilename = Rxfilename::parse(text[..length].as_bstr()).map_err(LocatorError::Name)?;
        Ok(Self { text: text.to_owned(), length, rxfilename })
    }

    /// The locator of everything that `name` names. What looks like a range belongs to the name.
    ///
    /// # Errors
    /// If the name is not an rxfilename.
    pub fn whole(name: &BStr) -> Result<Self, Error> {
        Ok(Self { text: name.to_owned(), length: name.len(), rxfilename: Rxfilename::parse(name)? })
    }

    /// The text as it was written.
    pub fn text(&self) -> &BStr {
        self.text.as_ref()
    }

    /// The name without the range.
    pub fn name(&self) -> &BStr {
        self.text[..self.length].as_bstr()
    }

    /// The name without range and offset. Other values in the same file have the same stem.
    pub fn stem(&self) -> &BStr {
        match (&self.rxfilename, self.name().rfind_byte(b':')) {
            (Rxfilename::Offset(..), Some(colon)) => self.text[..colon].as_bstr(),
            _ => self.name(),
        }
    }

    /// The name, classified.
    pub fn rxfilename(&self) -> &Rxfilename {
        &self.rxfilename
    }

    /// The part of the value that is meant, without brackets.
    pub fn range(&self) -> Option<&BStr> {
        let inside = self.text.get(self.length + 1..self.text.len().saturating_sub(1))?;
        Some(inside.as_bstr())
    }

    /// The file or object of the value; `None` for standard input and commands.
    pub fn path(&self) -> Option<&Path> {
        match &self.rxfilename {
            Rxfilename::File(path) | Rxfilename::Offset(path, _) => Some(path),
            Rxfilename::Stdin | Rxfilename::Pipe(_) => None,
        }
    }

    /// Whether the value is the output of a command.
    pub fn is_command(&self) -> bool {
        matches!(self.rxfilename, Rxfilename::Pipe(_))
    }
}

/// Splits the range off a name that ends in `]`: one pair of brackets with something before it and in it.
pub(crate) fn split_range(text: &BStr) -> Result<(&[u8], Option<&[u8]>), LocatorError> {
    let Some(body) = text.strip_suffix(b"]") else { return Ok((text, None)) };
    match body.split_once_str(b"[") {
        Some((name, range)) if !name.is_empty() && !range.is_empty() && !range.contains(&b'[') => {
            Ok((name, Some(range)))
        }
        _ => Err(LocatorError::Range(format!("cannot make sense of the range of {text:?}"))),
    }
}

impl LocatorError {
    /// The error for a name alone, on a command line.
    pub fn into_error(self, text: &BStr) -> Error {
        match self {
            Self::Range(message) => Error::Name { role: "input", name: text.to_owned(), advice: message.into() },
            Self::Name(error) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_one_pair_of_brackets_at_the_end() {
        let t = |text: &str, name: &str, range: Option<&str>| {
            let locator = Locator::parse(text.into()).unwrap();
            assert_eq!((locator.name(), locator.range()), (BStr::new(name), range.map(BStr::new)), "{text}");
            assert_eq!(locator.text(), text);
        };
        t("a.ark:5[0:3]", "a.ark:5", Some("0:3"));
        t("a[1].ark", "a[1].ark", None);
        t("cat a |[0:1,:]", "cat a |", Some("0:1,:"));
        t("", "", None);
        for text in ["a[]", "[0:1]", "]", "a]", "a[0:1][2:3]", "a[[0:1]"] {
            assert!(matches!(Locator::parse(text.into()), Err(LocatorError::Range(_))), "{text}");
        }
        assert!(matches!(Locator::parse("| cat[0:1]".into()), Err(LocatorError::Name(_))));
    }

    #[test]
    fn a_locator_says_in_which_file_the_value_is() {
        let path = |text: &str| Locator::parse(text.into()).unwrap().path().map(|path| path.display().to_string());
        assert_eq!(path("a.ark:5[0:3]").as_deref(), Some("a.ark"));
        assert_eq!(path("file:/a%20b:5").as_deref(), Some("/a b"));
        assert_eq!(path("-"), None);
        assert_eq!(path("cat a |[0:1]"), None);
        assert!(Locator::parse("cat a |[0:1]".into()).unwrap().is_command());
        let stem = |text: &str| Locator::parse(text.into()).unwrap().stem().to_string();
        assert_eq!((stem("a:b:5[0:3]"), stem("a:b")), ("a:b".to_owned(), "a:b".to_owned()));
        assert_eq!(Locator::whole("a[]".into()).unwrap().path(), Some(Path::new("a[]")));
    }
}

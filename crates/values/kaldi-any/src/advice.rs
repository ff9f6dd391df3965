//! Advice about values that are of another type than the one that was wanted.
//!
//! All of this runs only when the message of an error is printed.

use kaldi_io::{ParseError, Unread};

use crate::detector::find_type;
use crate::model_type::ModelType;
use crate::value_type::ValueType;

/// An error after this many bytes of text does not show that the text is words.
const START: usize = 64;
/// Bytes that tell a sound.
const MAGIC: usize = 4;

/// The type of a value in a sentence, and a tool that reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeAdvice {
    /// Such as `this is a vector`.
    pub sentence: &'static str,
    /// The name of a tool that reads tables and files of such values.
    pub tool: &'static str,
    /// What the tool does with it.
    pub(crate) verb: &'static str,
}

impl TypeAdvice {
    const fn new(sentence: &'static str, tool: &'static str, verb: &'static str) -> Self {
        Self { sentence, tool, verb }
    }

    /// The advice about values of a type.
    pub fn of(value_type: ValueType) -> Self {
        value_type.row().advice
    }

    /// The advice about a model or statistics, which the first word shows; `None` if it is neither.
    fn of_model(bytes: &[u8]) -> Option<Self> {
        let model_type = ModelType::of(bytes)?;
        let sentence = model_type.sentence();
        Some(match model_type {
            ModelType::Transitions => Self::new(sentence, "am-info", "reads it"),
            _ if model_type.is_several() => Self::new(sentence, "table-info", "shows their sizes"),
            _ => Self::new(sentence, "table-info", "shows its sizes"),
        })
    }

    /// The advice about a value that could not be read; `None` if its type is unknown or ambiguous.
    pub fn on(error: &ParseError) -> Option<Self> {
        let Unread { bytes, at_end } = error.value.as_ref()?;
        // A value that is cut has the right type.
        if error.at_end {
            return None;
        }
        if let Some(model) = Self::of_model(bytes) {
            return Some(model);
        }
        let value_type = find_type(bytes, *at_end)?;
        // The first bytes show an example or a graph. If it is damaged, that may be what the error is about.
        let is_shown_at_start = value_type.is_example() || value_type.graph_form().is_some();
        if is_shown_at_start && (value_type.row().parse)(bytes, *at_end).is_err() {
            return None;
        }
        // A sound that is damaged after its first bytes.
        let is_sound = value_type == ValueType::Wave && kaldi_wave::sound_suffix(bytes).is_some();
        if is_sound && error.offset >= MAGIC {
            return None;
        }
        if value_type.is_words() && (error.offset >= START || is_numbers(bytes)) {
            return None;
        }
        Some(match bytes.as_ref() {
            [0, b'B', b'C', ..] if value_type == ValueType::Matrix => {
                Self::new("this is a compressed matrix", "copy-feats", "reads it")
            }
            bytes if value_type == ValueType::Matrix && is_sparse(bytes) => {
                Self::new("this is a sparse matrix", "table-head", "prints it")
            }
            _ => Self::of(value_type),
        })
    }
}

impl std::fmt::Display for TypeAdvice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {} {}", self.sentence, self.tool, self.verb)
    }
}

/// Whether the first line has only numbers.
fn is_numbers(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_number = |word: &[u8]| std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).all(is_number)
}

fn is_sparse(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\0BS") || bytes.trim_ascii_start().starts_with(b"rows=")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message for a value that could not be read from `offset` on, and that consists of these bytes.
    fn said(value: &[u8], offset: usize) -> String {
        said_of(ParseError::new(offset, "expected x").in_value(value, true))
    }

    fn said_of(error: ParseError) -> String {
        TypeAdvice::on(&error).map_or("nothing".to_owned(), |advice| advice.to_string())
    }

    fn units(numbers: &[i32]) -> Vec<u8> {
        let unit = |number: &i32| [&[4], number.to_le_bytes().as_slice()].concat();
        [b"\0B".to_vec(), numbers.iter().flat_map(unit).collect()].concat()
    }

    #[test]
    fn models_are_known_by_their_first_word() {
        assert_eq!(said(b"\0B<TransitionModel> <Topology> \x04", 2), "this is a model; am-info reads it");
        let tree = "this is a decision tree; table-info shows its sizes";
        assert_eq!(said(b"ContextDependency 1 0 ToPdf CE 0 EndContextDependency ", 0), tree);
        let stats = "these are statistics for LDA; table-info shows their sizes";
        assert_eq!(said(b"\0B<LDAACCS> <VECSIZE> \x04", 0), stats);
    }

    #[test]
    fn text_is_known_by_its_form() {
        for (text, expected) in [
            (" [\n  1 2 ]\n", "this is a matrix; copy-matrix reads it"),
            ("[ 1 2\n 3 4 ]\n", "this is a matrix; copy-matrix reads it"),
            (" [ 1 2.5 ]\n", "this is a vector; copy-vector reads it"),
            ("[ 1 0.5 ] [ 2 1 ]\n", "this is a posterior; copy-post reads it"),
            ("rows=1 dim=5 [ 3 0.5 ] \n", "this is a sparse matrix; table-head prints it"),
            ("1 2 ; 3 ;\n", "these are vectors of integers; copy-gselect reads them"),
            ("1 2 ; 3 0.5\n", "these are pairs of numbers; table-head prints them"),
            ("1 2 3\n", "this is an integer vector; copy-int-vector reads it"),
            ("1\n", "this is an integer vector; copy-int-vector reads it"),
            ("1 2.5\n", "these are pairs of numbers; table-head prints them"),
            ("0.5\n", "this is a number; table-head prints it"),
            ("T\n", "this is a truth value; table-head prints it"),
            ("1 2 7  [ 0.5 1 ]\n8  [ 1 2 ]\n\n", "this is a posterior of Gaussians; table-head prints it"),
            ("hello world\n", "these are words; table-head prints them"),
            ("hello\n", "these are words; table-head prints them"),
            ("\n0 1 8 1,2,3\n1\n\n", "this is a lattice; lattice-copy reads it"),
            ("\n0 1 3 8 1,2\n1\n\n", "this is a lattice; lattice-copy reads it"),
            ("\n0 1 3 8 1\n1\n\n", "this is an FST; table-head prints it"),
        ] {
            assert_eq!(said(text.as_bytes(), 0), expected, "{text:?}");
        }
        // A damaged lattice, of which a tool for lattices complains, has the right type.
        for text in ["", "\n", "1 2.5 3\n", "[ 1 x ]\n", "a\x01\n", "\n0 1 8 1,2,3\n1 2,3\n\n"] {
            assert_eq!(said(text.as_bytes(), 0), "nothing", "{text:?}");
        }
        assert_eq!(said(&[b"a ".repeat(50), b"\n".to_vec()].concat(), 64), "nothing");
    }

    #[test]
    fn binary_is_known_by_its_token_or_its_end() {
        assert_eq!(said(b"\0BDV \x04\x01\0\0\0........", 2), "this is a vector; copy-vector reads it");
        assert_eq!(said(b"\0BFM \x05", 4), "nothing");
        for (numbers, expected) in [
            (&[3, 7, 8, 9][..], "this is an integer vector; copy-int-vector reads it"),
            (&[2, 2, 7, 8, 1, 9], "these are vectors of integers; copy-gselect reads them"),
            (&[2, 1, 7, 8, 0], "this is a posterior; copy-post reads it"),
            (&[2, 7, 8, 9, 9], "these are pairs of numbers; table-head prints them"),
            (&[1_056_964_608], "this is a number; table-head prints it"),
        ] {
            assert_eq!(said(&units(numbers), 2), expected, "{numbers:?}");
            let followed = [&units(numbers), &b"key \0B"[..]].concat();
            let error = ParseError::new(2, "expected x").in_value(&followed, false);
            assert_eq!(said_of(error), expected, "{numbers:?}");
        }
        assert_eq!(said(&units(&[5, 1]), 2), "nothing");
    }

    #[test]
    fn a_value_that_is_cut_or_not_there_has_no_advice() {
        let whole = b"1 2 3\n";
        assert_eq!(TypeAdvice::on(&ParseError::new(0, "expected x")), None);
        assert_eq!(TypeAdvice::on(&ParseError::end(0, "x").in_value(whole, true)), None);
        // More bytes may follow, so that it may still become a vector or a matrix.
        assert_eq!(TypeAdvice::on(&ParseError::new(0, "expected x").in_value(b"[ 1 2", false)), None);
    }
}

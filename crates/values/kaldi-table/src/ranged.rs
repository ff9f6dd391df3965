//! The ranges of script lines: which bytes of a value they need. Texts are parsed once for all lines.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bstr::{BStr, BString};
use kaldi_io::{ParseError, fallible};
use kaldi_value::Cursor;

use crate::value_fns::{ReadFn, ValueFns};

/// The range of a script line, and what is known of the whole value.
#[derive(Clone, Debug)]
pub(crate) struct Ranged {
    /// Without its brackets.
    pub(crate) range: BString,
    parsed: Arc<ParsedText>,
}

/// A value that was read from text, kept in binary form for all lines that name parts of it.
#[derive(Debug, Default)]
pub(crate) struct ParsedText(OnceLock<Result<Binary, ParseError>>);

/// A value in binary form.
#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) bytes: Vec<u8>,
    /// Doubtful places in the text.
    pub(crate) warnings: Vec<ParseError>,
}

impl Ranged {
    pub(crate) fn new(range: &BStr, parsed: Arc<ParsedText>) -> Self {
        Self { range: range.to_owned(), parsed }
    }

    /// Lets `read` read the whole value in `bytes`. If it is text, `read` gets the same value in binary form.
    pub(crate) fn read(
        &self,
        fns: &ValueFns,
        bytes: &[u8],
        read: &mut dyn FnMut(&mut Cursor<'_>) -> Result<(), ParseError>,
    ) -> (Result<(), ParseError>, Vec<ParseError>) {
        if bytes.first() == Some(&0) {
            let mut cursor = Cursor::new(bytes);
            return (read(&mut cursor), cursor.take_warnings());
        }
        match self.parsed.0.get_or_init(|| fns.to_binary(bytes)) {
            Ok(binary) => {
                let mut cursor = Cursor::new(&binary.bytes);
                let result = read(&mut cursor);
                (result, [binary.warnings.clone(), cursor.take_warnings()].concat())
            }
            Err(error) => (Err(error.clone()), Vec::new()),
        }
    }

    /// Reads the part of a value that starts with `head` and is mostly stored elsewhere: `read_piece` appends bytes of
    /// it to a buffer. Returns nothing if the header does not say which bytes are needed.
    pub(crate) fn read_pieces<E>(
        &self,
        fns: &ValueFns,
        head: &mut Cursor<'_>,
        read_piece: impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), E>,
        read: &mut ReadFn<'_>,
    ) -> Result<Option<Result<(), ParseError>>, E> {
        let part = match (fns.part)(head, &self.range) {
            Ok(Some(part)) => part,
            Ok(None) => return Ok(None),
            Err(error) => return Ok(Some(Err(error))),
        };
        let mut bytes = part.head;
        // If there is not enough memory, reading the pieces reports it.
        let _ = usize::try_from(part.pieces.iter().map(|piece| piece.end - piece.start).sum::<u64>())
            .map(|length| fallible(|| bytes.try_reserve_exact(length)));
        for piece in part.pieces {
            read_piece(piece, &mut bytes)?;
        }
        Ok(Some(read(&mut Cursor::new(&bytes), part.range.as_deref())))
    }
}

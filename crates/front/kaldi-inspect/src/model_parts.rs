//! What is in files whose first word does not show what they are: their parts are looked at, without their numbers.

use kaldi_any::ModelType;
use kaldi_io::Input;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 12;

/// Bytes of text, or of a binary file without vectors and matrices, that are looked at.
const LONGEST: u64 = 1 << 20;

/// A part of a file of tokens, numbers, vectors and matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Token(Vec<u8>),
    Number,
    Vector,
    Matrix,
}

/// The kind of a file whose first word is that of `first`, and perhaps of another kind, too. A file that is damaged keeps the
/// kind that its start shows.
pub(crate) fn model_by_parts(input: Input, head: Vec<u8>, first: ModelType) -> ModelType {
    let mut parts = Parts::new(input, head);
    match first {
        ModelType::DiagGmm => {
            let is_whole = parts.find_token(&["</DiagGMM>", "<DiagGMMEnd>"]).is_some();
            if is_whole && parts.next().is_some() { ModelType::Fmpe } else { first }
        }
        ModelType::DiagGmmStats => {
            let token = parts.find_token(&["<DIAGVARACCS>", "<FULLVARACCS>", "</GMMACCS>"]);
            let is_diag = token.is_none_or(|token| token == b"<DIAGVARACCS>");
            if is_diag { first } else { ModelType::FullGmmStats }
        }
        _ => first,
    }
}

/// The kind of statistics that start with a vector or a matrix; `None` if it is one value.
pub(crate) fn stats_by_parts(input: Input, head: Vec<u8>) -> Option<ModelType> {
    let mut parts = Parts::new(input, head);
    match parts.next()? {
        // The second matrix may be cut.
        Part::Matrix => parts.starts_with_matrix()?.then_some(ModelType::FmpeStats),
        Part::Vector => (parts.next()? == Part::Token(b"<NUMPDFS>".to_vec())).then_some(ModelType::AcousticStats),
        _ => None,
    }
}

/// The parts of a file, one after the other.
struct Parts {
    input: Input,
    /// What was read and not consumed.
    bytes: Vec<u8>,
    is_binary: bool,
    /// How many bytes may still be looked at.
    left: u64,
}

impl Parts {
    fn new(input: Input, mut head: Vec<u8>) -> Self {
        let is_binary = head.starts_with(b"\0B");
        if is_binary {
            head.drain(..2);
        }
        Self { input, bytes: head, is_binary, left: LONGEST }
    }

    /// The next part; `None` at the end, at something else, and after too many bytes.
    fn next(&mut self) -> Option<Part> {
        if self.is_binary { self.next_binary() } else { self.next_text() }
    }

    /// The next of these tokens.
    fn find_token(&mut self, words: &[&str]) -> Option<Vec<u8>> {
        loop {
            match self.next()? {
                Part::Token(token) if words.iter().any(|word| word.as_bytes() == token) => return Some(token),
                _ => {}
            }
        }
    }

    fn next_binary(&mut self) -> Option<Part> {
        let size = *self.at_least(1)?.first()? as i8;
        // The size of a number, negative if it has no sign.
        if matches!(size.unsigned_abs(), 1 | 2 | 4 | 8) {
            self.skip(1 + u64::from(size.unsigned_abs()))?;
            return Some(Part::Number);
        }
        let token = self.token(b' ')?;
        let (width, kind) = match token.as_slice() {
            [precision @ (b'F' | b'D'), kind @ (b'V' | b'M' | b'P')] => (if *precision == b'F' { 4 } else { 8 }, *kind),
            _ => return Some(Part::Token(token)),
        };
        let rows = self.size()?;
        let count = match kind {
            b'V' => rows,
            b'M' => rows.checked_mul(self.size()?)?,
            _ => rows.checked_mul(rows + 1)? / 2,
        };
        self.skip(count.checked_mul(width)?)?;
        Some(if kind == b'V' { Part::Vector } else { Part::Matrix })
    }

    /// Whether the next part is a matrix, whole or not.
    fn starts_with_matrix(&mut self) -> Option<bool> {
        if self.is_binary {
            return Some(matches!(self.at_least(3)?, [b'F' | b'D', b'M', b' ', ..]));
        }
        while self.at_least(1)?.first()?.is_ascii_whitespace() {
            self.consume(1)?;
        }
        Some(self.bytes.first() == Some(&b'['))
    }

    fn next_text(&mut self) -> Option<Part> {
        while self.at_least(1)?.first()?.is_ascii_whitespace() {
            self.consume(1)?;
        }
        if self.bytes.first() != Some(&b'[') {
            let is_number = matches!(self.bytes.first(), Some(b'0'..=b'9' | b'-' | b'+' | b'.'));
            let end = self.find(|byte| byte.is_ascii_whitespace())?;
            let token = self.bytes[..end].to_vec();
            self.consume(end as u64)?;
            return Some(if is_number { Part::Number } else { Part::Token(token) });
        }
        let end = self.find(|byte| byte == b']')?;
        // The first row of a matrix is on a line of its own.
        let row = self.bytes[1..end].iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        let part = if row == Some(&b'\n') { Part::Matrix } else { Part::Vector };
        self.consume(end as u64 + 1)?;
        Some(part)
    }

    /// Consumes a size: a byte of 4 and four bytes.
    fn size(&mut self) -> Option<u64> {
        let &[4, a, b, c, d] = self.at_least(5)?.first_chunk()? else { return None };
        self.consume(5)?;
        u64::try_from(i32::from_le_bytes([a, b, c, d])).ok()
    }

    /// Consumes a token and what ends it.
    fn token(&mut self, end: u8) -> Option<Vec<u8>> {
        let length = self.find(|byte| byte == end)?;
        let token = self.bytes[..length].to_vec();
        self.consume(length as u64 + 1)?;
        Some(token)
    }

    /// Where the first byte of a kind is.
    fn find(&mut self, is_wanted: impl Fn(u8) -> bool) -> Option<usize> {
        let mut seen = 0;
        loop {
            if let Some(at) = self.bytes[seen..].iter().position(|&byte| is_wanted(byte)) {
                return Some(seen + at);
            }
            seen = self.bytes.len();
            if seen as u64 > self.left {
                return None;
            }
            self.at_least(seen + 1)?;
        }
    }

    /// At least so many bytes; `None` if there are not.
    fn at_least(&mut self, count: usize) -> Option<&[u8]> {
        while self.bytes.len() < count {
            let limit = CHUNK.max(self.bytes.len());
            if self.input.read_some(&mut self.bytes, limit).ok()? == 0 {
                return None;
            }
        }
        Some(&self.bytes)
    }

    /// Consumes bytes that are looked at.
    fn consume(&mut self, count: u64) -> Option<()> {
        self.left = self.left.checked_sub(count)?;
        self.bytes.drain(..count as usize);
        Some(())
    }

    /// Consumes bytes that are not looked at, in a file without reading them.
    fn skip(&mut self, count: u64) -> Option<()> {
        let here = count.min(self.bytes.len() as u64);
        self.bytes.drain(..here as usize);
        let mut beyond = count - here;
        if beyond == 0 {
            return Some(());
        }
        if self.input.remaining().is_some_and(|remaining| beyond > remaining) {
            return None;
        }
        if self.input.seek(self.input.offset() + beyond).is_ok() {
            return Some(());
        }
        while beyond > 0 {
            let read = self.input.read_some(&mut self.bytes, CHUNK.min(beyond as usize)).ok()?;
            self.bytes.clear();
            beyond -= read as u64;
            if read == 0 {
                return None;
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(bytes: &[u8]) -> Option<ModelType> {
        let (mut input, mut head) = (Input::from_bytes("x", bytes.to_vec()), Vec::new());
        input.read_some(&mut head, 16).unwrap();
        match ModelType::of(bytes) {
            Some(first) => Some(model_by_parts(input, head, first)),
            None => stats_by_parts(input, head),
        }
    }

    const STATS: &str = "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]\n<MEANACCS>  [\n  8 ]\n";

    #[test]
    fn later_parts_show_the_kind() {
        let text = |text: &str| kind(text.as_bytes());
        assert_eq!(text(&format!("{STATS}<DIAGVARACCS>  [\n  17 ]\n</GMMACCS> ")), Some(ModelType::DiagGmmStats));
        assert_eq!(text(&format!("{STATS}<FULLVARACCS> [\n17 ]\n</GMMACCS> ")), Some(ModelType::FullGmmStats));
        assert_eq!(text(&format!("{STATS}</GMMACCS> ")), Some(ModelType::FullGmmStats));
        assert_eq!(text(STATS), Some(ModelType::DiagGmmStats));
        assert_eq!(text("<DiagGMM> <WEIGHTS> [ 1 ]\n</DiagGMM> \n"), Some(ModelType::DiagGmm));
        assert_eq!(text("<DiagGMM> <WEIGHTS> [ 1 ]\n</DiagGMM> \n0,1 5 "), Some(ModelType::Fmpe));
        assert_eq!(text(" [ 0 1 ]\n<NUMPDFS> 1 "), Some(ModelType::AcousticStats));
        assert_eq!(text(" [\n  0 1 ]\n [\n 1 ]\n"), Some(ModelType::FmpeStats));
        for value in
            ["", " [ 0 1 ]\n", " [ 0 1 ]\n [ 2 3 ]\n", " [\n 0 1 ]\n", "[", "[ 1 0.5 ] [ 2 1 ]\n", "\0B\x04\x01\0\0\0"]
        {
            assert_eq!(text(value), None, "{value:?}");
        }
    }

    #[test]
    fn numbers_in_binary_are_passed_over() {
        let vector = |count: u32| [b"DV \x04", &count.to_le_bytes()[..], &vec![b'<'; 8 * count as usize]].concat();
        let matrix = |rows: u32| {
            [b"FM \x04", &rows.to_le_bytes()[..], b"\x04\x02\0\0\0", &vec![b'F'; 8 * rows as usize]].concat()
        };
        for count in [0, 1, 3000] {
            let stats = [b"\0B".to_vec(), vector(count), b"<NUMPDFS> \x04\x01\0\0\0".to_vec()].concat();
            assert_eq!(kind(&stats), Some(ModelType::AcousticStats));
            let stats = [b"\0B".to_vec(), matrix(count), matrix(8)].concat();
            assert_eq!(kind(&stats), Some(ModelType::FmpeStats));
            assert_eq!(kind(&[b"\0B".to_vec(), vector(count)].concat()), None);
            assert_eq!(kind(&[b"\0B".to_vec(), matrix(count)].concat()), None);
            assert_eq!(
                kind(&[b"\0B".to_vec(), matrix(count), b"FM \x04".to_vec()].concat()),
                Some(ModelType::FmpeStats)
            );
            // What is damaged or cut is the value that its start shows.
            for cut in (0..stats.len()).step_by(97).chain(0..stats.len().min(40)) {
                assert!(matches!(kind(&stats[..cut]), None | Some(ModelType::FmpeStats)), "{cut}");
            }
        }
        let sizes_are_claims = [&b"\0BFM \x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f"[..], &[0; 100]].concat();
        assert_eq!(kind(&sizes_are_claims), None);
        assert_eq!(kind(b"\0BFM \x04\xff\xff\xff\xff\x04\x01\0\0\0"), None);
    }

    #[test]
    fn a_text_without_an_end_is_not_read_to_its_end() {
        let text = [b"[ ".to_vec(), b"1 ".repeat(4 << 20)].concat();
        let input = Input::from_bytes("x", text);
        let mut parts = Parts::new(input, Vec::new());
        assert_eq!(parts.next(), None);
        assert!(parts.input.offset() <= 4 * LONGEST, "{}", parts.input.offset());
    }
}

//! The two forms of a topology in files.

use kaldi_io::{ParseError, excerpt};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_int_vector, write_token};

use super::{HmmState, HmmTopology, LARGEST_NUMBER, PdfClasses, refused};

type Result<T> = std::result::Result<T, ParseError>;

/// Stands for no pdf class, and for no entry.
const NONE: i32 = -1;

impl HmmTopology {
    fn write_binary(&self, out: &mut Vec<u8>) {
        let integer = |out: &mut Vec<u8>, value| write_basic(out, Format::Binary, value);
        let is_hmm = self.is_hmm();
        write_int_vector(out, Format::Binary, &self.phones);
        write_int_vector(out, Format::Binary, &self.entry_of_phone);
        if !is_hmm {
            integer(out, -1);
        }
        integer(out, self.entries.len() as i32);
        for states in &self.entries {
            integer(out, states.len() as i32);
            for state in states {
                integer(out, state.pdf_classes.map_or(NONE, |classes| classes.forward));
                if !is_hmm {
                    integer(out, state.pdf_classes.map_or(NONE, |classes| classes.self_loop));
                }
                integer(out, state.transitions.len() as i32);
                for &(target, probability) in &state.transitions {
                    integer(out, target as i32);
                    write_basic(out, Format::Binary, probability);
                }
            }
        }
    }

    fn write_text(&self, out: &mut Vec<u8>) {
        let integer = |out: &mut Vec<u8>, value: usize| write_basic(out, Format::Text, value as i32);
        let is_hmm = self.is_hmm();
        out.push(b'\n');
        for (entry, states) in self.entries.iter().enumerate() {
            out.extend_from_slice(b"<TopologyEntry> \n<ForPhones> \n");
            for phone in self.phones.iter().filter(|&&phone| self.entry_of_phone[phone as usize] == entry as i32) {
                write_basic(out, Format::Text, *phone);
            }
            out.extend_from_slice(b"\n</ForPhones> \n");
            for (number, state) in states.iter().enumerate() {
                write_token(out, b"<State>");
                integer(out, number);
                if let Some(PdfClasses { forward, self_loop }) = state.pdf_classes {
                    write_token(out, if is_hmm { b"<PdfClass>" } else { b"<ForwardPdfClass>" });
                    write_basic(out, Format::Text, forward);
                    if !is_hmm {
                        write_token(out, b"<SelfLoopPdfClass>");
                        write_basic(out, Format::Text, self_loop);
                    }
                }
                for &(target, probability) in &state.transitions {
                    write_token(out, b"<Transition>");
                    integer(out, target);
                    write_basic(out, Format::Text, probability);
                }
                out.extend_from_slice(b"</State> \n");
            }
            out.extend_from_slice(b"</TopologyEntry> \n");
        }
    }
}

fn read_binary(cursor: &mut Cursor<'_>) -> Result<HmmTopology> {
    let start = cursor.offset();
    let phones = cursor.read_int_vector()?;
    let entry_of_phone = cursor.read_int_vector()?;
    let mut num_entries: i32 = cursor.read_basic()?;
    let is_hmm = num_entries != -1;
    if !is_hmm {
        num_entries = cursor.read_basic()?;
    }
    let mut entries = Vec::new();
    for _ in 0..num_entries {
        let mut states = Vec::new();
        for _ in 0..read_count(cursor, "states")? {
            let forward = cursor.read_basic()?;
            let self_loop = if is_hmm { forward } else { cursor.read_basic()? };
            let mut transitions = Vec::new();
            for _ in 0..read_count(cursor, "transitions")? {
                transitions.push((read_target(cursor)?, cursor.read_basic()?));
            }
            states.push(HmmState { pdf_classes: classes(forward, self_loop), transitions });
        }
        entries.push(states);
    }
    cursor.expect_token("</Topology>")?;
    let listed = entry_of_phone.iter().zip(0..).filter(|(entry, _)| **entry != NONE).map(|(_, phone)| phone);
    let is_consistent = phones.first().is_none_or(|&phone| phone > 0)
        && listed.eq(phones.iter().copied())
        && phones.last().is_none_or(|&phone| phone <= LARGEST_NUMBER && phone as usize + 1 == entry_of_phone.len());
    if !is_consistent {
        return Err(refused(start, "the phones of the topology and those of its entries differ".to_owned()));
    }
    let topology = HmmTopology { phones, entry_of_phone, entries };
    topology.check().map_err(|message| refused(start, message))?;
    Ok(topology)
}

fn classes(forward: i32, self_loop: i32) -> Option<PdfClasses> {
    (forward != NONE).then_some(PdfClasses { forward, self_loop })
}

fn read_count(cursor: &mut Cursor<'_>, of: &str) -> Result<i32> {
    let start = cursor.offset();
    match cursor.read_basic()? {
        count @ 0.. => Ok(count),
        count => Err(refused(start, format!("expected a number of {of}, got {count}"))),
    }
}

fn read_target(cursor: &mut Cursor<'_>) -> Result<usize> {
    let start = cursor.offset();
    let target: i32 = cursor.read_basic()?;
    usize::try_from(target).map_err(|_| refused(start, format!("expected the number of a state, got {target}")))
}

fn read_text(cursor: &mut Cursor<'_>) -> Result<HmmTopology> {
    let start = cursor.offset();
    let mut entries = Vec::new();
    loop {
        cursor.skip_space();
        let at = cursor.offset();
        match cursor.read_word()? {
            b"</Topology>" => {
                // The newline, which may be missing at the end of a file.
                cursor.advance(cursor.rest().len().min(1));
                break;
            }
            b"<TopologyEntry>" => entries.push((read_phones(cursor)?, read_states(cursor)?)),
            word => return Err(unexpected(at, "<TopologyEntry> or </Topology>", word)),
        }
    }
    HmmTopology::from_entries(entries).map_err(|message| refused(start, message))
}

fn unexpected(at: usize, expected: &str, word: &[u8]) -> ParseError {
    ParseError::new(at, format!("expected {expected}, got \"{}\"", excerpt(word)))
}

fn read_phones(cursor: &mut Cursor<'_>) -> Result<Vec<i32>> {
    cursor.expect_token("<ForPhones>")?;
    let mut phones = Vec::new();
    loop {
        cursor.skip_space();
        let at = cursor.offset();
        let word = cursor.read_word()?;
        if word == b"</ForPhones>" {
            return Ok(phones);
        }
        let number = kaldi_value::number::parse_integer(word).ok().filter(|(_, length)| *length == word.len());
        let phone = number.and_then(|(number, _)| i32::try_from(number).ok());
        phones.push(phone.ok_or_else(|| unexpected(at, "a phone or </ForPhones>", word))?);
    }
}

fn read_states(cursor: &mut Cursor<'_>) -> Result<Vec<HmmState>> {
    let mut states = Vec::new();
    loop {
        let (at, token) = next_token(cursor)?;
        match token {
            b"</TopologyEntry>" => return Ok(states),
            b"<State>" => states.push(read_state(cursor, states.len())?),
            token => return Err(unexpected(at, "<State> or </TopologyEntry>", token)),
        }
    }
}

fn next_token<'a>(cursor: &mut Cursor<'a>) -> Result<(usize, &'a [u8])> {
    cursor.skip_space();
    Ok((cursor.offset(), cursor.read_token()?))
}

fn read_state(cursor: &mut Cursor<'_>, expected: usize) -> Result<HmmState> {
    let start = cursor.offset();
    let number: i32 = cursor.read_basic()?;
    if usize::try_from(number) != Ok(expected) {
        return Err(refused(start, format!("expected state {expected}, since states are in order, got {number}")));
    }
    let mut state = HmmState::default();
    let (mut at, mut token) = next_token(cursor)?;
    match token {
        b"<PdfClass>" => {
            let class = cursor.read_basic()?;
            state.pdf_classes = classes(class, class);
            (at, token) = next_token(cursor)?;
            if token == b"<SelfLoopPdfClass>" {
                return Err(unexpected(at, "<ForwardPdfClass> before <SelfLoopPdfClass>", b"<PdfClass>"));
            }
        }
        b"<ForwardPdfClass>" => {
            let forward = cursor.read_basic()?;
            cursor.expect_token("<SelfLoopPdfClass>")?;
            state.pdf_classes = classes(forward, cursor.read_basic()?);
            (at, token) = next_token(cursor)?;
        }
        _ => {}
    }
    while token == b"<Transition>" {
        state.transitions.push((read_target(cursor)?, cursor.read_basic()?));
        (at, token) = next_token(cursor)?;
    }
    match token {
        b"</State>" => Ok(state),
        b"<Final>" => Err(ParseError::new(at, "a topology of the oldest form, with <Final>, is not read")),
        token => Err(unexpected(at, "<Transition> or </State>", token)),
    }
}

impl KaldiObject for HmmTopology {
    const NAME: &'static str = "topology";
    const TOKENS: Option<[&'static str; 2]> = Some(["<Topology>", "</Topology>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.expect_token("<Topology>")?;
        let start = cursor.offset();
        let topology = if cursor.is_binary() { read_binary(cursor)? } else { read_text(cursor)? };
        for doubt in topology.doubts() {
            cursor.warn_at(ParseError::new(start, doubt));
        }
        Ok(topology)
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<Topology>");
        match format {
            Format::Binary => self.write_binary(out),
            Format::Text => self.write_text(out),
        }
        write_token(out, b"</Topology>");
        format.end_line(out);
    }
}

//! Files of FSTs and lists of labels that tools of graphs read.

use anyhow::bail;
use bstr::BStr;
use kaldi_cli::{InputName, OutputName};
use kaldi_io::log::warning;
use kaldi_io::{Error, Input, Output, ParseError, Rxfilename, excerpt, read_text_file};
use kaldi_lattice::Fst;
use kaldi_value::{Format, Value};

/// The bytes of a file with one FST.
pub(crate) struct FstFile {
    name: String,
    offset: u64,
    bytes: Vec<u8>,
    is_stdin: bool,
}

fn is_stdin(name: &BStr) -> bool {
    matches!(Rxfilename::parse(name), Ok(Rxfilename::Stdin))
}

impl FstFile {
    /// Reads all of it. Without a name it is standard input.
    pub(crate) fn open(name: Option<&InputName>) -> anyhow::Result<Self> {
        let name = BStr::new(name.map_or(&b""[..], |name| name.as_ref()));
        let mut input = Input::open(name)?;
        let offset = input.offset();
        let bytes = input.read_to_end()?;
        input.finish()?;
        Ok(Self { name: input.name().to_owned(), offset, bytes, is_stdin: is_stdin(name) })
    }

    /// Parses the FST: what it is, and its length.
    pub(crate) fn parse<T>(
        &self,
        parse: impl FnOnce(&[u8]) -> Result<(T, usize), ParseError>,
    ) -> anyhow::Result<(T, usize)> {
        Ok(parse(&self.bytes).map_err(|source| Error::content(self.name.as_str(), self.offset, source))?)
    }

    /// Warns of bytes behind the FST.
    pub(crate) fn expect_end(&self, length: usize) {
        let left = self.bytes.len() - length;
        if left > 0 {
            warning!("{}: {left} bytes behind the FST are not read", self.name);
        }
    }
}

/// Reads an FST, and lists of labels. A list from the same stream stands behind the FST.
pub(crate) fn read_with_lists<const N: usize>(
    name: Option<&InputName>,
    lists: [&InputName; N],
    parse: impl FnOnce(&[u8]) -> Result<(Fst, usize), ParseError>,
) -> anyhow::Result<(Fst, [Vec<i32>; N])> {
    let file = FstFile::open(name)?;
    let (fst, length) = file.parse(parse)?;
    let is_behind = |list: &InputName| file.is_stdin && is_stdin(list);
    if !lists.iter().any(|list| is_behind(list)) {
        file.expect_end(length);
    }
    // A second list finds nothing more.
    let mut rest = &file.bytes[length..];
    let mut labels = [const { Vec::new() }; N];
    for (list, labels) in lists.into_iter().zip(&mut labels) {
        *labels = match is_behind(list) {
            true => parse_labels(&file.name, std::mem::take(&mut rest))?,
            false => {
                let (name, text) = read_text_file(list)?;
                parse_labels(&name, &text)?
            }
        };
    }
    Ok((fst, labels))
}

fn parse_labels(name: &str, text: &[u8]) -> anyhow::Result<Vec<i32>> {
    let mut labels = Vec::new();
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        for word in line.split(|byte| byte.is_ascii_whitespace() || *byte == 0x0b).filter(|word| !word.is_empty()) {
            let label = kaldi_value::number::parse_integer(word).ok().filter(|(_, length)| *length == word.len());
            let Some(label) = label.and_then(|(label, _)| i32::try_from(label).ok()) else {
                bail!("{name}:{number}: expected a label, got \"{}\"", excerpt(word));
            };
            labels.push(label);
        }
    }
    Ok(labels)
}

/// Writes an FST. Without a name it goes to standard output.
pub(crate) fn write(name: Option<&OutputName>, fst: &Fst) -> anyhow::Result<()> {
    let mut output = create(name)?;
    output.write_all(&fst.to_bytes(Format::Binary))?;
    Ok(output.finish()?)
}

/// Opens an output. Without a name it is standard output.
pub(crate) fn create(name: Option<&OutputName>) -> kaldi_io::Result<Output> {
    Output::create(BStr::new(name.map_or(&b""[..], |name| name.as_ref())), false)
}

//! The write buffer of an output.

use std::fs::File;
use std::ops::Range;
use std::sync::Arc;

use crate::Chunk;

/// Bytes that are not written yet, because those after them may be written together with them.
#[derive(Debug)]
pub(super) enum Pending {
    /// Of another file.
    File(Arc<File>, Range<u64>),
    /// Of a stream that was read.
    Chunk(Arc<Chunk>, Range<usize>),
}

impl Pending {
    /// The number of bytes.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File(_, range) => range.end - range.start,
            Self::Chunk(_, range) => range.len() as u64,
        }
    }

    /// Adds `next` if it follows in the same source. Returns whether it does.
    pub(super) fn join(&mut self, next: &Self) -> bool {
        match (self, next) {
            (Self::File(source, range), Self::File(other, next)) => Arc::ptr_eq(source, other) && extend(range, next),
            (Self::Chunk(source, range), Self::Chunk(other, next)) => Arc::ptr_eq(source, other) && extend(range, next),
            _ => false,
        }
    }
}

/// Adds `next` to a range that it follows. Returns whether it does.
fn extend<T: Copy + PartialEq>(range: &mut Range<T>, next: &Range<T>) -> bool {
    let follows = range.end == next.start;
    if follows {
        range.end = next.end;
    }
    follows
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Output;
    use crate::output::stream::Stream;

    #[test]
    fn parts_of_chunks_come_out_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..300_000).map(|at| (at % 251) as u8 ^ (at / 251 % 256) as u8).collect();
        fs::write(folder.path().join("source"), &content).unwrap();
        let file = Arc::new(File::open(folder.path().join("source")).unwrap());
        let chunk = || Arc::new(Chunk { bytes: content.clone(), base: 0, name: "x".into(), rest: None });
        let chunks = [chunk(), chunk()];
        let path = folder.path().join("out").to_str().unwrap().to_owned();
        for name in [path.clone(), format!("| cat > {path}")] {
            let mut output = Output::create(name.as_str().into(), false).unwrap();
            let mut expected = Vec::new();
            // Neighbours, short and long; another chunk; something between; backwards. In the end the file has reserved blocks.
            for (round, end) in
                [(0, 3), (1, 10), (0, 3), (1, 3), (2, 100_000), (0, 70_000), (1, 200_000), (0, 0), (3, 299_000)]
            {
                for (number, start) in (0..end).step_by(end / 7 + 1).enumerate() {
                    let range = start..end.min(start + end / 7 + 1);
                    let chunk = &chunks[if round == 2 { number % 2 } else { 0 }];
                    output.write_chunk(chunk, range.clone()).unwrap();
                    expected.extend_from_slice(&content[range]);
                    if round == 1 && number % 3 == 1 {
                        output.write_all(b"-").unwrap();
                        output.write_from(&file, 5..9).unwrap();
                        expected.extend([b"-", &content[5..9]].concat());
                    }
                }
                output.write_chunk(&chunks[1], 250_000..300_000).unwrap();
                output.write_chunk(&chunks[1], 7..7).unwrap();
                output.write_chunk(&chunks[1], 2..4).unwrap();
                expected.extend([&content[250_000..], &content[2..4]].concat());
                assert_eq!(output.position(), Some(expected.len() as u64).filter(|_| name == path));
            }
            output.finish().unwrap();
            assert!(expected.len() > 1 << 20 && fs::read(&path).unwrap() == expected, "{name}");
        }
    }

    #[test]
    fn neighbouring_parts_of_a_chunk_are_written_together() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let chunk = Arc::new(Chunk { bytes: vec![b'x'; 200_000], base: 0, name: "x".into(), rest: None });
        let mut stream = Stream::new(File::create(&target).unwrap(), "out".to_owned());
        let mut lengths = Vec::new();
        for start in (0..180_000).step_by(30_000) {
            stream.write_chunk(&chunk, start..start + 30_000).unwrap();
            lengths.push(fs::metadata(&target).unwrap().len());
        }
        assert_eq!(lengths, [0, 0, 90_000, 90_000, 90_000, 180_000]);
    }
}

//! One gzip stream of pieces that were compressed apart from each other, on any threads: each ends at a whole byte, and the
//! checksums of the pieces make that of all.

use std::io;

use flate2::{Compress, Compression, Crc, FlushCompress, Status};

/// A piece of a stream.
#[derive(Debug, Default)]
pub(super) struct GzipPiece {
    deflated: Vec<u8>,
    crc: Crc,
    state: Option<Compress>,
}

impl GzipPiece {
    /// Compresses more bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.run(bytes, FlushCompress::None)
    }

    /// Ends the piece.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.run(&[], FlushCompress::Sync)?;
        self.state = None;
        Ok(())
    }

    fn run(&mut self, mut bytes: &[u8], flush: FlushCompress) -> io::Result<()> {
        let state = self.state.get_or_insert_with(|| Compress::new(Compression::default(), false));
        loop {
            self.deflated.reserve(bytes.len() / 2 + 4096);
            let room = self.deflated.capacity() - self.deflated.len();
            let (before, end) = (state.total_in(), self.deflated.len());
            let status = state.compress_vec(bytes, &mut self.deflated, flush).map_err(io::Error::other)?;
            bytes = &bytes[(state.total_in() - before) as usize..];
            // A flush has ended when it leaves room; asking on would start another one.
            let has_room = self.deflated.len() - end < room;
            if bytes.is_empty() && (has_room || status == Status::StreamEnd) {
                return Ok(());
            }
        }
    }
}

/// What holds the pieces of a stream together.
#[derive(Debug, Default)]
pub(super) struct GzipStream {
    crc: Crc,
}

impl GzipStream {
    /// What the stream starts with: no name, no time, an unknown system.
    pub(super) const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

    /// Takes a piece over; the bytes to write for it.
    pub(super) fn add<'a>(&mut self, piece: &'a GzipPiece) -> &'a [u8] {
        self.crc.combine(&piece.crc);
        &piece.deflated
    }

    /// What the stream ends with: an empty last block, checksum and length.
    pub(super) fn trailer(&self) -> Vec<u8> {
        [&[3, 0], self.crc.sum().to_le_bytes().as_slice(), &self.crc.amount().to_le_bytes()].concat()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::bufread::GzDecoder;

    use super::*;

    #[test]
    fn pieces_are_one_stream() {
        let text: Vec<u8> =
            (0..200_000_u32).flat_map(|number| number.wrapping_mul(number).to_string().into_bytes()).collect();
        let noise: Vec<u8> = (0..300_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for parts in [vec![], vec![b"".as_slice()], vec![&text[..5], b"", &text, &noise, &text[9..4000]]] {
            let mut stream = GzipStream::default();
            let mut out = GzipStream::HEADER.to_vec();
            for part in &parts {
                let mut piece = GzipPiece::default();
                let (first, second) = part.split_at(part.len() / 3);
                piece.add(first).unwrap();
                piece.add(second).unwrap();
                piece.flush().unwrap();
                out.extend_from_slice(stream.add(&piece));
            }
            out.extend(stream.trailer());
            let mut decoder = GzDecoder::new(out.as_slice());
            let mut got = Vec::new();
            decoder.read_to_end(&mut got).unwrap();
            assert!(got == parts.concat());
            assert!(decoder.into_inner().is_empty());
        }
    }
}

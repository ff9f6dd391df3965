//! The packets of one stream of sound, and which of their samples count.

use crate::bytes::Bytes;
use crate::codec::Codec;
use crate::fault::{Result, SoundFault};

/// A packet of coded sound, or a block of samples.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    /// Where it is in the file, or where its first part is.
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// Its bytes, if they are not in one piece in the file.
    joined: Option<Vec<u8>>,
    /// How many samples at its end do not count.
    pub(crate) discard: u64,
}

impl Packet {
    /// A packet in one piece.
    pub(crate) fn new(offset: u64, length: u64) -> Self {
        Self { offset, length, joined: None, discard: 0 }
    }

    /// A packet of several pieces, the first of which is at `offset`.
    pub(crate) fn joined(offset: u64, bytes: Vec<u8>) -> Self {
        Self { offset, length: bytes.len() as u64, joined: Some(bytes), discard: 0 }
    }

    /// The bytes.
    pub(crate) fn bytes<'a>(&'a self, file: Bytes<'a>) -> Result<&'a [u8]> {
        match &self.joined {
            Some(bytes) => Ok(bytes),
            None => file.at(self.offset, self.length),
        }
    }

    /// Whether all of it is in the file.
    pub(crate) fn is_whole(&self, file: Bytes<'_>) -> bool {
        self.joined.is_some() || file.reaches(self.offset, self.length)
    }
}

/// A stream of sound.
#[derive(Debug)]
pub(crate) struct Track {
    pub(crate) codec: Codec,
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    pub(crate) packets: Vec<Packet>,
    /// How many samples all packets have, if the container says so.
    pub(crate) num_coded: Option<u64>,
    /// How many samples at the start do not count.
    pub(crate) skip: u64,
    /// How many samples count after them; `None` if all do.
    pub(crate) length: Option<u64>,
    /// What is missing of a file that was cut, and does not keep it from being read.
    pub(crate) remarks: Vec<SoundFault>,
    /// The bytes of all packets whose places came from a table.
    num_bytes: u64,
}

impl Track {
    pub(crate) fn new(codec: Codec, sample_rate: u32, num_channels: u16) -> Self {
        Self {
            codec,
            sample_rate,
            num_channels,
            packets: Vec::new(),
            num_coded: None,
            skip: 0,
            length: None,
            remarks: Vec::new(),
            num_bytes: 0,
        }
    }

    /// Adds a packet whose place came from a table. A small table could name the same bytes again and again.
    pub(crate) fn push_placed(&mut self, packet: Packet, file: Bytes<'_>) -> Result<()> {
        if packet.is_whole(file) {
            self.num_bytes = self.num_bytes.saturating_add(packet.length);
        }
        if self.num_bytes > file.total() {
            let message = format!("expected packets of at most {} bytes in all, found more", file.total());
            return Err(SoundFault::new(packet.offset, message));
        }
        self.packets.push(packet);
        Ok(())
    }

    /// The number of samples that the headers promise; packets that have been cut off count, too.
    pub(crate) fn num_samples(&self, file: Bytes<'_>) -> Result<u64> {
        let num_coded = match self.num_coded {
            Some(num_coded) => num_coded,
            None => self.sum(file)?,
        };
        let there = num_coded.saturating_sub(self.skip);
        Ok(self.length.map_or(there, |length| length.min(there)))
    }

    fn sum(&self, file: Bytes<'_>) -> Result<u64> {
        let mut sum: u64 = 0;
        let mut counter = self.codec.counter(self.num_channels);
        for packet in &self.packets {
            if !packet.is_whole(file) {
                break;
            }
            let count = match counter.fixed() {
                Some(count) => count,
                None => {
                    counter.count(packet.bytes(file)?).map_err(|message| SoundFault::new(packet.offset, message))?
                }
            };
            sum = sum.saturating_add(count.saturating_sub(packet.discard));
        }
        Ok(sum)
    }
}

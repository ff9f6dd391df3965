//! The packets of one stream of sound, and which of their samples count.

use std::borrow::Cow;

use crate::bytes::Bytes;
use crate::clock::Clock;
use crate::codec::Codec;
use crate::codec::flac::StreamInfo;
use crate::fault::{Result, SoundFault};

/// A packet of coded sound, or a block of samples.
#[derive(Clone, Debug)]
pub(crate) struct Packet {
    /// Where it is in the file, or where its first part is.
    pub(crate) offset: u64,
    pub(crate) length: u64,
    /// What few packets have: a long file has a million.
    rare: Option<Box<Rare>>,
}

#[derive(Clone, Debug, Default)]
struct Rare {
    /// Its bytes, if they are not in one piece in the file.
    joined: Option<Vec<u8>>,
    /// How many samples at its end do not count.
    discard: u64,
}

impl Packet {
    /// A packet in one piece.
    pub(crate) fn new(offset: u64, length: u64) -> Self {
        Self { offset, length, rare: None }
    }

    /// A packet of several pieces, the first of which is at `offset`.
    pub(crate) fn joined(offset: u64, bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        Self { offset, length, rare: Some(Box::new(Rare { joined: Some(bytes), discard: 0 })) }
    }

    /// Says how many samples at its end do not count.
    pub(crate) fn set_discard(&mut self, discard: u64) {
        if discard > 0 {
            self.rare.get_or_insert_default().discard = discard;
        }
    }

    /// How many samples at its end do not count.
    pub(crate) fn discard(&self) -> u64 {
        self.rare.as_ref().map_or(0, |rare| rare.discard)
    }

    fn joined_bytes(&self) -> Option<&[u8]> {
        self.rare.as_ref()?.joined.as_deref()
    }

    /// The bytes.
    pub(crate) fn bytes<'a>(&'a self, file: Bytes<'a>) -> Result<Cow<'a, [u8]>> {
        match self.joined_bytes() {
            Some(bytes) => Ok(bytes.into()),
            None => file.at(self.offset, self.length),
        }
    }

    /// Whether all of it is in the file.
    pub(crate) fn is_whole(&self, file: Bytes<'_>) -> bool {
        self.joined_bytes().is_some() || file.reaches(self.offset, self.length)
    }
}

/// A stream of sound.
#[derive(Debug)]
pub(crate) struct Track {
    pub(crate) codec: Codec,
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    pub(crate) packets: Vec<Packet>,
    /// How many samples all packets have, if the container says so and all of them are there.
    pub(crate) num_coded: Option<u64>,
    /// How many samples count by the headers, if they say it.
    pub(crate) promised: Option<u64>,
    /// How many samples at the start do not count.
    pub(crate) skip: u64,
    /// How many samples count after them; `None` if all do.
    pub(crate) length: Option<u64>,
    /// The first packet of the last page: samples of earlier ones all count, whatever `length` is.
    pub(crate) last_page: Option<usize>,
    /// When packets start.
    pub(crate) clock: Option<Clock>,
    /// What is missing of a file that was cut, or is odd, and does not keep it from being read.
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
            promised: None,
            skip: 0,
            length: None,
            last_page: None,
            clock: None,
            remarks: Vec::new(),
            num_bytes: 0,
        }
    }

    pub(crate) fn flac(info: StreamInfo) -> Self {
        Self::new(Codec::Flac(info), info.sample_rate, info.num_channels)
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

    /// Returns the number of samples that are there and count, and adds remarks on what is missing.
    pub(crate) fn measure(&mut self, file: Bytes<'_>) -> Result<u64> {
        let missing = self.packets.iter().find(|packet| !packet.is_whole(file));
        let missing = missing.map(|packet| {
            let (expected, found) = (packet.length, file.total().saturating_sub(packet.offset));
            let message = format!("expected a packet of {expected} bytes, found {found} to the end of the file");
            SoundFault::new(packet.offset, message)
        });
        let is_whole = missing.is_none() && self.remarks.is_empty();
        let num_coded = match self.num_coded.filter(|_| is_whole) {
            Some(num_coded) => num_coded,
            None => self.sum(file)?,
        };
        let there = num_coded.saturating_sub(self.skip);
        let there = self.length.map_or(there, |length| length.min(there));
        match self.promised.filter(|&promised| promised > there) {
            Some(promised) => self.remarks.insert(0, SoundFault::truncated(file.total(), promised, there)),
            None => self.remarks.extend(missing),
        }
        Ok(there)
    }

    /// Counts the samples of the packets that are there.
    fn sum(&mut self, file: Bytes<'_>) -> Result<u64> {
        let mut sum: u64 = 0;
        let mut remark = None;
        let mut counter = self.codec.counter(self.num_channels);
        let mut check = self.clock.take().map(|clock| clock.check(self.sample_rate));
        for (index, packet) in self.packets.iter().enumerate() {
            if !packet.is_whole(file) {
                break;
            }
            if self.last_page == Some(index) && sum > self.skip.saturating_add(self.length.unwrap_or(u64::MAX)) {
                let (noted, found) = (self.length.unwrap_or(0), sum - self.skip);
                let message = format!("expected the last page at sample {found} or later, found it at {noted}");
                remark = Some(SoundFault::new(packet.offset, message));
                self.length = Some(found);
            }
            let count = match counter.of_length(packet.length) {
                Some(count) => count,
                None => {
                    counter.count(&packet.bytes(file)?).map_err(|message| SoundFault::new(packet.offset, message))?
                }
            };
            if let Some(check) = &mut check {
                match &self.codec {
                    // The samples of the first packet come with the second one.
                    Codec::Vorbis { headers } if count == 0 => {
                        let longest = 1 << (headers.get(28).copied().unwrap_or(0) >> 4);
                        check.packet(index, packet.offset, longest / 2, false);
                    }
                    _ => check.packet(index, packet.offset, count, true),
                }
            }
            sum = sum.saturating_add(count.saturating_sub(packet.discard()));
        }
        self.remarks.extend(remark);
        self.remarks.extend(check.and_then(|check| check.finish(file.total())));
        Ok(sum)
    }
}

//! The sizes of all sequences, in as few bytes as possible.

use std::collections::HashMap;
use std::ops::Range;

use crate::index_file::blocks;
use crate::{DatasetFault, Error, IndexedDataset, Result};

/// The mark of a length that 16 bits do not hold.
const LARGE: u16 = u16::MAX;

/// Lengths of sequences, for access in any order.
#[derive(Debug)]
pub(super) enum Lengths {
    /// Most of them are below 65535; the others are in a map.
    Short {
        lengths: Vec<u16>,
        large: HashMap<u64, u32>,
    },
    Long(Vec<u32>),
}

impl Lengths {
    pub(super) fn read(dataset: &IndexedDataset, range: Range<u64>) -> Result<Self> {
        let count = (range.end - range.start) as usize;
        // The index has four bytes for each.
        let (mut lengths, mut large) = (Vec::with_capacity(count), HashMap::new());
        let mut sizes = Vec::new();
        for block in blocks(range.clone()) {
            dataset.index.sizes(block.clone(), &mut sizes)?;
            for (number, size) in block.zip(&sizes) {
                let negative =
                    |_| Error::from(DatasetFault::new(&dataset.index.path, "sizes", Some(number), "0 or more", size));
                let size = u32::try_from(*size).map_err(negative)?;
                lengths.push(u16::try_from(size).unwrap_or(LARGE));
                if size >= LARGE.into() {
                    large.insert(number - range.start, size);
                }
            }
            if large.len() > count / 32 + 64 {
                return Self::read_long(dataset, range);
            }
        }
        Ok(Self::Short { lengths, large })
    }

    fn read_long(dataset: &IndexedDataset, range: Range<u64>) -> Result<Self> {
        let (mut lengths, mut sizes) = (Vec::with_capacity((range.end - range.start) as usize), Vec::new());
        for block in blocks(range) {
            dataset.index.sizes(block.clone(), &mut sizes)?;
            for (number, size) in block.zip(&sizes) {
                let negative =
                    |_| Error::from(DatasetFault::new(&dataset.index.path, "sizes", Some(number), "0 or more", size));
                lengths.push(u32::try_from(*size).map_err(negative)?);
            }
        }
        Ok(Self::Long(lengths))
    }

    /// The length of the sequence at this distance from the first one.
    pub(super) fn get(&self, at: usize) -> u32 {
        match self {
            Self::Short { lengths, large } => match lengths[at] {
                LARGE => large.get(&(at as u64)).copied().unwrap_or(0),
                length => length.into(),
            },
            Self::Long(lengths) => lengths[at],
        }
    }

    pub(super) fn total(&self) -> u64 {
        match self {
            Self::Short { lengths, large } => {
                let short = lengths.iter().filter(|length| **length != LARGE).map(|length| u64::from(*length));
                short.sum::<u64>() + large.values().map(|length| u64::from(*length)).sum::<u64>()
            }
            Self::Long(lengths) => lengths.iter().map(|length| u64::from(*length)).sum(),
        }
    }
}

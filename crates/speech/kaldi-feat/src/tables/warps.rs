//! The warp factors of utterances.

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_table::{Lookup, MappedReader};

use crate::tables::{Result, WarpOptions};

/// Finds the warp factor of each utterance.
pub(crate) enum Warps {
    /// The same for all.
    One(f32),
    /// That of the utterance or its speaker.
    Map(Box<MappedReader<f32>>),
}

impl Warps {
    pub(crate) fn open(options: &WarpOptions) -> Result<Self> {
        match &options.vtln_map {
            Some(factors) => {
                let table = MappedReader::open(factors, options.utt2spk.as_deref().unwrap_or_default())?;
                Ok(Self::Map(Box::new(table)))
            }
            None => {
                if options.utt2spk.is_some() {
                    warning!("`utt2spk` has no effect without `vtln_map`");
                }
                Ok(Self::One(options.vtln_warp))
            }
        }
    }
}

impl Lookup for Warps {
    type Found = Option<f32>;

    fn find(&mut self, utt: &BStr) -> kaldi_table::Result<Option<f32>> {
        match self {
            Self::One(warp) => Ok(Some(*warp)),
            Self::Map(map) => Ok(map.get(utt)?.map(|warp| *warp)),
        }
    }

    fn finish(&mut self) -> kaldi_table::Result<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Map(map) => map.finish(),
        }
    }

    fn restart(&mut self) -> kaldi_table::Result<()> {
        match self {
            Self::One(_) => Ok(()),
            Self::Map(map) => map.restart(),
        }
    }
}

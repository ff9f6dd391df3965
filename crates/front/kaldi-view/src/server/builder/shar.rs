//! Shar folders of lhotse in a catalog.

use bstr::{BString, ByteSlice};
use kaldi_io::Rspecifier;
use shards::{Cut, CutEntry, SharFolder, SharPart, SharStream, Wanted};

use super::{Builder, member_place};
use crate::{Error, Result};

impl Builder {
    /// Adds a Shar folder, or one of its files of cuts: the sound of the cuts, and their texts or the entry that is named.
    pub(super) fn add_shar(&mut self, name: &BString, found: &Rspecifier) -> Result<()> {
        let failed = |message: String| Error::List { name: name.clone(), message };
        let named = found.field.as_ref().and_then(|field| CutEntry::named(&field.to_str_lossy()));
        let entry = named.unwrap_or(CutEntry::Text);
        let folder = SharFolder::find(found.rxfilename.as_bstr()).map_err(|error| failed(error.to_string()))?;
        let mut cuts = SharStream::new(folder, &["recording"], Wanted::Headers);
        let (mut tars, mut waves, mut texts): (Vec<BString>, _, _) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let sample = cuts.next_with(|_, shard, _, _, _| Ok(shard.name.clone()));
            let Some(sample) = sample.map_err(|error| failed(error.to_string()))? else { break };
            if let Some(SharPart::Member { member, value: tar, .. }) = sample.parts.first() {
                if tars.last().is_none_or(|last| last != tar.as_bytes()) {
                    tars.push(tar.as_bytes().into());
                }
                let place = member_place(tars.len() - 1, member);
                waves.extend_from_slice(&[sample.id.as_slice(), b" ", place.as_bytes(), b"\n"].concat());
            }
            // A text that cannot be read is none.
            if let Ok(Some(text)) = Cut::parse(&sample.line).and_then(|cut| entry.words(&cut)) {
                let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
                texts.extend_from_slice(&[sample.id.as_slice(), b" ", text.as_bytes(), b"\n"].concat());
            }
        }
        self.add_members(name, tars, waves, texts)
    }
}

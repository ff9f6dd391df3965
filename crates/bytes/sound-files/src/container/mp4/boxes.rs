//! Boxes within boxes.

use crate::bytes::{Bytes, shown};
use crate::fault::{Result, SoundFault};

/// The most boxes in one.
const MAX_BOXES: usize = 1 << 16;

/// The content of a box: where it starts and ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) start: u64,
    pub(super) end: u64,
}

impl Part {
    pub(super) fn length(self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// The box at an offset, within `end`: its name, its content.
pub(super) fn read(file: Bytes<'_>, at: u64, end: u64) -> Result<([u8; 4], Part)> {
    let (size, name) = (file.be32(at)?, file.name(at + 4)?);
    let (header, size) = match size {
        0 => (8, end - at),
        1 => (16, file.be64(at + 8)?),
        size => (8, size.into()),
    };
    let stop = at.checked_add(size).filter(|_| size >= header);
    let Some(stop) = stop else {
        let message = format!("expected a box of the MP4 file, found \"{}\" of {size} bytes", shown(&name));
        return Err(SoundFault::new(at, message));
    };
    Ok((name, Part { start: at + header, end: stop }))
}

/// The boxes in a box; the last one may be cut, if it is the file's.
pub(super) fn children(file: Bytes<'_>, part: Part) -> Result<Vec<([u8; 4], Part)>> {
    let mut boxes = Vec::new();
    let mut at = part.start;
    // Fewer than eight bytes are filling.
    while at.saturating_add(8) <= part.end && boxes.len() < MAX_BOXES {
        let (name, found) = read(file, at, part.end)?;
        if found.end > part.end && part.end != file.total() {
            let message = format!("expected a box that ends up to byte {}, found one up to {}", part.end, found.end);
            return Err(SoundFault::new(at, message));
        }
        at = found.end;
        boxes.push((name, found));
    }
    Ok(boxes)
}

/// The first box of this name in a box.
pub(super) fn find(file: Bytes<'_>, part: Part, name: &[u8; 4]) -> Result<Option<Part>> {
    let mut at = part.start;
    let mut count = 0;
    while at.saturating_add(8) <= part.end && count < MAX_BOXES {
        let (found, content) = read(file, at, part.end)?;
        if found == *name {
            // The end of a box that is cut, or whose size is wrong.
            return Ok(Some(Part { end: content.end.min(part.end), ..content }));
        }
        at = content.end;
        count += 1;
    }
    Ok(None)
}

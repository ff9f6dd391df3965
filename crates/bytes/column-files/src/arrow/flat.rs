//! Flatbuffers: tables whose members lie at distances that are written in front of them.
//!
//! Every distance and number of members is compared with the bytes that are there. Distances to members are positive, so tables cannot
//! contain themselves.

/// The result of looking into metadata: what is wrong with it.
pub(super) type Looked<T> = Result<T, String>;

fn cut<T>() -> Looked<T> {
    Err("expected metadata with all its parts, got some that lead outside of it".to_owned())
}

/// So many bytes from a place on.
fn piece<const N: usize>(bytes: &[u8], at: usize) -> Looked<[u8; N]> {
    match bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        Some(piece) => Ok(*piece),
        None => cut(),
    }
}

/// The place to which the distance at a place leads.
fn follow(bytes: &[u8], at: usize) -> Looked<usize> {
    Ok(at + u32::from_le_bytes(piece(bytes, at)?) as usize)
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Two bytes for each member: its distance from the table, or 0 if it is not there.
    members: &'a [u8],
}

impl<'a> Table<'a> {
    /// The table to which the first bytes lead.
    pub(super) fn root(bytes: &'a [u8]) -> Looked<Self> {
        Self::at(bytes, follow(bytes, 0)?)
    }

    fn at(bytes: &'a [u8], at: usize) -> Looked<Self> {
        let back = i64::from(i32::from_le_bytes(piece(bytes, at)?));
        let Ok(start) = usize::try_from(at as i64 - back) else { return cut() };
        let size = usize::from(u16::from_le_bytes(piece(bytes, start)?));
        match bytes.get(start..start + size).and_then(|members| members.get(4..)) {
            Some(members) => Ok(Self { bytes, at, members }),
            None => cut(),
        }
    }

    /// Where a member is.
    fn place(&self, member: usize) -> Option<usize> {
        let distance = self.members.get(2 * member..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))?;
        (distance > 0).then(|| self.at + usize::from(distance))
    }

    fn number<const N: usize>(&self, member: usize) -> Looked<[u8; N]> {
        self.place(member).map_or(Ok([0; N]), |at| piece(self.bytes, at))
    }

    /// An integer of 8 bits, 0 unless it is there.
    pub(super) fn u8(&self, member: usize) -> Looked<u8> {
        self.number(member).map(u8::from_le_bytes)
    }

    /// An integer of 16 bits, 0 unless it is there.
    pub(super) fn i16(&self, member: usize) -> Looked<i16> {
        self.number(member).map(i16::from_le_bytes)
    }

    /// An integer of 32 bits, 0 unless it is there.
    pub(super) fn i32(&self, member: usize) -> Looked<i32> {
        self.number(member).map(i32::from_le_bytes)
    }

    /// An integer of 64 bits, 0 unless it is there.
    pub(super) fn i64(&self, member: usize) -> Looked<i64> {
        self.number(member).map(i64::from_le_bytes)
    }

    /// A table.
    pub(super) fn table(&self, member: usize) -> Looked<Option<Self>> {
        let at = self.place(member).map(|at| Self::at(self.bytes, follow(self.bytes, at)?));
        at.transpose()
    }

    /// The members of a vector, of so many bytes each, and where they start.
    fn vector(&self, member: usize, width: usize) -> Looked<(&'a [u8], usize)> {
        let Some(at) = self.place(member) else { return Ok((&[], 0)) };
        let start = follow(self.bytes, at)?;
        let count = u32::from_le_bytes(piece(self.bytes, start)?) as usize;
        let found = count.checked_mul(width).and_then(|size| self.bytes.get(start + 4..)?.get(..size));
        found.map_or_else(cut, |bytes| Ok((bytes, start + 4)))
    }

    /// Records of so many bytes each.
    pub(super) fn records<const N: usize>(&self, member: usize) -> Looked<&'a [[u8; N]]> {
        Ok(self.vector(member, N)?.0.as_chunks().0)
    }

    /// Tables.
    pub(super) fn tables(&self, member: usize) -> Looked<Vec<Self>> {
        let (distances, start) = self.vector(member, 4)?;
        let places = (0..distances.len()).step_by(4).map(|at| Self::at(self.bytes, follow(self.bytes, start + at)?));
        places.collect()
    }

    /// Text, empty unless it is there.
    pub(super) fn text(&self, member: usize) -> Looked<&'a str> {
        let (bytes, _) = self.vector(member, 1)?;
        std::str::from_utf8(bytes).map_err(|_| "expected names in UTF-8 in the metadata, got other bytes".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table with an integer of 16 bits, none, and a vector of two bytes.
    const TABLE: &[u8] =
        &[16, 0, 0, 0, 0, 0, 10, 0, 10, 0, 8, 0, 0, 0, 4, 0, 10, 0, 0, 0, 6, 0, 0, 0, 0x39, 5, 2, 0, 0, 0, b'a', b'b'];

    #[test]
    fn members_are_found_and_may_be_missing() {
        let table = Table::root(TABLE).unwrap();
        assert_eq!(table.i16(0), Ok(0x539));
        assert_eq!((table.i64(1), table.i32(7)), (Ok(0), Ok(0)));
        assert_eq!((table.text(2), table.text(1)), (Ok("ab"), Ok("")));
        assert!(table.table(1).unwrap().is_none() && table.tables(1).unwrap().is_empty());
    }

    #[test]
    fn nothing_leads_outside_whatever_the_bytes_are() {
        let look = |bytes: &[u8]| {
            let Ok(table) = Table::root(bytes) else { return };
            for member in 0..4 {
                let _ = (table.u8(member), table.i64(member), table.text(member), table.tables(member));
                let _ = (table.table(member), table.records::<16>(member));
            }
        };
        for length in 0..TABLE.len() {
            look(&TABLE[..length]);
        }
        for at in 0..TABLE.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = TABLE.to_vec();
                bytes[at] = byte;
                look(&bytes);
            }
        }
    }
}

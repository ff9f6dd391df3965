//! The codebooks in the third header of Vorbis (Vorbis I, 3.2.1), checked before the decoder makes tables of them: a few bytes
//! could ask for terabytes.

/// The greatest number of entries, and of numbers, of all codebooks of a stream. Encoders stay below a tenth of it.
const MAX_ENTRIES: u64 = 1 << 18;
const MAX_NUMBERS: u64 = 1 << 21;

/// Checks the codebooks in the third header, which follows the first.
pub(super) fn check_codebooks(headers: &[u8]) -> Result<(), String> {
    let setup = headers.get(30..).unwrap_or_default();
    let mut bits = LowBits { bytes: setup, at: 0 };
    if !setup.starts_with(b"\x05vorbis") {
        return Err("expected the third header of Vorbis, found something else".to_owned());
    }
    bits.at = 7 * 8;
    let count = bits.take(8) + 1;
    let (mut entries, mut numbers) = (0, 0);
    for index in 0..count {
        let found = read_codebook(&mut bits).filter(|_| bits.at <= setup.len() * 8);
        let Some((more, dim)) = found else {
            return Err(format!("expected codebook {index} of Vorbis, found something else"));
        };
        entries += more;
        numbers += more * dim;
        if entries > MAX_ENTRIES || numbers > MAX_NUMBERS {
            let found = format!("{entries} entries of {numbers} numbers");
            return Err(format!("expected codebooks of Vorbis of at most {MAX_NUMBERS} numbers, found {found}"));
        }
    }
    let num_times = bits.take(6) + 1;
    bits.take(16 * num_times as usize);
    match (0..bits.take(6) + 1).all(|_| is_floor(&mut bits)) {
        true => Ok(()),
        false => Err("expected floors of Vorbis with different places, found others".to_owned()),
    }
}

/// Whether a floor has no place twice: lines are drawn from place to place.
fn is_floor(bits: &mut LowBits<'_>) -> bool {
    if bits.take(16) == 0 {
        bits.take(8 + 16 + 16 + 6 + 8);
        let num_books = bits.take(4) + 1;
        bits.take(8 * num_books as usize);
        return true;
    }
    let classes: Vec<usize> = (0..bits.take(5)).map(|_| bits.take(4) as usize).collect();
    let num_classes = classes.iter().max().map_or(0, |most| most + 1);
    let mut dims = Vec::new();
    for _ in 0..num_classes {
        dims.push(bits.take(3) + 1);
        let subclasses = bits.take(2);
        bits.take(if subclasses > 0 { 8 } else { 0 });
        bits.take(8 << subclasses);
    }
    bits.take(2);
    let range = bits.take(4) as usize;
    let mut places = vec![0, 1 << range];
    for class in classes {
        (0..dims[class]).for_each(|_| places.push(bits.take(range)));
    }
    let count = places.len();
    places.sort_unstable();
    places.dedup();
    places.len() == count
}

/// Entries and dimension of a codebook; `None` if it is not a codebook.
fn read_codebook(bits: &mut LowBits<'_>) -> Option<(u64, u64)> {
    let is_codebook = bits.take(24) == 0x56_4342;
    let (dim, entries) = (bits.take(16), bits.take(24));
    if !is_codebook || entries > MAX_ENTRIES || dim == 0 {
        return None;
    }
    if bits.take(1) == 1 {
        let mut length = bits.take(5) + 1;
        let mut entry = 0;
        while entry < entries {
            entry += bits.take(width(entries - entry));
            if length > 32 || entry > entries {
                return None;
            }
            length += 1;
        }
    } else {
        let is_sparse = bits.take(1) == 1;
        for _ in 0..entries {
            if !is_sparse || bits.take(1) == 1 {
                bits.take(5);
            }
        }
    }
    let lookup = bits.take(4);
    if lookup == 0 {
        return Some((entries, 0));
    }
    bits.take(64);
    let value = bits.take(4) + 1;
    bits.take(1);
    let count = match lookup {
        1 => {
            let count = (0..=entries).take_while(|&value| power_is_within(value, dim, entries)).last().unwrap_or(0);
            // The decoder finds it in this way, and has to find the same.
            let root = (entries as f32).powf(1.0 / dim as f32).floor() as u64;
            if root == count { count } else { return None }
        }
        2 => entries * dim,
        _ => return None,
    };
    let end = count.checked_mul(value).and_then(|end| usize::try_from(end).ok());
    bits.at = bits.at.checked_add(end?)?;
    Some((entries, dim))
}

/// Whether a power is at most `limit`.
fn power_is_within(base: u64, exponent: u64, limit: u64) -> bool {
    u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)).is_some_and(|power| power <= limit)
}

/// The bits that a number needs.
fn width(number: u64) -> usize {
    64 - number.leading_zeros() as usize
}

/// Bits, from the lowest of each byte on; zeros after the end.
struct LowBits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl LowBits<'_> {
    fn take(&mut self, count: usize) -> u64 {
        let mut value = 0;
        for place in 0..count {
            let byte = self.bytes.get(self.at / 8).copied().unwrap_or(0);
            value |= u64::from(byte >> (self.at % 8) & 1).checked_shl(place as u32).unwrap_or(0);
            self.at += 1;
        }
        value
    }
}

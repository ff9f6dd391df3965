//! The data: archives as Kaldi writes them, the same on every machine.

use std::fs::File;
use std::io::{BufWriter, Result, Write};
use std::path::Path;

const NUM_MATRICES: usize = 2000;
const NUM_COLS: usize = 40;
const NUM_VECTORS: usize = 20_000;

/// Writes `m.ark` (matrices), its halves `m1.ark` and `m2.ark`, script files in order and shuffled, and `i.ark` (vectors of
/// integers).
pub fn write(dir: &Path) -> Result<()> {
    let mut random = Random(1);
    let create = |name: &str| File::create(dir.join(name)).map(BufWriter::new);
    let (mut whole, mut halves) = (create("m.ark")?, [create("m1.ark")?, create("m2.ark")?]);
    let mut offset = 0;
    let mut lines = Vec::new();
    for index in 0..NUM_MATRICES {
        let num_rows = 500 + random.below(200);
        let mut entry = format!("utt{index:05} ").into_bytes();
        lines.push(format!("utt{index:05} m.ark:{}\n", offset + entry.len()));
        entry.extend(b"\0BFM ");
        put_int(&mut entry, num_rows);
        put_int(&mut entry, NUM_COLS);
        entry.extend((0..num_rows * NUM_COLS).flat_map(|_| (3.0 * random.normal()).to_le_bytes()));
        offset += entry.len();
        whole.write_all(&entry)?;
        halves[2 * index / NUM_MATRICES].write_all(&entry)?;
    }
    create("m.scp")?.write_all(lines.concat().as_bytes())?;
    for index in (1..lines.len()).rev() {
        lines.swap(index, random.below(index + 1));
    }
    create("shuffled.scp")?.write_all(lines.concat().as_bytes())?;

    let mut vectors = create("i.ark")?;
    for index in 0..NUM_VECTORS {
        let length = 500 + random.below(200);
        let mut entry = format!("utt{index:05} \0B").into_bytes();
        put_int(&mut entry, length);
        (0..length).for_each(|_| put_int(&mut entry, random.below(5000)));
        vectors.write_all(&entry)?;
    }
    whole.flush()?;
    halves.iter_mut().try_for_each(Write::flush)?;
    vectors.flush()
}

fn put_int(out: &mut Vec<u8>, int: usize) {
    out.push(4);
    out.extend((int as i32).to_le_bytes());
}

/// Repeatable random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Above 0, up to 1.
    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed, by the method of Box and Muller.
    fn normal(&mut self) -> f32 {
        let (radius, angle) = ((-2.0 * self.uniform().ln()).sqrt(), std::f64::consts::TAU * self.uniform());
        (radius * angle.cos()) as f32
    }
}

//! Compressed matrices against a plain statement of what Kaldi computes, and damaged bytes.

use CompressionMethod as Method;

use super::*;
use kaldi_reader::Draws;

use crate::contract::keeps_the_contract;

const METHODS: [Method; 7] = [
    Method::Automatic,
    Method::SpeechFeature,
    Method::TwoByteAuto,
    Method::TwoByteSignedInteger,
    Method::OneByteAuto,
    Method::OneByteUnsignedInteger,
    Method::OneByteZeroOne,
];

/// Kaldi's computation, one element after the other, with x86's conversion to integers.
mod plain {
    use super::{Matrix, Method};

    /// The conversion from double to a 32-bit integer: the least integer if it does not fit.
    fn integer(value: f64) -> i32 {
        if value > -2_147_483_649.0 && value < 2_147_483_648.0 { value as i32 } else { i32::MIN }
    }

    fn even(value: f32, min: f32, range: f32, steps: f32) -> i32 {
        let share = (value - min) / range;
        let share = if share > 1.0 { 1.0 } else { share };
        let share = if share < 0.0 { 0.0 } else { share };
        integer(f64::from(share * steps) + 0.499)
    }

    fn level(level: u16, min: f32, range: f32) -> f32 {
        let product: f32 = range * (1.525_902_189_669_64e-5_f64 as f32);
        min + product * f32::from(level)
    }

    fn levels(column: &[f32], min: f32, range: f32) -> [u16; 4] {
        let mut sorted = column.to_vec();
        sorted.sort_by(f32::total_cmp);
        let quarter = sorted.len() / 4;
        let ranks = if sorted.len() < 5 { [0, 1, 2, 3] } else { [0, quarter, 3 * quarter, sorted.len() - 1] };
        let mut levels = [0_i32; 4];
        for (index, rank) in ranks.into_iter().enumerate() {
            let wanted = sorted.get(rank).map_or(0, |&value| even(value, min, range, 65535.0));
            let least = if index == 0 { 0 } else { levels[index - 1] + 1 };
            levels[index] = wanted.max(least).min(65532 + index as i32);
        }
        levels.map(|level| level as u16)
    }

    fn byte(value: f32, levels: [f32; 4]) -> u8 {
        let [p0, p25, p75, p100] = levels;
        let (low, high, steps, first) = if value < p25 {
            (p0, p25, 64, 0)
        } else if value < p75 {
            (p25, p75, 128, 64)
        } else {
            (p75, p100, 63, 192)
        };
        let share: f32 = (value - low) / (high - low);
        let step = integer(f64::from(share * steps as f32) + 0.5);
        first + step.clamp(0, steps) as u8
    }

    fn value(byte: u8, levels: [f32; 4]) -> f32 {
        let [p0, p25, p75, p100] = levels;
        let (low, high, step, share) = match byte {
            0..=64 => (p0, p25, byte, 1.0 / 64.0),
            65..=192 => (p25, p75, byte - 64, 1.0 / 128.0),
            193..=255 => (p75, p100, byte - 192, 1.0 / 63.0),
        };
        let product: f32 = (high - low) * f32::from(step);
        (f64::from(low) + f64::from(product) * share) as f32
    }

    /// The bytes of the binary form.
    pub fn compress(matrix: &Matrix<f32>, method: Method) -> Vec<u8> {
        let data = matrix.as_slice();
        let method = match method {
            Method::Automatic if matrix.num_rows() > 8 => Method::SpeechFeature,
            Method::Automatic => Method::TwoByteAuto,
            other => other,
        };
        let mut least = data[0];
        let mut greatest = data[0];
        for &value in data {
            least = if value < least { value } else { least };
            greatest = if value > greatest { value } else { greatest };
        }
        if least == greatest {
            greatest = (f64::from(least) + (1.0 + f64::from(least).abs())) as f32;
        }
        let (token, min, range) = match method {
            Method::TwoByteAuto => ("CM2", least, greatest - least),
            Method::TwoByteSignedInteger => ("CM2", -32768.0, 65535.0),
            Method::OneByteAuto => ("CM3", least, greatest - least),
            Method::OneByteUnsignedInteger => ("CM3", 0.0, 255.0),
            Method::OneByteZeroOne => ("CM3", 0.0, 1.0),
            _ => ("CM", least, greatest - least),
        };
        let mut bytes = format!("\0B{token} ").into_bytes();
        bytes.extend(min.to_le_bytes());
        bytes.extend(range.to_le_bytes());
        bytes.extend((matrix.num_rows() as i32).to_le_bytes());
        bytes.extend((matrix.num_cols() as i32).to_le_bytes());
        match token {
            "CM" => {
                let columns: Vec<_> = (0..matrix.num_cols()).map(|col| matrix.column(col).into_vec()).collect();
                let all: Vec<_> = columns.iter().map(|column| levels(column, min, range)).collect();
                bytes.extend(all.as_flattened().iter().flat_map(|level| level.to_le_bytes()));
                for (column, levels) in columns.iter().zip(all) {
                    let levels = levels.map(|of| level(of, min, range));
                    bytes.extend(column.iter().map(|&value| byte(value, levels)));
                }
            }
            "CM2" => bytes.extend(data.iter().flat_map(|&v| (even(v, min, range, 65535.0) as u16).to_le_bytes())),
            _ => bytes.extend(data.iter().map(|&value| even(value, min, range, 255.0) as u8)),
        }
        bytes
    }

    /// The elements of the binary form, row after row.
    pub fn decompress(bytes: &[u8]) -> Vec<f32> {
        let space = bytes.iter().position(|&byte| byte == b' ').unwrap();
        let field = |index: usize| bytes[space + 1 + 4 * index..][..4].try_into().unwrap();
        let (min, range) = (f32::from_le_bytes(field(0)), f32::from_le_bytes(field(1)));
        let (rows, cols) = (i32::from_le_bytes(field(2)) as usize, i32::from_le_bytes(field(3)) as usize);
        let payload = &bytes[space + 17..];
        let short = |at: usize| u16::from_le_bytes([payload[at], payload[at + 1]]);
        let elements = (0..rows * cols).map(|index| (index / cols, index % cols));
        match &bytes[2..space] {
            b"CM" => elements
                .map(|(row, col)| {
                    let levels = [0, 2, 4, 6].map(|at| level(short(8 * col + at), min, range));
                    value(payload[8 * cols + col * rows + row], levels)
                })
                .collect(),
            b"CM2" => {
                let increment = (f64::from(range) * (1.0 / 65535.0)) as f32;
                (0..rows * cols).map(|index| min + f32::from(short(2 * index)) * increment).collect()
            }
            _ => {
                let increment = (f64::from(range) * (1.0 / 255.0)) as f32;
                payload.iter().map(|&byte| min + f32::from(byte) * increment).collect()
            }
        }
    }
}

struct Random(Draws);

impl Random {
    fn seeded(seed: u64) -> Self {
        Self(Draws::seeded(seed))
    }

    fn next(&mut self) -> u64 {
        self.0.bits()
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0.index(limit)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f32 {
        self.0.uniform() as f32
    }

    /// Roughly normal.
    fn normal(&mut self) -> f32 {
        (0..6).map(|_| self.unit()).sum::<f32>() - 3.0
    }

    /// Any finite number that does not make the range infinite.
    fn bits(&mut self) -> f32 {
        let value = f32::from_bits(self.next() as u32);
        if value.abs() < 1.7e38 { value } else { 0.0 }
    }

    /// A matrix of one of many kinds.
    fn matrix(&mut self) -> Matrix<f32> {
        let rows = match self.below(4) {
            0 => 1 + self.below(12),
            1 => 1 + self.below(40),
            _ => 1 + self.below(400),
        };
        let cols = 1 + self.below(40);
        let kind = self.below(11);
        let (scale, offset) = (self.normal() * 100.0, self.normal() * 1000.0);
        let scales: Vec<f32> = (0..cols).map(|_| self.unit().powi(8) * 1e4).collect();
        let data = (0..rows * cols)
            .map(|index| match kind {
                0 => self.normal() * 3.0,
                1 => self.bits(),
                2 => f32::from_bits(self.next() as u32 & 0x807f_ffff),
                3 => offset,
                4 => self.normal() * scale + offset,
                5 => self.normal() * scales[index % cols] + index as f32 % 7.0,
                6 => (self.below(3) as f32 - 1.0) * scale,
                7 => 1e8 + self.below(64) as f32,
                8 => self.normal() * 1e37,
                9 => (self.next() as i16).into(),
                _ => -0.0 * (self.below(2) as f32 - 0.5),
            })
            .collect();
        Matrix::from_vec(rows, cols, data)
    }
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn matrix(rows: usize, values: &[f32]) -> Matrix<f32> {
    Matrix::from_vec(rows, values.len() / rows, values.to_vec())
}

/// Compresses and decompresses, and compares every byte and bit with the plain way.
fn check(matrix: &Matrix<f32>, hint: &str) {
    for method in METHODS {
        let compressed = CompressedMatrix::compress(matrix, method).unwrap();
        let bytes = compressed.to_bytes(Format::Binary);
        assert!(bytes == plain::compress(matrix, method), "{method:?}, {hint}");
        let expected = plain::decompress(&bytes);
        assert!(bits(compressed.to_matrix::<f32>().as_slice()) == bits(&expected), "{method:?}, {hint}");
        assert_eq!(CompressedMatrix::frame(&bytes, false), Ok(Frame::Whole(bytes.len())));
        assert!(CompressedMatrix::is_canonical_binary(&bytes));
        assert_eq!(CompressedMatrix::read(&mut Cursor::new(&bytes)).unwrap().to_bytes(Format::Binary), bytes);
    }
}

#[test]
fn every_byte_and_bit_is_that_of_the_plain_way() {
    for seed in 1..400 {
        let matrix = Random::seeded(seed).matrix();
        check(&matrix, &format!("seed {seed}, {:?}", matrix.size()));
    }
}

#[test]
fn tall_and_wide_matrices_are_no_exception() {
    let mut random = Random::seeded(7);
    for (rows, cols) in [(5000, 3), (1, 300), (9, 257), (66_000, 1)] {
        check(&Matrix::from_vec(rows, cols, (0..rows * cols).map(|_| random.normal()).collect()), "normal");
    }
}

#[test]
fn one_value_far_from_all_others_does_not_disturb() {
    let mut random = Random::seeded(11);
    for far in [1e4, -1e9, 1e30] {
        let mut values: Vec<f32> = (0..600).map(|_| random.normal()).collect();
        values[333] = far;
        check(&matrix(300, &values), "far");
    }
}

#[test]
fn any_bytes_are_decompressed_as_in_the_plain_way() {
    for seed in 1..200 {
        let mut random = Random::seeded(seed);
        let (rows, cols) = (1 + random.below(150), 1 + random.below(40));
        for token in ["CM", "CM2", "CM3"] {
            let mut bytes = format!("\0B{token} ").into_bytes();
            for _ in 0..2 {
                bytes.extend((random.normal() * 10.0_f32.powi(random.below(60) as i32 - 30)).to_le_bytes());
            }
            bytes.extend((rows as i32).to_le_bytes());
            bytes.extend((cols as i32).to_le_bytes());
            let payload = match token {
                "CM" => cols * (8 + rows),
                "CM2" => 2 * rows * cols,
                _ => rows * cols,
            };
            bytes.extend((0..payload).map(|_| random.next() as u8));
            let expected = plain::decompress(&bytes);
            let compressed = CompressedMatrix::read(&mut Cursor::new(&bytes)).unwrap();
            assert!(bits(compressed.to_matrix::<f32>().as_slice()) == bits(&expected), "{token}, seed {seed}");
            let double = compressed.to_matrix::<f64>();
            assert!(double.as_slice().iter().zip(&expected).all(|(double, single)| *double == f64::from(*single)));

            let (row, col) = (random.below(rows), random.below(cols));
            let (last_row, last_col) = (row + random.below(rows - row), col + random.below(cols - col));
            let part: Matrix<f32> = compressed.range(row..last_row + 1, col..last_col + 1);
            let cut = Matrix::from_vec(rows, cols, expected).range(row..last_row + 1, col..last_col + 1);
            assert_eq!(part.size(), cut.size());
            assert!(bits(part.as_slice()) == bits(cut.as_slice()), "part of {token}, seed {seed}");
            let range = format!("{row}:{last_row},{col}:{last_col}");
            let read = Matrix::<f32>::read_range(&mut Cursor::new(&bytes), range.as_bytes()).unwrap();
            assert!(bits(read.as_slice()) == bits(cut.as_slice()), "range of {token}, seed {seed}");
        }
    }
}

#[test]
fn zero_keeps_the_sign_of_the_first_one() {
    let bytes = |values: &[f32]| {
        let compressed = CompressedMatrix::compress(&matrix(1, values), Method::OneByteAuto).unwrap();
        compressed.to_bytes(Format::Binary)[9]
    };
    assert_eq!(bytes(&[1.0, -0.0, 0.0]), 0x80);
    assert_eq!(bytes(&[1.0, 0.0, -0.0]), 0x00);
}

#[test]
fn what_cannot_be_compressed_is_named() {
    let message = |values: &[f32], method| {
        CompressedMatrix::compress(&matrix(2, values), method).err().map(|error| error.to_string())
    };
    for method in [Method::Automatic, Method::SpeechFeature, Method::TwoByteAuto, Method::OneByteAuto] {
        let expected = "expected a value that can be compressed in row 0, column 0, got NaN";
        assert_eq!(message(&[f32::NAN, 2.0, f32::INFINITY, 4.0], method).as_deref(), Some(expected));
        let expected = "expected a value that can be compressed in row 1, column 0, got inf";
        assert_eq!(message(&[1.0, f32::NAN, f32::INFINITY, 4.0], method).as_deref(), Some(expected));
        let expected = "expected a value that can be compressed in row 0, column 1, got -inf";
        assert_eq!(message(&[1.0, f32::NEG_INFINITY, 3.0, 4.0], method).as_deref(), Some(expected));
        let expected = "expected values with a range that can be compressed, got -3e38 to 3e38";
        assert_eq!(message(&[3e38, 0.0, -3e38, 4.0], method).as_deref(), Some(expected));
        let expected = "expected values with a range that can be compressed, got 3e38 to 3e38";
        assert_eq!(message(&[3e38; 4], method).as_deref(), Some(expected));
    }
}

/// Compares the bytes after the token with those that Kaldi's copy-feats writes.
#[test]
fn what_is_not_a_number_is_compressed_as_by_kaldi() {
    let check = |method, range: [f32; 2], payload: &[u8]| {
        let compressed = CompressedMatrix::compress(&matrix(2, &[1.0, 2.0, f32::NAN, 3.0]), method).unwrap();
        assert_eq!([compressed.header.min, compressed.header.range], range, "{method:?}");
        assert_eq!(compressed.payload, payload, "{method:?}");
    };
    check(Method::Automatic, [1.0, 2.0], &[0, 0, 255, 127, 0, 0, 255, 255]);
    let levels = [0, 0, 1, 0, 2, 0, 3, 0, 255, 127, 253, 255, 254, 255, 255, 255];
    check(Method::SpeechFeature, [1.0, 2.0], &[levels.as_slice(), &[0, 192, 0, 255]].concat());
    check(Method::TwoByteAuto, [1.0, 2.0], &[0, 0, 255, 127, 0, 0, 255, 255]);
    check(Method::TwoByteSignedInteger, [-32768.0, 65535.0], &[1, 128, 2, 128, 0, 0, 3, 128]);
    check(Method::OneByteAuto, [1.0, 2.0], &[0, 127, 0, 255]);
    check(Method::OneByteUnsignedInteger, [0.0, 255.0], &[1, 2, 0, 3]);
    check(Method::OneByteZeroOne, [0.0, 1.0], &[255, 255, 0, 255]);
}

/// Kaldi's levels are those of the order in which selecting happens to leave a column.
#[test]
fn levels_of_what_is_not_a_number_are_those_of_kaldi() {
    let check = |rows: usize, every: usize, levels: [u16; 4], first_bytes: [u8; 5]| {
        let value = |index: usize| if index % every == 1 { f32::NAN } else { (31 * index % rows) as f32 };
        let column: Vec<f32> = (0..rows).map(value).collect();
        let compressed = CompressedMatrix::compress(&matrix(rows, &column), Method::SpeechFeature).unwrap();
        assert_eq!(compressed.payload[..8], *levels.map(u16::to_le_bytes).as_flattened(), "{rows} rows");
        assert_eq!(compressed.payload[8..13], first_bytes, "{rows} rows");
    };
    check(5, 3, [0, 43690, 65534, 65535], [0, 192, 64, 255, 192]);
    check(9, 4, [0, 24576, 40959, 57343], [0, 192, 255, 64, 255]);
    check(40, 7, [0, 16804, 25206, 25207], [0, 192, 255, 141, 26]);
    check(700, 11, [0, 17251, 47253, 65535], [0, 192, 22, 32, 43]);
    check(700, 2, [0, 30232, 47696, 47697], [0, 192, 12, 192, 25]);
}

#[test]
fn fixed_ranges_clip() {
    let values = [f32::NEG_INFINITY, -1.0, 0.25, 2.0, 300.0, f32::INFINITY];
    let clipped = |method| CompressedMatrix::compress(&matrix(1, &values), method).unwrap().to_matrix::<f32>();
    assert_eq!(clipped(Method::TwoByteSignedInteger).as_slice(), [-32768.0, -1.0, 0.0, 2.0, 300.0, 32767.0]);
    assert_eq!(clipped(Method::OneByteUnsignedInteger).as_slice(), [0.0, 0.0, 0.0, 2.0, 255.0, 255.0]);
    assert_eq!(clipped(Method::OneByteZeroOne).as_slice()[..2], [0.0, 0.0]);
    assert_eq!(clipped(Method::OneByteZeroOne).as_slice()[3..], [1.0, 1.0, 1.0]);
}

#[test]
fn text_and_dense_matrices_are_compressed_while_reading() {
    let dense = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    let compressed = CompressedMatrix::compress(&dense, Method::Automatic).unwrap();
    assert_eq!(compressed.to_bytes(Format::Text), compressed.to_matrix::<f32>().to_bytes(Format::Text));
    for format in [Format::Text, Format::Binary] {
        let bytes = dense.to_bytes(format);
        assert_eq!(CompressedMatrix::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
        assert_eq!(CompressedMatrix::read(&mut Cursor::new(&bytes)), Ok(compressed.clone()));
        assert!(!CompressedMatrix::is_canonical_binary(&bytes));
    }
    let error = CompressedMatrix::read(&mut Cursor::new(b" [ 1 inf ]\n")).unwrap_err();
    assert_eq!(error.to_string(), "expected a value that can be compressed in row 0, column 1, got inf");
}

#[test]
fn a_matrix_without_elements_is_written_as_a_dense_one() {
    let empty = CompressedMatrix::compress(&Matrix::new(0, 0), Method::OneByteAuto).unwrap();
    let bytes = empty.to_bytes(Format::Binary);
    assert_eq!(bytes, b"\0BFM \x04\0\0\0\0\x04\0\0\0\0");
    assert_eq!(empty.to_bytes(Format::Text), b" [ ]\n");
    // The form that Kaldi writes is not passed on.
    let kaldi = [b"\0BCM ".as_slice(), &[0; 20]].concat();
    assert!(!CompressedMatrix::is_canonical_binary(&kaldi));
    for bytes in [bytes, kaldi] {
        assert_eq!(CompressedMatrix::read(&mut Cursor::new(&bytes)), Ok(empty.clone()));
    }
}

#[test]
fn the_four_bytes_behind_an_empty_matrix_are_skipped_if_they_are_there() {
    // The first field has whatever was in Kaldi's memory.
    let kaldi = [b"\0BCM \xa7\x91\xcb\x51".as_slice(), &[0; 16], b"utt2 "].concat();
    let mut cursor = Cursor::new(&kaldi);
    assert_eq!(CompressedMatrix::read(&mut cursor), Ok(CompressedMatrix::default()));
    assert_eq!(cursor.rest(), b"utt2 ");
    assert!(!CompressedMatrix::is_canonical_binary(&kaldi[..25]));
    assert_eq!(CompressedMatrix::frame(&kaldi, false), Ok(Frame::Whole(25)));
    assert_eq!(CompressedMatrix::frame(&kaldi[..25], false), Ok(Frame::Whole(25)));
    let sound = [b"\0BCM ".as_slice(), &[0; 16], b"utt2 "].concat();
    assert_eq!(CompressedMatrix::frame(&sound[..21], true), Ok(Frame::Whole(21)));
    assert_eq!(CompressedMatrix::frame(&sound[..21], false), Ok(Frame::Partial(22)));
    assert_eq!(CompressedMatrix::frame(&sound[..22], false), Ok(Frame::Whole(21)));
    assert!(!CompressedMatrix::is_canonical_binary(&sound[..21]));
    let mut cursor = Cursor::new(&sound);
    assert!(Matrix::<f64>::read(&mut cursor).unwrap().is_empty());
    assert_eq!(cursor.rest(), b"utt2 ");
}

#[test]
fn every_layout_keeps_the_contract_of_values() {
    let values: Vec<f32> = (0..20).map(|value| value as f32).collect();
    keeps_the_contract(
        [Method::SpeechFeature, Method::TwoByteAuto, Method::OneByteAuto]
            .map(|method| CompressedMatrix::compress(&matrix(10, &values), method).unwrap()),
    );
}

#[test]
fn messages_tell_what_is_there() {
    let message = |bytes: &[u8]| CompressedMatrix::read(&mut Cursor::new(bytes)).unwrap_err().to_string();
    assert_eq!(message(b"\0BCM4 1234"), "expected token \"CM\", \"CM2\" or \"CM3\", got \"CM4\"");
    let header = b"\0BCM \0\0\0\0\0\0\0\0\x02\0\0\0\xff\xff\xff\xff";
    assert_eq!(message(header), "expected the size of a matrix, got 2 by -1");
    assert_eq!(CompressedMatrix::read(&mut Cursor::new(header)).unwrap_err().offset, 13);
    let huge = b"\0BCM2 \0\0\0\0\0\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f";
    assert!(message(huge).contains("got the end of the input"));
    assert_eq!(CompressedMatrix::frame(huge, false), Ok(Frame::Beyond(22 + 2 * 0x7fff_ffff * 0x7fff_ffff)));
}

#[test]
fn numbers_are_those_of_kaldis_option() {
    assert_eq!([1, 2, 3, 4, 5, 6, 7].map(Method::from_number), METHODS.map(Some));
    assert_eq!([0, 8, -1].map(Method::from_number), [None; 3]);
}

//! Sample values and their bytes, built without the library, so that a mistake in it cannot hide in its own tests.

/// A value that a table can hold.
#[derive(Clone, Debug)]
pub enum Sample {
    /// A matrix of floats, as rows.
    Matrix(Vec<Vec<f32>>),
    /// A matrix of doubles, as rows.
    MatrixF64(Vec<Vec<f64>>),
    /// A vector of floats.
    Vector(Vec<f32>),
    /// A vector of doubles.
    VectorF64(Vec<f64>),
    /// A vector of integers: an alignment.
    Ints(Vec<i32>),
    /// A vector of vectors of integers: Gaussian selection.
    IntLists(Vec<Vec<i32>>),
    /// Classes with their weights, per frame.
    Posterior(Vec<Vec<(i32, f32)>>),
}

impl Sample {
    /// The value as Kaldi writes it in binary, the marker included.
    pub fn binary(&self) -> Vec<u8> {
        let mut out = b"\0B".to_vec();
        match self {
            Sample::Matrix(rows) => {
                put_matrix_header(&mut out, b"FM ", rows);
                out.extend(rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
            }
            Sample::MatrixF64(rows) => {
                put_matrix_header(&mut out, b"DM ", rows);
                out.extend(rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
            }
            Sample::Vector(numbers) => {
                out.extend(b"FV ");
                put_int(&mut out, numbers.len() as i32);
                out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
            Sample::VectorF64(numbers) => {
                out.extend(b"DV ");
                put_int(&mut out, numbers.len() as i32);
                out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            }
            Sample::Ints(ints) => {
                put_int(&mut out, ints.len() as i32);
                ints.iter().for_each(|&int| put_int(&mut out, int));
            }
            Sample::IntLists(lists) => {
                put_int(&mut out, lists.len() as i32);
                for list in lists {
                    put_int(&mut out, list.len() as i32);
                    list.iter().for_each(|&int| put_int(&mut out, int));
                }
            }
            Sample::Posterior(frames) => {
                put_int(&mut out, frames.len() as i32);
                for frame in frames {
                    put_int(&mut out, frame.len() as i32);
                    for &(class, weight) in frame {
                        put_int(&mut out, class);
                        out.push(4);
                        out.extend(weight.to_le_bytes());
                    }
                }
            }
        }
        out
    }

    /// The value as Kaldi writes it in text, the end of the line included.
    pub fn text(&self) -> String {
        let floats = |numbers: &[f32]| join(numbers.iter().map(|&number| general(f64::from(number))));
        let doubles = |numbers: &[f64]| join(numbers.iter().copied().map(general));
        let ints = |ints: &[i32]| join(ints.iter().map(i32::to_string));
        match self {
            Sample::Matrix(rows) => matrix_text(rows.iter().map(|row| floats(row))),
            Sample::MatrixF64(rows) => matrix_text(rows.iter().map(|row| doubles(row))),
            Sample::Vector(numbers) => format!(" [ {}]\n", floats(numbers)),
            Sample::VectorF64(numbers) => format!(" [ {}]\n", doubles(numbers)),
            Sample::Ints(list) => format!("{}\n", ints(list)),
            Sample::IntLists(lists) => {
                format!("{}\n", lists.iter().map(|list| format!("{}; ", ints(list))).collect::<String>())
            }
            Sample::Posterior(frames) => {
                let pair = |&(class, weight): &(i32, f32)| format!("{class} {}", general(f64::from(weight)));
                let frame = |frame: &Vec<_>| format!("[ {}] ", join(frame.iter().map(pair)));
                format!("{}\n", frames.iter().map(frame).collect::<String>())
            }
        }
    }
}

/// A binary archive.
pub fn binary_archive(entries: &[(&str, Sample)]) -> Vec<u8> {
    entries.iter().flat_map(|(key, sample)| [key.as_bytes(), b" ", &sample.binary()].concat()).collect()
}

/// A text archive.
pub fn text_archive(entries: &[(&str, Sample)]) -> String {
    entries.iter().map(|(key, sample)| format!("{key} {}", sample.text())).collect()
}

/// A matrix of numbers like those of features: normally distributed, deviation 3, different for every seed.
pub fn matrix(seed: u64, num_rows: usize, num_cols: usize) -> Sample {
    let mut numbers = Numbers(seed);
    Sample::Matrix((0..num_rows).map(|_| (0..num_cols).map(|_| numbers.normal() as f32).collect()).collect())
}

/// [`matrix`] in double precision.
pub fn matrix_f64(seed: u64, num_rows: usize, num_cols: usize) -> Sample {
    let mut numbers = Numbers(seed);
    Sample::MatrixF64((0..num_rows).map(|_| (0..num_cols).map(|_| numbers.normal()).collect()).collect())
}

/// A vector of numbers like those of [`matrix`].
pub fn vector(seed: u64, dim: usize) -> Sample {
    let mut numbers = Numbers(seed);
    Sample::Vector((0..dim).map(|_| numbers.normal() as f32).collect())
}

/// [`vector`] in double precision.
pub fn vector_f64(seed: u64, dim: usize) -> Sample {
    let mut numbers = Numbers(seed);
    Sample::VectorF64((0..dim).map(|_| numbers.normal()).collect())
}

/// An alignment: integers from 0 to 4999.
pub fn ints(seed: u64, len: usize) -> Sample {
    Sample::Ints(Numbers(seed).classes(len))
}

/// A vector of `len` vectors of 0 to 3 integers.
pub fn int_lists(seed: u64, len: usize) -> Sample {
    let mut numbers = Numbers(seed);
    Sample::IntLists((0..len).map(|at| numbers.classes(at % 4)).collect())
}

/// A posterior of `num_frames` frames of 0 to 3 classes.
pub fn posterior(seed: u64, num_frames: usize) -> Sample {
    let mut numbers = Numbers(seed);
    let mut frame = |len| numbers.classes(len).into_iter().map(|class| (class, numbers.uniform() as f32)).collect();
    Sample::Posterior((0..num_frames).map(|at| frame(at % 4)).collect())
}

/// Numbers from 0 to 1 without an end.
pub fn uniform(seed: u64) -> impl Iterator<Item = f64> {
    let mut numbers = Numbers(seed);
    std::iter::repeat_with(move || numbers.uniform())
}

/// A generator of repeatable numbers (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// From 0 to 1.
    fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Near enough to a normal distribution of deviation 3: a sum of twelve uniform numbers has variance 1.
    fn normal(&mut self) -> f64 {
        3.0 * ((0..12).map(|_| self.uniform()).sum::<f64>() - 6.0)
    }

    fn classes(&mut self, len: usize) -> Vec<i32> {
        (0..len).map(|_| (self.bits() % 5000) as i32).collect()
    }
}

fn put_int(out: &mut Vec<u8>, int: i32) {
    out.push(4);
    out.extend(int.to_le_bytes());
}

fn put_matrix_header<T>(out: &mut Vec<u8>, token: &[u8], rows: &[Vec<T>]) {
    out.extend(token);
    put_int(out, rows.len() as i32);
    put_int(out, rows.first().map_or(0, Vec::len) as i32);
}

fn matrix_text(rows: impl ExactSizeIterator<Item = String>) -> String {
    match rows.len() {
        0 => " [ ]\n".to_owned(),
        _ => format!(" [{}]\n", rows.map(|row| format!("\n  {row}")).collect::<String>()),
    }
}

/// Every word followed by a space.
fn join(words: impl Iterator<Item = String>) -> String {
    words.map(|word| word + " ").collect()
}

/// The number as C's `%.7g` prints it, which C++ streams at Kaldi's precision do.
fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        let sign = if number.is_sign_negative() { "-" } else { "" };
        let word = if number == 0.0 {
            "0"
        } else if number.is_nan() {
            "nan"
        } else {
            "inf"
        };
        return format!("{sign}{word}");
    }
    let scientific = format!("{number:.6e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} writes an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    let trim = |digits: &str| digits.trim_end_matches('0').trim_end_matches('.').to_owned();
    match exponent {
        -4..6 => trim(&format!("{number:.*}", (6 - exponent) as usize)),
        6 => format!("{number:.0}"),
        _ => format!("{}e{}{:02}", trim(mantissa), if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// A file of the conformance suite, which real Kaldi wrote.
    fn kaldis(file: &str) -> Vec<u8> {
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/io").join(file)).unwrap()
    }

    /// The sample is the first entry of an archive that Kaldi wrote, in binary and in text.
    fn is_what_kaldi_writes(sample: Sample, binary_file: &str, text_file: &str) {
        let binary = binary_archive(&[("a22-031", sample.clone())]);
        assert_eq!(binary, kaldis(binary_file)[..binary.len()], "{binary_file}");
        let text = text_archive(&[("a22-031", sample)]);
        assert_eq!(text.as_bytes(), &kaldis(text_file)[..text.len()], "{text_file}");
    }

    /// Numbers of one width from `at` on.
    fn payload<const WIDTH: usize>(file: &str, at: usize, count: usize) -> Vec<[u8; WIDTH]> {
        kaldis(file)[at..].chunks_exact(WIDTH).take(count).map(|bytes| bytes.try_into().unwrap()).collect()
    }

    #[test]
    fn matrices_and_vectors_are_what_kaldi_writes() {
        let floats = |file, at, count| payload(file, at, count).into_iter().map(f32::from_le_bytes).collect::<Vec<_>>();
        let doubles =
            |file, at, count| payload(file, at, count).into_iter().map(f64::from_le_bytes).collect::<Vec<_>>();
        let rows = floats("m.ark", 23, 77).chunks(7).map(<[f32]>::to_vec).collect();
        is_what_kaldi_writes(Sample::Matrix(rows), "m.ark", "m.txt");
        let rows = doubles("md.ark", 23, 77).chunks(7).map(<[f64]>::to_vec).collect();
        let matrix = binary_archive(&[("a22-031", Sample::MatrixF64(rows))]);
        assert_eq!(matrix, kaldis("md.ark")[..matrix.len()]);
        is_what_kaldi_writes(Sample::Vector(floats("v.ark", 18, 7)), "v.ark", "v.txt");
        let vector = binary_archive(&[("a22-031", Sample::VectorF64(doubles("vd.ark", 18, 7)))]);
        assert_eq!(vector, kaldis("vd.ark")[..vector.len()]);
    }

    #[test]
    fn integers_are_what_kaldi_writes() {
        let ints = vec![798, 310, 581, 1513, 709, 621, 1160, 719, 838, 1105];
        is_what_kaldi_writes(Sample::Ints(ints), "i.ark", "i.txt");
        let lists = vec![vec![27, 164], vec![308, 303, 13, 364, 33], vec![65, 337, 163, 339]];
        is_what_kaldi_writes(Sample::IntLists(lists), "g.ark", "g.txt");
    }

    #[test]
    fn posteriors_are_what_kaldi_writes() {
        let entry = kaldis("p.ark");
        let mut sized = entry[10..].chunks_exact(5).map(|number| <[u8; 4]>::try_from(&number[1..]).unwrap());
        let mut int = || i32::from_le_bytes(sized.next().unwrap());
        let frames = (0..int()).map(|_| (0..int()).map(|_| (int(), f32::from_bits(int() as u32))).collect()).collect();
        is_what_kaldi_writes(Sample::Posterior(frames), "p.ark", "p.txt");
    }

    #[test]
    fn numbers_print_as_c_prints_them() {
        let t = |number: f64, expected: &str| assert_eq!(general(number), expected);
        t(0.0, "0");
        t(-0.0, "-0");
        t(1.0, "1");
        t(100.0, "100");
        t(0.1, "0.1");
        t(-2.5, "-2.5");
        t(1234567.0, "1234567");
        t(1234567.8, "1234568");
        t(9999999.6, "1e+07");
        t(1e-4, "0.0001");
        t(1e-5, "1e-05");
        t(1.5e300, "1.5e+300");
        t(f64::from(f32::MIN_POSITIVE), "1.175494e-38");
        t(f64::INFINITY, "inf");
        t(f64::NEG_INFINITY, "-inf");
        t(f64::NAN, "nan");
        t(-f64::NAN, "-nan");
    }

    #[test]
    fn samples_differ_by_seed_and_repeat() {
        let make = |seed| {
            [
                matrix(seed, 4, 3),
                matrix_f64(seed, 4, 3),
                vector(seed, 5),
                vector_f64(seed, 5),
                ints(seed, 5),
                int_lists(seed, 5),
                posterior(seed, 5),
            ]
            .map(|sample| sample.text())
        };
        assert_eq!(make(1), make(1));
        assert!(make(1).iter().zip(make(2)).all(|(one, two)| *one != two));
        let Sample::Matrix(rows) = matrix(3, 500, 20) else { panic!("matrix() makes matrices") };
        let variance = rows.iter().flatten().map(|&number| f64::from(number).powi(2)).sum::<f64>() / 10_000.0;
        assert!((variance - 9.0).abs() < 0.5, "variance {variance}");
    }
}

use kaldi_matrix::{
    CompressedMatrix, CompressionMethod, GeneralMatrix, HtkFeatures, Matrix, MatrixRange, Real, SphinxFeatures, Vector,
};
use kaldi_value::{Cursor, Format, Frame, Value};

use super::{Random, check};

fn matrix<T: Real>(random: &mut Random, num_cols: Option<usize>) -> Matrix<T> {
    let num_rows = random.below(7) as usize;
    let num_cols = num_cols.unwrap_or_else(|| random.below(6) as usize);
    let data = (0..num_rows * num_cols).map(|_| T::from_f64(random.number())).collect();
    Matrix::from_vec(num_rows, num_cols, data)
}

fn vector<T: Real>(random: &mut Random) -> Vector<T> {
    let dim = random.below(12) as usize;
    Vector::from_vec((0..dim).map(|_| T::from_f64(random.number())).collect())
}

/// Reads what is written, with something after it, and writes it again.
fn again<V: Value>(value: &V, format: Format) -> (Vec<u8>, Vec<u8>) {
    let bytes = value.to_bytes(format);
    let window = [&bytes[..], b"next "].concat();
    assert_eq!(V::frame(&window, false), Ok(Frame::Whole(bytes.len())));
    let mut cursor = Cursor::new(&window);
    let read = V::read(&mut cursor).unwrap();
    assert_eq!(cursor.rest(), b"next ");
    (read.to_bytes(format), bytes)
}

fn keeps_its_bytes<V: Value>(value: &V) {
    for format in [Format::Binary, Format::Text] {
        let (second, first) = again(value, format);
        assert_eq!(second, first);
    }
}

#[test]
fn what_is_written_is_read_and_written_alike() {
    check(2000, |random| {
        keeps_its_bytes(&matrix::<f32>(random, None));
        keeps_its_bytes(&matrix::<f64>(random, None));
        keeps_its_bytes(&vector::<f32>(random));
        keeps_its_bytes(&vector::<f64>(random));
        keeps_its_bytes(&HtkFeatures::new(matrix(random, None), random.bits() as i32, 9).unwrap());
        keeps_its_bytes(&SphinxFeatures::new(matrix(random, Some(13))).unwrap());
    });
}

#[test]
fn what_is_written_is_canonical_and_what_is_cut_is_not() {
    check(500, |random| {
        let bytes = matrix::<f64>(random, None).to_bytes(Format::Binary);
        assert!(Matrix::<f64>::is_canonical_binary(&bytes));
        let length = random.below(bytes.len() as u64) as usize;
        assert!(!Matrix::<f64>::is_canonical_binary(&bytes[..length]));
        assert!(Matrix::<f64>::frame(&bytes[..length], true).unwrap_err().at_end);
    });
}

#[test]
fn layout_does_not_change_a_text_matrix() {
    check(1000, |random| {
        let expected = matrix::<f32>(random, None);
        let mut text = random.pick(&[" ", "\n", "", "\t \r\n"]).to_owned() + "[" + random.pick(&[" ", "\n", "\r\n"]);
        for (index, row) in expected.rows().enumerate() {
            if index > 0 {
                text += random.pick(&["\n", ";", " ; ", "\n\n", "\r\n", ";\n"]);
            }
            for value in row {
                // The standard library drops the sign of what is not a number.
                text += if value.is_nan() && value.is_sign_negative() { "-" } else { "" };
                text += &format!("{value:e}{}", random.pick(&[" ", "\t", "  ", " \r", "\x0b"]));
            }
        }
        text += random.pick(&["", "\n", ";"]);
        text += random.pick(&["]", "]\n", "]\r\n"]);
        let mut cursor = Cursor::new(text.as_bytes());
        let read = Matrix::<f32>::read(&mut cursor).unwrap();
        assert_eq!(cursor.offset(), text.len());
        assert_eq!(read.to_bytes(Format::Text), expected.to_bytes(Format::Text), "{text:?}");
    });
}

#[test]
fn a_range_is_the_same_from_binary_text_and_memory() {
    check(2000, |random| {
        let whole = matrix::<f32>(random, None);
        let end = |random: &mut Random| random.below(9);
        let range = match random.below(3) {
            0 => format!("{}:{}", end(random), end(random)),
            1 => format!("{}:{},{}:{}", end(random), end(random), end(random), end(random)),
            _ => format!(":,{}:{}", end(random), end(random)),
        };
        let expected = MatrixRange::parse(range.as_bytes(), whole.num_rows(), whole.num_cols());
        let expected = expected.map(|part| whole.range(part.rows, part.cols).to_bytes(Format::Text)).ok();
        for format in [Format::Binary, Format::Text] {
            let bytes = whole.to_bytes(format);
            let part = Matrix::<f32>::read_range(&mut Cursor::new(&bytes), range.as_bytes());
            assert_eq!(part.ok().map(|part| part.to_bytes(Format::Text)), expected, "{range}");
            assert_eq!(
                of_pieces::<Matrix<f32>>(&bytes, &range),
                (format == Format::Binary).then_some(expected.clone())
            );
        }
    });
}

/// The part that is made of the pieces that a range needs, if the header says them; nothing in it if there is no
/// such part.
#[allow(clippy::option_option)]
fn of_pieces<V: Value>(bytes: &[u8], range: &str) -> Option<Option<Vec<u8>>> {
    let head = &bytes[..bytes.len().min(22)];
    let part = match V::part(&mut Cursor::new_head(head, (bytes.len() - head.len()) as u64), range.as_bytes()) {
        Ok(part) => part?,
        Err(_) => return Some(None),
    };
    let pieces = part.pieces.iter().map(|piece| &bytes[piece.start as usize..piece.end as usize]);
    let value = [part.head.clone()].iter().map(Vec::as_slice).chain(pieces).collect::<Vec<_>>().concat();
    assert_eq!((part.head.len() as u64) + part.length(), value.len() as u64);
    let mut cursor = Cursor::new(&value);
    let read = match part.range {
        Some(range) => V::read_range(&mut cursor, &range),
        None => V::read(&mut cursor),
    };
    assert!(cursor.rest().is_empty(), "{range}");
    Some(Some(read.unwrap().to_bytes(Format::Text)))
}

#[test]
fn the_pieces_of_compressed_matrices_and_vectors_are_those_of_the_range() {
    check(2000, |random| {
        let (rows, cols) = (1 + random.below(40) as usize, 1 + random.below(8) as usize);
        let values = (0..rows * cols).map(|_| random.below(1000) as f32 / 8.0).collect();
        let whole = Matrix::from_vec(rows, cols, values);
        let begin = random.below(rows as u64);
        let end = begin + random.below(rows as u64 - begin + 6);
        let col = random.below(cols as u64);
        let range = match random.below(2) {
            0 => format!("{begin}:{end}"),
            _ => format!("{begin}:{end},{col}:{}", col + random.below(cols as u64 - col)),
        };
        for method in [CompressionMethod::SpeechFeature, CompressionMethod::TwoByteAuto, CompressionMethod::OneByteAuto]
        {
            let bytes = CompressedMatrix::compress(&whole, method).unwrap().to_bytes(Format::Binary);
            let expected = Matrix::<f64>::read_range(&mut Cursor::new(&bytes), range.as_bytes());
            let expected = expected.map(|part| part.to_bytes(Format::Text)).ok();
            assert_eq!(of_pieces::<Matrix<f64>>(&bytes, &range), Some(expected.clone()), "{range}");
            assert!(of_pieces::<GeneralMatrix>(&bytes, &range).is_some());
        }
        let bytes = Vector::from_vec(whole.into_vec()).to_bytes(Format::Binary);
        let (begin, end) = (random.below(rows as u64 + 2), random.below(rows as u64 + 5));
        let range = format!("{begin}:{end}");
        let expected = Vector::<f32>::read_range(&mut Cursor::new(&bytes), range.as_bytes());
        let expected = expected.map(|part| part.to_bytes(Format::Text)).ok();
        assert_eq!(of_pieces::<Vector<f32>>(&bytes, &range), Some(expected), "{range}");
    });
}

#[test]
fn damage_is_an_error_or_another_value() {
    fn survives<V: Value>(bytes: &[u8]) {
        let _ = V::frame(bytes, false);
        let _ = V::read_range(&mut Cursor::new(bytes), b"0:0");
        let mut cursor = Cursor::new(bytes);
        if V::read(&mut cursor).is_ok() {
            assert_eq!(V::frame(bytes, true), Ok(Frame::Whole(cursor.offset())), "{}", bytes.escape_ascii());
        }
    }
    check(5000, |random| {
        let format = Format::from_binary(random.below(2) == 0);
        let mut bytes = matrix::<f32>(random, None).to_bytes(format);
        for _ in 0..=random.below(3) {
            let position = random.below(bytes.len() as u64) as usize;
            match random.below(3) {
                0 => bytes[position] = random.bits() as u8,
                1 => bytes[position] = random.pick(&[" ", "]", "[", "\n", "\r", "-", ".", "\0", "9"]).as_bytes()[0],
                _ => bytes.truncate(position.max(1)),
            }
        }
        survives::<Matrix<f32>>(&bytes);
        survives::<Matrix<f64>>(&bytes);
        survives::<Vector<f32>>(&bytes);
        survives::<HtkFeatures>(&bytes);
        survives::<SphinxFeatures>(&bytes);
    });
}

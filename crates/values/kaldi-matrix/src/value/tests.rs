use super::*;
use crate::{CompressedMatrix, CompressionMethod};

const SINGLE: &[u8] = b"\0BFM \x04\x02\0\0\0\x04\x02\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40";

fn matrix(rows: usize, values: &[f32]) -> Matrix<f32> {
    Matrix::from_vec(rows, values.len().checked_div(rows).unwrap_or(0), values.to_vec())
}

fn vector(values: &[f32]) -> Vector<f32> {
    Vector::from_vec(values.to_vec())
}

/// The value at the start of `bytes` and the rest after it; checks that the frame is the same.
fn split<V: Value>(bytes: &[u8]) -> Result<(V, &[u8])> {
    let mut cursor = Cursor::new(bytes);
    let value = V::read(&mut cursor)?;
    assert_eq!(V::frame(bytes, true), Ok(Frame::Whole(cursor.offset())), "{}", bytes.escape_ascii());
    Ok((value, cursor.rest()))
}

fn read_matrix(text: &str) -> Option<(Matrix<f32>, &str)> {
    split(text.as_bytes()).ok().map(|(value, rest)| (value, std::str::from_utf8(rest).unwrap()))
}

fn read_vector(text: &str) -> Option<(Vector<f32>, &str)> {
    split(text.as_bytes()).ok().map(|(value, rest)| (value, std::str::from_utf8(rest).unwrap()))
}

fn message<V: Value>(bytes: &[u8]) -> String {
    let error = V::read(&mut Cursor::new(bytes)).err().unwrap();
    assert!(!error.message.contains('\n'));
    error.to_string()
}

#[test]
fn matrices_are_written_as_kaldi_writes_them() {
    let two = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(two.to_bytes(Format::Text), b" [\n  1 2 \n  3 4 ]\n");
    assert_eq!(two.to_bytes(Format::Binary), SINGLE);
    assert_eq!(matrix(0, &[]).to_bytes(Format::Text), b" [ ]\n");
    assert_eq!(matrix(0, &[]).to_bytes(Format::Binary), b"\0BFM \x04\0\0\0\0\x04\0\0\0\0");
    assert_eq!(
        Matrix::from_vec(1, 1, vec![-0.5_f64]).to_bytes(Format::Binary),
        b"\0BDM \x04\x01\0\0\0\x04\x01\0\0\0\0\0\0\0\0\0\xe0\xbf"
    );
}

#[test]
fn a_matrix_that_is_given_away_is_written_the_same() {
    fn same<T: Real>(matrix: Matrix<T>) {
        for format in [Format::Binary, Format::Text] {
            let expected = matrix.to_bytes(format);
            assert_eq!(matrix.clone().into_encoded(format).slices().collect::<Vec<_>>().concat(), expected);
        }
    }
    same(matrix(0, &[]));
    same(matrix(2, &[1.0, -2.5, f32::INFINITY, 1e-40]));
    same(Matrix::from_vec(1, 2, vec![0.1_f64, -1e300]));
}

#[test]
fn vectors_are_written_as_kaldi_writes_them() {
    let two = vector(&[1.0, -2.5]);
    assert_eq!(two.to_bytes(Format::Text), b" [ 1 -2.5 ]\n");
    assert_eq!(two.to_bytes(Format::Binary), b"\0BFV \x04\x02\0\0\0\0\0\x80\x3f\0\0\x20\xc0");
    assert_eq!(vector(&[]).to_bytes(Format::Text), b" [ ]\n");
    assert_eq!(vector(&[]).to_bytes(Format::Binary), b"\0BFV \x04\0\0\0\0");
    assert_eq!(Vector::<f64>::new(1).to_bytes(Format::Binary), b"\0BDV \x04\x01\0\0\0\0\0\0\0\0\0\0\0");
}

#[test]
fn parts_of_larger_objects_have_no_marker_of_their_own() {
    let (values, rows) = (vector(&[1.0, -2.5]), matrix(2, &[1.0, 2.0, 3.0, 4.0]));
    for format in [Format::Binary, Format::Text] {
        let mut bytes = Vec::new();
        format.write_marker(&mut bytes);
        bytes.extend(b"<Mean> ");
        values.write_part(&mut bytes, format);
        rows.write_part(&mut bytes, format);
        assert_eq!(memchr::memmem::find(&bytes[2..], b"\0B"), None);
        let mut cursor = Cursor::new(&bytes);
        cursor.read_marker().unwrap();
        cursor.expect_token("<Mean>").unwrap();
        assert_eq!(Vector::read_part(&mut cursor), Ok(values.clone()));
        assert_eq!(Matrix::read_part(&mut cursor), Ok(rows.clone()));
        assert!(cursor.rest().is_empty());
    }
}

#[test]
fn a_text_matrix_is_laid_out_freely() {
    let two = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    for text in [
        " [\n  1 2 \n  3 4 ]\n",
        "[\n1 2\n3 4 ]\n",
        "\n[ 1 2\n3 4\n]\n",
        "\n[\n\n1 2\n\n3 4\n\n]\n",
        "[ 1 2 ; 3 4 ]\n",
        "[ 1 2 ; 3 4 ; ]\n",
        "[ 1\t2;3\x0b4]\n",
        " [\r\n 1 2 \r\n 3 4 ]\r\n",
        "[ 1 2\n3\x0c 4\r ]",
    ] {
        assert_eq!(read_matrix(text), Some((two.clone(), "")), "{text:?}");
    }
    assert_eq!(read_matrix("[ 1-2 -.5-1e2 ]"), Some((matrix(1, &[1.0, -2.0, -0.5, -100.0]), "")));
    for text in ["[ ]\n", "[\n]\n", " [ ; ]\n", "[ ;\n;; ]"] {
        assert_eq!(read_matrix(text), Some((matrix(0, &[]), "")), "{text:?}");
    }
}

#[test]
fn a_text_vector_is_on_one_line() {
    for text in [" [ 1 2 ]\n", "[ 1 2]", "\n\n[ 1\t2 ]\r\n"] {
        assert_eq!(read_vector(text), Some((vector(&[1.0, 2.0]), "")), "{text:?}");
    }
    for text in ["[ 1\n2 ]", "[\n1 2 ]", "[ 1 2\n]", "[ 1 2\r ]", "[ 1\x0b2 ]", "[ 1 ; 2 ]", "[ 1-2 ]"] {
        assert_eq!(read_vector(text), None, "{text:?}");
    }
}

#[test]
fn what_follows_the_bracket_stays_but_for_the_line_end() {
    assert_eq!(read_matrix("[ 1 ]b [ 2 ]"), Some((matrix(1, &[1.0]), "b [ 2 ]")));
    assert_eq!(read_matrix("[ 1 ]\nb"), Some((matrix(1, &[1.0]), "b")));
    assert_eq!(read_matrix("[ 1 ]\r\nb"), Some((matrix(1, &[1.0]), "b")));
    assert_eq!(read_matrix("[ 1 ] \nb"), Some((matrix(1, &[1.0]), " \nb")));
    assert_eq!(read_vector("[ 1 ]]\n"), Some((vector(&[1.0]), "]\n")));
    // Kaldi consumes two bytes where it sees a carriage return.
    assert_eq!(read_vector("[ 1 ]\rb [ 2 ]"), Some((vector(&[1.0]), " [ 2 ]")));
    assert_eq!(read_vector("[ 1 ]\r"), Some((vector(&[1.0]), "")));
    // "[]" is a word; its line end is not consumed.
    assert_eq!(read_matrix(" []\nb"), Some((matrix(0, &[]), "\nb")));
    assert_eq!(read_vector("[]"), Some((vector(&[]), "")));
}

#[test]
fn what_is_no_text_matrix_is_refused() {
    for text in [
        "[1 2 ]\n",
        " 1 2\n",
        "[ 1 2\n3 ]\n",
        "[ 1 2 ; 3 ]\n",
        "[ 1\n2 3 ]",
        "[ 1 , 2 ]\n",
        "( 1 2 )\n",
        "[ 1 2",
        "[ 1 ",
        "[",
        "",
        " \n",
        "[ [ 1 2 ] ]\n",
        "[ a ]\n",
        " ]\n",
        "[]x ]",
        "[ 1 \0 ]",
    ] {
        assert_eq!(read_matrix(text), None, "{text:?}");
        assert_eq!(read_vector(text), None, "{text:?}");
    }
}

#[test]
fn words_that_are_no_numbers_are_refused() {
    for word in [
        "1e39",
        "-1e39",
        "3.40282357e38",
        "0x10",
        "1e",
        "1e+",
        "1f",
        "1.5.5",
        "1+2",
        "1,000",
        "1_0",
        "--1",
        "-",
        "e5",
        "infx",
        "nan(1)",
        "1/2",
        "1.#INF",
        "½",
        "+-1",
        "++1",
        ".",
        "1..2",
        "infinit",
    ] {
        let text = format!("[ {word} ]");
        assert_eq!(read_matrix(&text), None, "{word}");
        assert_eq!(read_vector(&text), None, "{word}");
    }
}

#[test]
fn numbers_that_other_programs_write_are_read() {
    let (value, rest) = read_vector("[ +1 .5 -inf +inf Infinity NaN -nan 1. 1e-50 ]\n").unwrap();
    assert_eq!(value.as_slice()[..5], [1.0, 0.5, f32::NEG_INFINITY, f32::INFINITY, f32::INFINITY]);
    assert!(value.as_slice()[5..7].iter().all(|value| value.is_nan()));
    assert_eq!(value.as_slice()[7..], [1.0, 0.0]);
    assert_eq!(rest, "");
    // As in Kaldi: a name needs no space before it, but one after it.
    assert_eq!(read_matrix("[ 1inf ]"), Some((matrix(1, &[1.0, f32::INFINITY]), "")));
}

#[test]
fn large_numbers_fit_double_precision_only() {
    assert_eq!(split::<Vector<f64>>(b"[ 1e39 ]").unwrap().0.as_slice(), [1e39]);
    assert_eq!(message::<Vector<f32>>(b"[ 1 1e39 ]"), "expected a number that fits 32 bits, got \"1e39\"");
}

#[test]
fn messages_say_what_is_there() {
    assert_eq!(message::<Matrix<f32>>(b"\0BFV \x04\0\0\0\0"), "expected token \"FM\", got \"FV\"");
    assert_eq!(message::<Vector<f64>>(SINGLE), "expected token \"DV\", got \"FM\"");
    assert_eq!(message::<Vector<f32>>(b"\0BCM2 \0"), "expected token \"FV\", got \"CM2\"");
    assert_eq!(
        message::<Matrix<f32>>(b"\0B\x04\x01\0\0\0\x04\x05\0\0\0"),
        "expected token \"FM\", got \"\\x04\\x01\\x00\\x00\\x00\\x04\\x05\\x00\\x00\\x00\""
    );
    assert_eq!(message::<Vector<f32>>(b" [\n 1 2 ]\n"), "expected a vector on one line, got a line end");
    assert_eq!(message::<Vector<f32>>(b"17 3\n"), "expected \"[\", got \"17\"");
    assert_eq!(message::<Matrix<f32>>(b"[ 1 2\n 3 ]\n"), "expected 2 columns, got 1 in row 2");
    assert_eq!(message::<Matrix<f32>>(b"[ 1 2,5 ]\n"), "expected a number or \"]\", got \",5\"");
    assert_eq!(message::<Matrix<f32>>(b"[ 1 x ]\n"), "expected a number or \"]\", got \"x\"");
    assert_eq!(message::<Matrix<f32>>(b"[ 1 2 "), "expected a number or \"]\", got the end of the input");
    assert_eq!(message::<Matrix<f32>>(b"\0XFM "), "expected the binary marker \"\\0B\", got \"\\0X\"");
}

#[test]
fn precision_is_converted_while_reading() {
    let double = Matrix::from_vec(1, 3, vec![0.1_f64, 1e39, -2.0]).to_bytes(Format::Binary);
    assert_eq!(split::<Matrix<f32>>(&double).unwrap().0, matrix(1, &[0.1, f32::INFINITY, -2.0]));
    assert_eq!(split::<Matrix<f64>>(SINGLE).unwrap().0.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    let double = Vector::from_vec(vec![0.1_f64]).to_bytes(Format::Binary);
    assert_eq!(split::<Vector<f32>>(&double).unwrap().0, vector(&[0.1]));
}

#[test]
fn a_matrix_with_rows_but_no_columns_is_refused() {
    for sizes in
        [&b"\x04\x03\0\0\0\x04\0\0\0\0"[..], b"\x04\xff\xff\xff\xff\x04\x01\0\0\0", b"\x04\0\0\0\0\x04\xff\xff\xff\xff"]
    {
        let bytes = [b"\0BFM ", sizes].concat();
        assert!(Matrix::<f32>::frame(&bytes, false).is_err());
        assert!(message::<Matrix<f32>>(&bytes).starts_with("expected the size of a matrix, got "));
    }
    assert_eq!(message::<Vector<f32>>(b"\0BFV \x04\xfe\xff\xff\xff...."), "expected the size of a vector, got -2");
}

#[test]
fn a_claim_of_many_elements_is_no_allocation() {
    let large = b"\0BFM \x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f";
    let claim = Ok(Frame::Beyond(15 + 4 * 0x7fff_ffff_u64 * 0x7fff_ffff));
    assert_eq!(Matrix::<f32>::frame(large, false), claim);
    assert!(Matrix::<f32>::frame(large, true).unwrap_err().at_end);
    assert!(Matrix::<f32>::read(&mut Cursor::new(large)).unwrap_err().at_end);
    // Eight times that does not fit 64 bits.
    let larger = b"\0BDM \x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f";
    let wanted = "2147483647 by 2147483647 elements are too many";
    assert_eq!(Matrix::<f64>::frame(larger, false).map_err(|error| error.to_string()), Err(wanted.to_owned()));
    assert_eq!(message::<Matrix<f64>>(larger), wanted);
}

#[test]
fn only_what_would_be_written_is_canonical() {
    assert!(Matrix::<f32>::is_canonical_binary(SINGLE));
    assert!(!Matrix::<f64>::is_canonical_binary(SINGLE));
    assert!(!Vector::<f32>::is_canonical_binary(SINGLE));
    assert!(!Matrix::<f32>::is_canonical_binary(&SINGLE[..SINGLE.len() - 1]));
    assert!(!Matrix::<f32>::is_canonical_binary(&[SINGLE, b"x"].concat()));
    assert!(!Matrix::<f32>::is_canonical_binary(b" [ ]\n"));
    assert!(!Matrix::<f32>::is_canonical_binary(b"\0BFM\n\x04\0\0\0\0\x04\0\0\0\0"));
    assert!(Matrix::<f64>::is_canonical_binary(b"\0BDM \x04\0\0\0\0\x04\0\0\0\0"));
    assert!(Vector::<f32>::is_canonical_binary(b"\0BFV \x04\0\0\0\0"));
    assert!(Vector::<f64>::is_canonical_binary(&Vector::<f64>::new(3).to_bytes(Format::Binary)));
}

#[test]
fn a_matrix_with_columns_but_no_rows_is_empty_and_doubtful() {
    let bytes = b"\0BFM \x04\0\0\0\0\x04\x78\0\0\0";
    let mut cursor = Cursor::new(bytes);
    assert_eq!(Matrix::<f32>::read(&mut cursor), Ok(matrix(0, &[])));
    assert_eq!(cursor.take_warnings().len(), 1);
    assert_eq!(Matrix::<f32>::frame(bytes, false), Ok(Frame::Whole(15)));
    // A copy must not pass it on.
    assert!(!Matrix::<f32>::is_canonical_binary(bytes) && !Matrix::<f32>::is_canonical_head(bytes, 15));
}

fn part<V: Value>(bytes: &[u8], range: &str) -> Result<V> {
    let mut cursor = Cursor::new(bytes);
    let value = V::read_range(&mut cursor, range.as_bytes())?;
    assert_eq!(cursor.offset(), bytes.len(), "a range consumes the whole value");
    Ok(value)
}

#[test]
fn ranges_are_the_same_from_every_form() {
    let whole = Matrix::from_vec(4, 3, (0..12).map(f64::from).collect());
    let forms = [
        whole.to_bytes(Format::Binary),
        whole.to_bytes(Format::Text),
        whole.to_precision::<f32>().to_bytes(Format::Binary),
    ];
    for form in &forms {
        assert_eq!(part::<Matrix<f32>>(form, "1:2").unwrap(), matrix(2, &[3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
        assert_eq!(part::<Matrix<f32>>(form, "2:6,1:1").unwrap(), matrix(2, &[7.0, 10.0]));
        assert_eq!(part::<Matrix<f64>>(form, ":,:").unwrap(), whole);
        let error = part::<Matrix<f32>>(form, "0:7").unwrap_err();
        assert_eq!(error.to_string(), "range [0:7] is not within a matrix of 4 by 3");
    }
    let compressed = CompressedMatrix::compress(&whole.to_precision(), CompressionMethod::Automatic).unwrap();
    for form in forms.iter().chain([&compressed.to_bytes(Format::Binary)]) {
        let size = |range: Option<&str>| {
            let mut cursor = Cursor::new(form);
            let size = Matrix::<f32>::read_size(&mut cursor, range.map(str::as_bytes))?;
            assert_eq!(cursor.offset(), form.len(), "a size consumes the whole value");
            Ok(size)
        };
        assert_eq!(size(None), Ok((4, 3)));
        assert_eq!(size(Some("2:6,1:1")), Ok((2, 1)));
        assert_eq!(size(Some("0:7")), part::<Matrix<f32>>(form, "0:7").map(|matrix| matrix.size()));
    }
    let whole = Vector::from_vec(vec![0.0_f64, 1.0, 2.0]);
    for form in [whole.to_bytes(Format::Binary), whole.to_bytes(Format::Text)] {
        assert_eq!(part::<Vector<f32>>(&form, "1:4").unwrap(), vector(&[1.0, 2.0]));
        assert_eq!(part::<Vector<f64>>(&form, ":").unwrap(), whole);
        assert!(part::<Vector<f64>>(&form, "0:1,0:1").is_err());
    }
}

/// Cuts a value everywhere; `ends` returns whether the value may be taken for whole there.
fn cut<V: Value>(bytes: &[u8], ends: impl Fn(usize) -> bool) {
    for length in 0..bytes.len() {
        let window = &bytes[..length];
        match V::frame(window, false) {
            Ok(Frame::Beyond(exactly)) => assert_eq!(exactly, bytes.len() as u64),
            Ok(Frame::Partial(wanted)) => assert!(wanted > length as u64 && wanted <= bytes.len().max(15) as u64),
            other => panic!("{}: {other:?}", window.escape_ascii()),
        }
        if ends(length) {
            assert_eq!(V::frame(window, true), Ok(Frame::Whole(length)));
            assert!(V::read(&mut Cursor::new(window)).is_ok());
        } else {
            assert!(V::frame(window, true).unwrap_err().at_end, "{}", window.escape_ascii());
            assert!(V::read(&mut Cursor::new(window)).is_err(), "{}", window.escape_ascii());
        }
    }
    for after in ["", "utt2 ", "\n", "\r\n", "]", "\0B"] {
        let longer = [bytes, after.as_bytes()].concat();
        assert_eq!(V::frame(&longer, true), Ok(Frame::Whole(bytes.len())));
    }
}

#[test]
fn every_cut_is_found() {
    let values = [1.0, -2.5, 3e10, 4.0, 5.0, 6.0];
    let (single, double) = (matrix(3, &values), matrix(3, &values).to_precision::<f64>());
    cut::<Matrix<f32>>(&single.to_bytes(Format::Binary), |_| false);
    cut::<Matrix<f64>>(&single.to_bytes(Format::Binary), |_| false);
    cut::<Matrix<f32>>(&double.to_bytes(Format::Binary), |_| false);
    cut::<Vector<f64>>(&vector(&values).to_bytes(Format::Binary), |_| false);
    cut::<Vector<f32>>(&vector(&values).to_precision::<f64>().to_bytes(Format::Binary), |_| false);
    // Without its line end a text value is whole, too.
    let text = single.to_bytes(Format::Text);
    cut::<Matrix<f32>>(&text, |length| length == text.len() - 1);
    let text = b"\n [ 1 inf -3 ]\r\n";
    cut::<Vector<f64>>(text, |length| length >= text.len() - 2);
}

#[test]
fn a_damaged_header_gives_an_error_or_another_value() {
    for position in 0..15 {
        for byte in 0..=255 {
            let mut bytes = SINGLE.to_vec();
            bytes[position] = byte;
            for at_end in [false, true] {
                let _ = Matrix::<f32>::frame(&bytes, at_end);
                let _ = Vector::<f32>::frame(&bytes, at_end);
            }
            if let Ok((value, _)) = split::<Matrix<f32>>(&bytes) {
                assert!(value.as_slice().len() <= 4);
            }
            let _ = Vector::<f64>::read(&mut Cursor::new(&bytes));
            let _ = Matrix::<f64>::read_range(&mut Cursor::new(&bytes), b"0:0");
        }
    }
}

#[test]
fn a_bracket_or_line_end_in_the_wrong_place_is_found_without_reading_on() {
    assert!(Matrix::<f32>::frame(b" [ 1 2 3\nutt2 [ 4", false).is_err());
    assert!(Vector::<f32>::frame(b" [\n 1 2 3", false).is_err());
    assert!(Matrix::<f32>::frame(b" 1 2 3", false).is_err());
}

use super::*;

#[test]
fn the_marker_tells_the_form() {
    for (bytes, binary, offset) in [(&b"\0BFM "[..], true, 2), (b" [ 1 ]", false, 0), (b"B", false, 0), (b"", false, 0)]
    {
        let mut cursor = Cursor::new(bytes);
        assert_eq!((cursor.read_marker(), cursor.is_binary(), cursor.offset()), (Ok(binary), binary, offset));
    }
    assert!(!Cursor::new(b"\0C").read_marker().unwrap_err().at_end);
    assert!(Cursor::new(b"\0").read_marker().unwrap_err().at_end);
    assert!(Cursor::new_open(b"").read_marker().unwrap_err().at_end);
}

#[test]
fn a_token_takes_one_byte_of_white_space_along() {
    for form in [&b""[..], b"\0B"] {
        let bytes = [form, b" FM  <X>\n"].concat();
        let mut cursor = Cursor::new(&bytes);
        cursor.read_marker().unwrap();
        assert_eq!(cursor.read_token().unwrap(), b"FM");
        assert_eq!(cursor.rest(), b" <X>\n");
        assert_eq!(cursor.read_token().unwrap(), b"<X>");
        assert_eq!(cursor.rest(), b"");
    }
    for bytes in [&b"FM"[..], b"", b"  "] {
        assert!(Cursor::new(bytes).read_token().unwrap_err().at_end);
    }
}

#[test]
fn another_token_is_shown_beside_the_expected_one() {
    assert_eq!(Cursor::new(b"FM 1").expect_token("FM"), Ok(()));
    let error = Cursor::new(b" XM 1").expect_token("FM").unwrap_err();
    assert_eq!((error.offset, &*error.message), (1, "expected token \"FM\", got \"XM\""));
    let error = Cursor::new(b"FM").expect_token("FM").unwrap_err();
    assert_eq!((error.at_end, &*error.message), (true, "expected token \"FM\", got the end of the input"));
    let error = Cursor::new(b"\x01abcdefghijklmnopqrstuvw ").expect_token("FM").unwrap_err();
    assert_eq!(&*error.message, "expected token \"FM\", got \"\\x01abcdefghijklmnop...\"");
}

#[test]
fn lines_and_words_end_as_in_streams() {
    let mut cursor = Cursor::new(b"a b\n\nc");
    assert_eq!(cursor.read_line(), Ok(&b"a b"[..]));
    assert_eq!(cursor.read_line(), Ok(&b""[..]));
    assert_eq!(cursor.clone().read_word(), Ok(&b"c"[..]));
    assert_eq!(cursor.read_line(), Ok(&b"c"[..]));
    assert!(cursor.read_line().unwrap_err().at_end);
    assert!(cursor.read_word().unwrap_err().at_end);

    let mut cursor = Cursor::new(b" \r\nx");
    assert_eq!(cursor.read_line_end(), Ok(()));
    assert!(!cursor.read_line_end().unwrap_err().at_end);
    assert_eq!(cursor.skip_line_end(), Ok(false));
    cursor.advance(1);
    assert_eq!(cursor.skip_line_end(), Ok(true));
    assert!(cursor.read_line_end().unwrap_err().at_end);
}

#[test]
fn what_touches_an_open_end_is_not_taken_as_whole() {
    for bytes in ["", " ", "1", "-", "+", "1e", "1e+", "in"] {
        let cursor = Cursor::new_open(bytes.as_bytes());
        assert!(cursor.clone().read_basic::<f32>().unwrap_err().at_end, "{bytes}");
        assert!(cursor.clone().read_word().unwrap_err().at_end, "{bytes}");
        assert!(cursor.clone().read_line().unwrap_err().at_end, "{bytes}");
    }
    for bytes in ["", " ", "1", "-", "1 +", "1 23"] {
        let cursor = Cursor::new_open(bytes.as_bytes());
        assert!(cursor.clone().read_int_row(&mut Vec::new()).unwrap_err().at_end, "{bytes}");
        assert!(Cursor::new_open(format!("[ {bytes}").as_bytes()).read_int_vector().unwrap_err().at_end, "{bytes}");
    }
    assert_eq!(Cursor::new_open(b"1e5 ").read_basic(), Ok(1e5));
    assert!(!Cursor::new_open(b"- 1").read_basic::<i32>().unwrap_err().at_end);
    assert!(Cursor::new_open(b"").skip_line_end().unwrap_err().at_end);
}

#[test]
fn binary_integer_vectors_are_as_long_as_they_say() {
    let read = |bytes: &[u8]| -> Result<_> {
        let mut cursor = Cursor::new(bytes);
        cursor.read_marker()?;
        cursor.read_int_vector()
    };
    let bytes = b"\0B\x04\x02\0\0\0\x07\0\0\0\xff\xff\xff\xff";
    assert_eq!(read(bytes), Ok(vec![7, -1]));
    for cut in 2..bytes.len() {
        assert!(read(&bytes[..cut]).is_err_and(|error| error.at_end), "{cut}");
    }
    assert!(read(b"\0B\x04\xff\xff\xff\x7f\0\0\0\0").is_err_and(|error| error.at_end));
    assert!(read(b"\0B\x04\xff\xff\xff\xff\0\0\0\0").is_err_and(|error| !error.at_end));
    assert!(read(b"\0B\x08\x01\0\0\0\0\0\0\0").is_err_and(|error| !error.at_end));
}

#[test]
fn the_first_bracket_of_a_token_may_be_missing() {
    assert_eq!(Cursor::new(b"DiagGMM> ").expect_token("<DiagGMM>"), Ok(()));
    let error = Cursor::new(b"<DiagGMM> ").expect_token("DiagGMM>").unwrap_err();
    assert_eq!(error.to_string(), "expected token \"DiagGMM>\", got \"<DiagGMM>\"");
}

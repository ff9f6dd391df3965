//! Formats that use the same file names, or are mistaken for datasets.

/// The name of the format of a file with this start and this number of bytes, if it is known; for messages.
pub(crate) fn format_of(head: &[u8], length: u64) -> Option<String> {
    let format = if head.starts_with(b"TNTIDX\0\0") {
        "a TNTIDX index (the older lazy and cached datasets of fairseq and Megatron)"
    } else if head.starts_with(b"HUFFIDX\0\0") {
        "a HUFFIDX index (Huffman-coded tokens of fairseq)"
    } else if is_pickle(head) {
        "a Python pickle (Modalities writes such an index of JSON lines); pickles run code and are never opened"
    } else if is_packed(head, length) {
        "packed tokens of Modalities (.pbin: data length, token size, data, pickled index)"
    } else if is_mnist(head) {
        "an IDX array (the format of MNIST)"
    } else if head.starts_with(array_files::npy::MAGIC) {
        "a NumPy array (.npy)"
    } else {
        return None;
    };
    Some(format.to_owned())
}

fn is_pickle(head: &[u8]) -> bool {
    matches!(head, [0x80, 2..=5, ..])
}

/// Eight bytes with the length of the data, four with the size of a token, the data, a pickle.
fn is_packed(head: &[u8], length: u64) -> bool {
    let [a, b, c, d, e, f, g, h, size @ 1..=8, 0, 0, 0, ..] = *head else { return false };
    let data = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    data.is_multiple_of(size.into()) && data.checked_add(12).is_some_and(|end| end < length)
}

/// Two zeros, a type from 8 to 14, the number of dimensions.
fn is_mnist(head: &[u8]) -> bool {
    matches!(head, [0, 0, 8..=14, 1..=8, ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        let packed = [6, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0];
        let known = [
            (&b"TNTIDX\0\0\x01"[..], "TNTIDX"),
            (b"HUFFIDX\0\0", "HUFFIDX"),
            (b"\x80\x04\x95", "pickle"),
            (&packed, ".pbin"),
            (b"\0\0\x08\x03\0\0\xea\x60", "MNIST"),
            (array_files::npy::MAGIC, ".npy"),
        ];
        for (head, word) in known {
            assert!(format_of(head, 100).is_some_and(|format| format.contains(word)), "{word}");
        }
        assert_eq!(format_of(b"whatever it is", 100), None);
        assert_eq!(format_of(&packed, 18), None);
    }
}

//! Keys of tables.

/// Whether `key` may be a key of a table: a word of printable characters. Bytes above 127 count as letters, except 255,
/// which many tools take for a space (Kaldi's `IsToken`).
pub fn is_key(key: &[u8]) -> bool {
    kaldi_value::is_token(key)
}

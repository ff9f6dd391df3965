//! Keys of tables.

/// Whether `key` may be in a table: a word of printable characters; bytes above 127 are taken for letters, but for
/// 255, which many tools take for a space (Kaldi's `IsToken`).
pub fn is_key(key: &[u8]) -> bool {
    !key.is_empty() && key.iter().all(|&byte| byte.is_ascii_graphic() || (0x80..0xff).contains(&byte))
}

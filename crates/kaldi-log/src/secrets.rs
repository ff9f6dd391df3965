//! Secrets in addresses: passwords and signatures that do not belong into a log.

use std::borrow::Cow;

/// What is shown instead of a secret.
const HIDDEN: &[u8] = b"...";

/// Values of this length or longer are taken for secrets, whatever the name of their parameter is.
const LONG: usize = 24;

/// Parts of the names of parameters whose values are secrets or name their owner: `X-Amz-Signature`, `sig`,
/// `OSSAccessKeyId`, `X-Amz-Credential`, `delegation`.
const WORDS: [&[u8]; 12] = [
    b"sig",
    b"token",
    b"key",
    b"cred",
    b"secret",
    b"pass",
    b"pwd",
    b"policy",
    b"auth",
    b"delegation",
    b"session",
    b"code",
];

/// Removes secrets from the addresses in a text: the user before the host, and the values of parameters after `?` whose
/// names mean a secret or which are long. `https://u:p@host/a.ark?part=1&sig=abc:17` becomes
/// `https://...@host/a.ark?part=1&sig=...:17`. A text without addresses is returned unchanged.
pub fn hide_secrets(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = find(text, b"://") else { return Cow::Borrowed(text) };
    let mut shown = Vec::with_capacity(text.len());
    let mut at = 0;
    let mut next = Some(first);
    while let Some(found) = next {
        let start = found + 3;
        let end = start + text[start..].iter().position(|byte| ends_address(*byte)).unwrap_or(text.len() - start);
        shown.extend_from_slice(&text[at..start]);
        hide_in_address(&text[start..end], &mut shown);
        at = end;
        next = find(&text[at..], b"://").map(|found| at + found);
    }
    shown.extend_from_slice(&text[at..]);
    Cow::Owned(shown)
}

/// [`hide_secrets`] of a string.
pub fn hide_secrets_in(text: &str) -> Cow<'_, str> {
    match hide_secrets(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(shown) => Cow::Owned(String::from_utf8_lossy(&shown).into_owned()),
    }
}

/// Appends the address that follows its `scheme://`, as it may be shown.
fn hide_in_address(address: &[u8], shown: &mut Vec<u8>) {
    let host_end = address.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(address.len());
    let (host, rest) = address.split_at(host_end);
    match host.iter().rposition(|&byte| byte == b'@') {
        Some(user_end) => {
            shown.extend_from_slice(HIDDEN);
            shown.extend_from_slice(&host[user_end..]);
        }
        None => shown.extend_from_slice(host),
    }
    let Some(question) = rest.iter().position(|&byte| byte == b'?') else { return shown.extend_from_slice(rest) };
    shown.extend_from_slice(&rest[..=question]);
    let query = &rest[question + 1..];
    let (query, place) = query.split_at(query.len() - place_length(query));
    for (index, parameter) in query.split(|&byte| byte == b'&').enumerate() {
        if index > 0 {
            shown.push(b'&');
        }
        let equals = parameter.iter().position(|&byte| byte == b'=');
        let (name, value) = parameter.split_at(equals.map_or(0, |equals| equals + 1));
        shown.extend_from_slice(name);
        let name = name.to_ascii_lowercase();
        let is_secret = value.len() >= LONG || WORDS.iter().any(|word| find(&name, word).is_some());
        if is_secret && !value.is_empty() {
            shown.extend_from_slice(HIDDEN);
            // Characters that belong to the sentence around the address.
            let end = value.iter().rposition(|byte| !b",;:)".contains(byte)).map_or(0, |last| last + 1);
            shown.extend_from_slice(&value[end..]);
        } else {
            shown.extend_from_slice(value);
        }
    }
    shown.extend_from_slice(place);
}

/// The length of an offset and of a range at the end: `:1204`, `:1204[0:9]`.
fn place_length(query: &[u8]) -> usize {
    let range = match query.ends_with(b"]") {
        true => query.iter().rposition(|&byte| byte == b'[').unwrap_or(query.len()),
        false => query.len(),
    };
    let digits = query[..range].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let has_offset = digits > 0 && range > digits && query[range - digits - 1] == b':';
    query.len() - if has_offset { range - digits - 1 } else { range }
}

/// Whether an address ends before this byte.
fn ends_address(byte: u8) -> bool {
    byte <= b' ' || b"'\"`|<>\\".contains(&byte)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_cut_out_of_addresses() {
        let t = |text: &str, expected: &str| assert_eq!(hide_secrets_in(text), expected);
        t("no address: a?key=b", "no address: a?key=b");
        t("ark:s3://bucket/a.ark:17", "ark:s3://bucket/a.ark:17");
        t("http://h/a?id=5&page=a:12[0:3]", "http://h/a?id=5&page=a:12[0:3]");
        t("http://h/a?sig=x%2F+y=:12[0:3]", "http://h/a?sig=...:12[0:3]");
        t("http://h/a?sig=12345", "http://h/a?sig=...");
        t("https://user:pass@h:80/a@b", "https://...@h:80/a@b");
        t(
            "'ark:https://h/a?X-Amz-Date=2026&X-Amz-Signature=00ff' ark:-",
            "'ark:https://h/a?X-Amz-Date=2026&X-Amz-Signature=...' ark:-",
        );
        t(
            "a http://h?OSSAccessKeyId=a&Signature=b and http://h?token=c\n",
            "a http://h?OSSAccessKeyId=...&Signature=... and http://h?token=...\n",
        );
        t("http://h/?abcdefghijklmnopqrstuvwxyz", "http://h/?...");
        t("http://h/?abc", "http://h/?abc");
        t(
            "cannot open http://h/?sig=abc: no; http://h/?sig=a;",
            "cannot open http://h/?sig=...: no; http://h/?sig=...;",
        );
        t("://", "://");
        t("http://h/a?", "http://h/a?");
        t("http://h/a?[", "http://h/a?[");
        t("http://h/a?]", "http://h/a?]");
        t("http://h/a?:5", "http://h/a?:5");
    }
}

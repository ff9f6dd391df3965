//! Secrets in addresses: passwords and signatures that do not belong into a log.

use std::borrow::Cow;

/// What is shown instead of a secret.
const HIDDEN: &[u8] = b"...";

/// Values that are longer than this are taken for secrets, whatever the name of their parameter is.
const LONG: usize = 24;

/// Parameters whose values are shown. There are more names of secrets than one can list (`X-Amz-Signature`, `sig`, `md5`,
/// `hmac`, `jwt`, `pw`), so those of all other parameters are hidden.
const SHOWN: [&[u8]; 26] = [
    b"alt",
    b"date",
    b"download",
    b"end",
    b"file",
    b"format",
    b"id",
    b"index",
    b"lang",
    b"limit",
    b"name",
    b"offset",
    b"op",
    b"page",
    b"part",
    b"raw",
    b"ref",
    b"rev",
    b"shard",
    b"size",
    b"split",
    b"start",
    b"type",
    b"v",
    b"version",
    b"x-amz-date",
];

/// Removes what may be secrets from the addresses in a text: the user before the host, what follows `#`, and the values of
/// parameters after `?` and `;`, except short plain ones of a few parameters that are known. `https://u:p@host/a.ark?part=1&sig=abc:17` becomes
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
    let question = rest.iter().position(|byte| b"?#".contains(byte)).unwrap_or(rest.len());
    let (path, query) = rest.split_at(question);
    hide_in_path(path, shown);
    let Some((&mark, query)) = query.split_first() else { return };
    shown.push(mark);
    let (query, place) = query.split_at(query.len() - place_length(query));
    for (index, parameter) in query.split(|&byte| byte == b'&').enumerate() {
        if index > 0 {
            shown.push(b'&');
        }
        let equals = parameter.iter().position(|&byte| byte == b'=');
        let (name, value) = parameter.split_at(equals.map_or(0, |equals| equals + 1));
        let is_known = mark == b'?'
            && SHOWN.iter().any(|shown| name.strip_suffix(b"=").is_some_and(|name| name.eq_ignore_ascii_case(shown)));
        shown.extend_from_slice(name);
        hide_value(value, is_known, shown);
    }
    shown.extend_from_slice(place);
}

/// Appends a path, in which parameters may follow after `;`.
fn hide_in_path(path: &[u8], shown: &mut Vec<u8>) {
    for (index, part) in path.split(|&byte| byte == b'/').enumerate() {
        if index > 0 {
            shown.push(b'/');
        }
        match part.iter().position(|&byte| byte == b';') {
            Some(at) if part[at..].contains(&b'=') => {
                shown.extend_from_slice(&part[..=at]);
                let place = part.len() - place_length(part);
                hide_value(&part[at + 1..place.max(at + 1)], false, shown);
                shown.extend_from_slice(&part[place.max(at + 1)..]);
            }
            _ => shown.extend_from_slice(part),
        }
    }
}

/// Appends a value, or what is shown instead of it.
fn hide_value(value: &[u8], is_known: bool, shown: &mut Vec<u8>) {
    // Characters that belong to the sentence around the address.
    let end = value.iter().rposition(|byte| !b",;:)".contains(byte)).map_or(0, |last| last + 1);
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    match end {
        0 => {}
        _ if is_known && end <= LONG && value[..end].iter().all(is_plain) => shown.extend_from_slice(&value[..end]),
        _ => shown.extend_from_slice(HIDDEN),
    }
    shown.extend_from_slice(&value[end..]);
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
        t("http://h/?abc", "http://h/?...");
        for name in ["md5", "hmac", "jwt", "sas", "pw", "st", "e", "Policy", "s%69g", "id%3D5%26sig"] {
            t(&format!("http://h/a?id=5&{name}=abc:7"), &format!("http://h/a?id=5&{name}=...:7"));
        }
        t("http://h/a?name=sig%3Dabc", "http://h/a?name=...");
        t("http://h/a?file=http%3A%2F%2Fu%3Apw%40h", "http://h/a?file=...");
        t("http://h/a?id=5;sig=abc", "http://h/a?id=...");
        t("http://h/a#token=abc", "http://h/a#token=...");
        t("http://h/a;jsessionid=abc/b?id=7: no", "http://h/a;.../b?id=7: no");
        t("http://h/a; no", "http://h/a; no");
        t(
            "cannot open http://h/?sig=abc: no; http://h/?sig=a;",
            "cannot open http://h/?sig=...: no; http://h/?sig=...;",
        );
        t("://", "://");
        t("http://h/a?", "http://h/a?");
        t("http://h/a?[", "http://h/a?...");
        t("http://h/a?]", "http://h/a?...");
        t("http://h/a?:5", "http://h/a?:5");
    }
}

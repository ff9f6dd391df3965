//! Objects on the web: HTTP requests for parts of them.

use std::io;
use std::time::SystemTime;

use http::Method;
use http::header::{
    ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_RANGE, LAST_MODIFIED,
    RANGE, TRANSFER_ENCODING,
};
use reqwest::{Response, StatusCode, Url};

use crate::attempts::Attempts;
use crate::client::{Client, Request};
use crate::fault::Fault;
use crate::metadata::{Body, ObjectMetadata, Part, Reply};

/// Requests a part of the object at `url`. A server that does not send parts answers with the whole object.
///
/// # Errors
/// If the answer is of no use, or is for another object than the `known` one.
pub async fn get(
    client: &Client,
    url: &Url,
    part: &Part,
    known: Option<&ObjectMetadata>,
    attempts: &Attempts,
) -> Result<Reply, Fault> {
    let mut request =
        Request { method: Method::GET, url: url.clone(), headers: HeaderMap::new(), body: Default::default() };
    request.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let range = match part.end {
        Some(end) => format!("bytes={}-{}", part.start, end.saturating_sub(1)),
        None => format!("bytes={}-", part.start),
    };
    request.headers.insert(RANGE, header(&range)?);
    if let Some(version) = known.and_then(|known| known.version.as_deref()).filter(|version| !version.starts_with("W/"))
    {
        request.headers.insert(IF_RANGE, header(version)?);
    }
    let answer = client.send(&request, attempts).await?;
    let reply = match answer.status() {
        StatusCode::PARTIAL_CONTENT => partial(answer, part)?,
        StatusCode::OK => whole(answer)?,
        StatusCode::RANGE_NOT_SATISFIABLE => match content_range(answer.headers()) {
            Some((None, length)) => {
                let metadata = metadata(answer.headers(), length, true);
                Reply { metadata, start: part.start, body: Body::Empty }
            }
            _ if part.start == 0 => {
                // Some servers answer like this for an object without bytes.
                request.headers.remove(RANGE);
                whole(client.send(&request, attempts).await?)?
            }
            _ => return Err(Fault::other(format!("the object has no byte {} (status 416)", part.start))),
        },
        status => return Err(Fault::of_status(status, None)),
    };
    if known.is_some_and(|known| !known.agree(&reply.metadata)) {
        return Err(Fault::changed());
    }
    Ok(reply)
}

/// An answer with a part of the object.
fn partial(answer: Response, part: &Part) -> Result<Reply, Fault> {
    let Some((Some((start, end)), length)) = content_range(answer.headers()) else {
        return Err(Fault::other("the server sends a part of the object and does not say which"));
    };
    let is_in_place = start == part.start && end > start && part.end.is_none_or(|wanted| end <= wanted);
    if !is_in_place || length.is_some_and(|length| end > length) {
        let wanted = part.end.map_or(String::new(), |end| (end - 1).to_string());
        return Err(Fault::other(format!(
            "the server sends the bytes {start}-{} where {}-{wanted} were requested",
            end.saturating_sub(1),
            part.start
        )));
    }
    let metadata = metadata(answer.headers(), length, true);
    Ok(Reply { metadata, start, body: Body::Web(answer.into()) })
}

/// An answer with all of the object.
fn whole(answer: Response) -> Result<Reply, Fault> {
    if answer.status() != StatusCode::OK {
        return Err(Fault::of_status(answer.status(), None));
    }
    let length = number(answer.headers(), CONTENT_LENGTH);
    let is_chunked =
        answer.headers().get(TRANSFER_ENCODING).is_some_and(|value| value.as_bytes().ends_with(b"chunked"));
    if length.is_none() && !is_chunked {
        let message = "the server does not say how long the object is, so that a cut could not be noticed";
        return Err(Fault::new(io::ErrorKind::Unsupported, message));
    }
    let metadata = metadata(answer.headers(), length, false);
    Ok(Reply { metadata, start: 0, body: Body::Web(answer.into()) })
}

/// The first byte, and the one after the last.
type Span = (u64, u64);

/// `bytes 0-9/100` as the bytes 0..10 and the length 100; `bytes */100` has no bytes, `bytes 0-9/*` no length.
fn content_range(headers: &HeaderMap) -> Option<(Option<Span>, Option<u64>)> {
    let text = headers.get(CONTENT_RANGE)?.to_str().ok()?.trim();
    let (range, length) = text.strip_prefix("bytes")?.trim_start().split_once('/')?;
    let length = if length == "*" { None } else { Some(length.parse().ok()?) };
    if range == "*" {
        return Some((None, length));
    }
    let (first, last) = range.split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    Some((Some((first, last.checked_add(1)?)), length))
}

fn metadata(headers: &HeaderMap, length: Option<u64>, has_ranges: bool) -> ObjectMetadata {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok()).map(ToOwned::to_owned);
    let tag = text(ETAG);
    let time = text(LAST_MODIFIED).filter(|_| tag.is_none());
    // If this is not a valid time, it counts as one that has not passed.
    let changed = time.as_ref().map(|time| httpdate::parse_http_date(time).unwrap_or_else(|_| SystemTime::now()));
    ObjectMetadata { length, version: tag.or(time), changed, has_ranges }
}

fn number(headers: &HeaderMap, name: HeaderName) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

fn header(text: &str) -> Result<HeaderValue, Fault> {
    HeaderValue::from_str(text).map_err(|_| Fault::other("the server's headers make no sense"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_part_is_read() {
        let t = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_RANGE, text.parse().unwrap());
            content_range(&headers)
        };
        assert_eq!(t("bytes 0-9/100"), Some((Some((0, 10)), Some(100))));
        assert_eq!(t("bytes 5-5/*"), Some((Some((5, 6)), None)));
        assert_eq!(t("bytes */7"), Some((None, Some(7))));
        for text in ["bytes", "0-9/100", "bytes 0-9", "bytes -9/10", "bytes 0-18446744073709551615/5", "bytes 1/5"] {
            assert_eq!(t(text), None, "{text}");
        }
    }
}

//! The connection of the stores' library to the network: the same as for the web.

use std::sync::Arc;

use futures::stream::{self, StreamExt};
use http::header::{AUTHORIZATION, CONTENT_LENGTH, RANGE};
use http::{Method, Response, StatusCode};
use kaldi_io::sync::Mutex;
use opendal::Buffer;
use opendal::raw::{HttpBody, HttpFetch};
use reqwest::Url;

use crate::attempts::Attempts;
use crate::client::{Arriving, Client, Request};
use crate::fault::Fault;
use crate::settings::Settings;

/// The answer for a list that has ended.
const LAST_PAGE: &str = "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>";

/// The address of the root folder of HDFS.
const HDFS_ROOT: &str = "/webhdfs/v1/";

/// The answer for the status of that folder.
const ROOT_STATUS: &str = "{\"FileStatus\":{\"length\":0,\"modificationTime\":0,\"type\":\"DIRECTORY\",\"pathSuffix\":\"\",\
                           \"permission\":\"755\",\"owner\":\"\",\"group\":\"\",\"blockSize\":0,\"replication\":0,\"accessTime\":0}}";

/// The largest answer that is no object, such as a list or a message.
const MESSAGE: u64 = 64 << 20;

tokio::task_local! {
    /// The tries of the stream that the current work is for.
    pub static ATTEMPTS: Attempts;
    /// The last requested page of the list that is being read.
    pub static PAGE: Arc<Mutex<Option<Url>>>;
}

/// Sends the library's requests.
#[derive(Debug)]
pub struct Transport {
    /// Shared with the web.
    pub client: Arc<Client>,
    /// For work that belongs to no stream.
    pub settings: Settings,
    /// The scheme of the names in the store.
    pub scheme: String,
    /// A bucket that is added to paths if the signatures of requests do not have it.
    pub bucket: Option<String>,
}

impl HttpFetch for Transport {
    async fn fetch(&self, request: http::Request<Buffer>) -> opendal::Result<Response<HttpBody>> {
        let (parts, body) = request.into_parts();
        let mut url = Url::parse(&parts.uri.to_string())
            .map_err(|_| opendal::Error::new(opendal::ErrorKind::Unexpected, "the name makes no address"))?;
        if let Some(bucket) = &self.bucket {
            url.set_path(&format!("/{bucket}{}", url.path()));
        }
        if self.scheme.ends_with("hdfs")
            && url.path() == HDFS_ROOT
            && parts.method == Method::GET
            && asks_for_status(&url)
        {
            // The library would create the root folder if it may not look at it.
            let body = HttpBody::new(stream::once(std::future::ready(Ok(Buffer::from(ROOT_STATUS)))), None);
            return Ok(Response::new(body));
        }
        let goes_on = goes_on(&url);
        if !goes_on && !url.query().is_some_and(|query| query.contains("continuation-token=")) {
            // The server has named no next page, and has not said that there is none: the library requests the first
            // one again.
            let body = HttpBody::new(stream::once(std::future::ready(Ok(Buffer::from(LAST_PAGE)))), None);
            return Ok(Response::new(body));
        }
        if !goes_on {
            return Err(failed(Fault::other("the server sends the same page of the list again and again")));
        }
        let is_signed = parts.headers.contains_key(AUTHORIZATION)
            || url.query_pairs().any(|(name, _)| name == "sig" || name.to_ascii_lowercase().ends_with("signature"));
        let is_head = parts.method == Method::HEAD;
        let is_object = parts.method == Method::GET
            && (parts.headers.contains_key(RANGE) || url.query().is_some_and(|query| query.contains("op=OPEN")));
        let request = Request { method: parts.method, url, headers: parts.headers, body: body.to_bytes() };
        let attempts = ATTEMPTS.try_with(Attempts::clone).unwrap_or_else(|_| Attempts::new(self.settings, "the store"));
        let answer = self.client.send(&request, &attempts).await.map_err(failed)?;
        if matches!(answer.status(), StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) && !is_signed {
            return Err(failed(Fault::without_credentials(&self.scheme, Some(answer.status()))));
        }
        if answer.status() == StatusCode::UNAUTHORIZED {
            // The library does not know this status for all stores.
            return Err(failed(Fault::of_status(answer.status(), None)));
        }

        let length = answer.headers().get(CONTENT_LENGTH).filter(|_| !is_head);
        let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let mut response = Response::builder().status(answer.status());
        if let Some(headers) = response.headers_mut() {
            headers.clone_from(answer.headers());
        }
        let limit = if is_object && answer.status().is_success() { u64::MAX } else { MESSAGE };
        let client = Arc::clone(&self.client);
        let pieces = stream::try_unfold((Arriving::from(answer), 0), move |(mut answer, before)| {
            let client = Arc::clone(&client);
            async move {
                let Some(piece) = client.next_piece(&mut answer).await.map_err(failed)? else { return Ok(None) };
                let read: u64 = before + piece.len() as u64;
                if read > limit {
                    return Err(failed(Fault::other("the server's answer does not end")));
                }
                Ok(Some((Buffer::from(piece), (answer, read))))
            }
        });
        let pieces = pieces.filter(|piece| std::future::ready(!matches!(piece, Ok(piece) if piece.is_empty())));
        let body = HttpBody::new(Box::pin(pieces), length);
        response.body(body).map_err(|_| failed(Fault::other("the server's answer makes no sense")))
    }
}

/// Whether the list continues: if the same page of it is requested twice, it does not.
fn goes_on(url: &Url) -> bool {
    if !url.query().is_some_and(|query| query.contains("list-type=2")) {
        return true;
    }
    let before = PAGE.try_with(|page| page.lock().replace(url.clone())).ok().flatten();
    before.as_ref() != Some(url)
}

fn asks_for_status(url: &Url) -> bool {
    url.query_pairs().any(|(name, value)| name == "op" && value == "GETFILESTATUS")
}

/// Wraps a fault for the library.
fn failed(fault: Fault) -> opendal::Error {
    let is_passing = fault.again != crate::fault::Again::Never;
    let error = opendal::Error::new(opendal::ErrorKind::Unexpected, fault.message.clone()).set_source(fault);
    if is_passing { error.set_temporary() } else { error }
}

//! Requests over HTTP: time-outs, redirections, tries.

use std::error::Error;
use std::io;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

use http::header::{AUTHORIZATION, COOKIE, LOCATION, PROXY_AUTHORIZATION, RETRY_AFTER};
use http::{HeaderMap, Method};
use reqwest::{Body, Response, Url};

use crate::attempts::Attempts;
use crate::fault::{Again, Fault, is_passing};
use crate::settings::Settings;

/// Redirections that are followed, one after the other.
const REDIRECTIONS: usize = 10;

/// Bytes of a request's own for which one more second of silence is allowed.
const SENT_PER_SECOND: f64 = 100_000.0;

/// A server that sends fewer bytes a second than this, for as long as it may be silent, counts as silent.
const SLOWEST: f64 = 64.0;

/// An answer whose bytes arrive.
#[derive(Debug)]
pub struct Arriving {
    response: Response,
    /// How long the server was waited for, and the bytes that came, since it was last fast enough.
    waited: Duration,
    bytes: usize,
}

impl From<Response> for Arriving {
    fn from(response: Response) -> Self {
        Self { response, waited: Duration::ZERO, bytes: 0 }
    }
}

/// One request, which can be sent several times.
#[derive(Clone, Debug)]
pub struct Request {
    /// Such as GET.
    pub method: Method,
    /// The address.
    pub url: Url,
    /// Headers.
    pub headers: HeaderMap,
    /// The data after the headers.
    pub body: bytes::Bytes,
}

/// Connections to servers, kept for the next request.
#[derive(Debug)]
pub struct Client {
    settings: Settings,
    /// Without TLS, since loading certificates takes time.
    plain: OnceLock<reqwest::Client>,
    secure: OnceLock<reqwest::Client>,
}

impl Client {
    /// A client without connections.
    pub fn new(settings: Settings) -> Self {
        Self { settings, plain: OnceLock::new(), secure: OnceLock::new() }
    }

    /// Sends a request until it is answered, and returns the answer without its body. The answer may be a refusal.
    ///
    /// # Errors
    /// If no try was answered, or all tries had temporary failures.
    pub async fn send(&self, request: &Request, attempts: &Attempts) -> Result<Response, Fault> {
        loop {
            let fault = match self.send_once(request).await {
                Ok(answer) if is_passing(answer.status()) => {
                    Fault::of_status(answer.status(), retry_after(answer.headers()))
                }
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            attempts.pause(fault).await?;
        }
    }

    async fn send_once(&self, request: &Request) -> Result<Response, Fault> {
        let mut url = request.url.clone();
        let mut headers = request.headers.clone();
        for _ in 0..=REDIRECTIONS {
            let client = self.client(url.scheme() == "https")?;
            let mut builder = client.request(request.method.clone(), url.clone()).headers(headers.clone());
            if !request.body.is_empty() {
                builder = builder.body(Body::from(request.body.clone()));
            }
            let patience = self.settings.silence + Duration::from_secs_f64(request.body.len() as f64 / SENT_PER_SECOND);
            let answer = match tokio::time::timeout(patience, builder.send()).await {
                Ok(answer) => answer.map_err(|error| of_transport(error, &url))?,
                Err(_) => return Err(silent(self.settings.silence)),
            };
            let is_safe = matches!(request.method, Method::GET | Method::HEAD);
            let Some(next) = redirection(&answer).filter(|_| is_safe) else { return Ok(answer) };
            let next = follow(&url, &next)?;
            if next.origin() != url.origin() {
                for name in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
                    headers.remove(name);
                }
                headers.remove("x-amz-security-token");
            }
            url = next;
        }
        Err(Fault::other(format!("the server redirects more than {REDIRECTIONS} times")))
    }

    /// Waits for the next bytes of an answer.
    ///
    /// # Errors
    /// If the connection breaks, or is silent or nearly so.
    pub async fn next_piece(&self, answer: &mut Arriving) -> Result<Option<bytes::Bytes>, Fault> {
        let start = Instant::now();
        let piece = match tokio::time::timeout(self.settings.silence, answer.response.chunk()).await {
            Ok(Ok(Some(piece))) => piece,
            Ok(Ok(None)) => return Ok(None),
            Ok(Err(error)) => return Err(broken(&error.without_url())),
            Err(_) => return Err(silent(self.settings.silence)),
        };
        answer.waited += start.elapsed();
        answer.bytes += piece.len();
        if answer.waited >= self.settings.silence {
            let seconds = answer.waited.as_secs_f64();
            if (answer.bytes as f64) < SLOWEST * seconds {
                let message = format!("the server has sent only {} bytes in {seconds:.1} s", answer.bytes);
                return Err(Fault::passing(io::ErrorKind::TimedOut, message));
            }
            (answer.waited, answer.bytes) = (Duration::ZERO, 0);
        }
        Ok(Some(piece))
    }

    fn client(&self, secure: bool) -> Result<reqwest::Client, Fault> {
        let slot = if secure { &self.secure } else { &self.plain };
        if let Some(client) = slot.get() {
            return Ok(client.clone());
        }
        let builder = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.settings.silence)
            .tcp_keepalive(Duration::from_secs(60))
            .tls_built_in_root_certs(secure)
            .user_agent(concat!("kaldi-store/", env!("CARGO_PKG_VERSION")));
        let client =
            builder.build().map_err(|error| Fault::other(format!("cannot set up connections: {}", inmost(&error))))?;
        Ok(slot.get_or_init(|| client).clone())
    }
}

/// The place that an answer redirects to.
fn redirection(answer: &Response) -> Option<String> {
    let is_redirection = matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = answer.headers().get(LOCATION).filter(|_| is_redirection)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

/// The target of a redirection, if it is allowed.
fn follow(from: &Url, to: &str) -> Result<Url, Fault> {
    let shown = || {
        kaldi_io::log::hide_secrets_in(to).chars().filter(|letter| !letter.is_control()).take(200).collect::<String>()
    };
    let url =
        from.join(to).map_err(|_| Fault::other(format!("the server redirects to {}, which is no address", shown())))?;
    match (from.scheme(), url.scheme()) {
        (_, "https") | ("http", "http") => Ok(url),
        ("https", "http") => Err(Fault::other(format!("the server redirects to {}, which is not encrypted", shown()))),
        _ => Err(Fault::other(format!("the server redirects to {}; only http and https are followed", shown()))),
    }
}

/// The time that a server asks to wait, in seconds or as a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let at = httpdate::parse_http_date(text).ok()?;
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

fn silent(silence: Duration) -> Fault {
    Fault::passing(io::ErrorKind::TimedOut, format!("the server was silent for {} s", silence.as_secs_f64()))
}

/// The fault for a request that was not answered.
fn of_transport(error: reqwest::Error, url: &Url) -> Fault {
    let error = error.without_url();
    let why = inmost(&error);
    let host = url.host_str().unwrap_or_default();
    let message = if error.is_connect() { format!("cannot connect to {host}: {why}") } else { why.clone() };
    let stays = ["certificate", "too large", "invalid HTTP", "invalid header"].iter().any(|word| why.contains(word));
    let again = if stays || error.is_builder() { Again::Never } else { Again::Soon };
    Fault { kind: io::ErrorKind::Other, message, again }
}

fn broken(error: &reqwest::Error) -> Fault {
    Fault::passing(io::ErrorKind::Other, format!("the connection broke: {}", inmost(error)))
}

/// The innermost reason, in one line.
fn inmost(error: &(dyn Error + 'static)) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let text = inner.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    kaldi_io::log::hide_secrets_in(text)
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(300)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_lead_to_the_web_only() {
        let [http, https] = ["http://h/a/b", "https://h/a/b"].map(|url| Url::parse(url).unwrap());
        let t = |from: &Url, to: &str, expected: &str| match follow(from, to) {
            Ok(url) => assert_eq!(url.as_str(), expected),
            Err(fault) => assert!(fault.message.contains(expected), "{fault}"),
        };
        t(&http, "c", "http://h/a/c");
        t(&http, "//other/c", "http://other/c");
        t(&http, "https://h/c", "https://h/c");
        t(&https, "http://h/c?sig=1", "redirects to http://h/c?sig=..., which is not encrypted");
        t(&http, "file:///etc/passwd", "redirects to file:///etc/passwd; only http");
        t(&http, "http://[", "is no address");
    }

    #[test]
    fn the_time_to_wait_is_a_number_or_a_date() {
        let t = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(RETRY_AFTER, text.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(t("7"), Some(Duration::from_secs(7)));
        assert_eq!(t("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        assert_eq!(t("soon"), None);
        assert_eq!(t("-1"), None);
    }
}

//! Which requests are answered.

use std::fs::File;
use std::io::Read;

use http::{HeaderMap, Method, Request, StatusCode, header};

/// Bytes of a token: 128 random bits.
const RANDOM: usize = 16;

/// Who may read.
#[derive(Debug)]
pub(crate) struct Gate {
    /// The first part of every path.
    token: String,
    /// Names of this computer that a browser may use.
    hosts: Vec<String>,
}

impl Gate {
    /// Makes a new token. `host` is one more name that this computer may have.
    ///
    /// # Errors
    /// If there is no source of random numbers.
    pub fn new(host: Option<&str>) -> std::io::Result<Self> {
        let mut bytes = [0; RANDOM];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let hosts = ["127.0.0.1", "localhost", "[::1]"].into_iter().chain(host).map(str::to_ascii_lowercase).collect();
        Ok(Self { token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(), hosts })
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// The path after the token.
    ///
    /// # Errors
    /// What to answer instead.
    pub fn check<'a, B>(&self, request: &'a Request<B>) -> Result<&'a str, (StatusCode, &'static str)> {
        let path = request.uri().path().strip_prefix('/').unwrap_or("");
        let (token, rest) = path.split_once('/').ok_or((StatusCode::NOT_FOUND, "not found"))?;
        if !is_same(token.as_bytes(), self.token.as_bytes()) {
            return Err((StatusCode::NOT_FOUND, "not found"));
        }
        let headers = request.headers();
        // Of an absolute target, the host counts, too.
        let is_target_known = request.uri().authority().is_none_or(|host| self.knows(host.as_str()));
        if !is_target_known || !only(headers, header::HOST).is_some_and(|host| self.knows(host)) {
            return Err((StatusCode::FORBIDDEN, "the host is not this computer; see `allow_host`"));
        }
        let is_foreign = headers.get_all("sec-fetch-site").iter().any(|site| site.as_bytes() == b"cross-site");
        let navigates = only(headers, "sec-fetch-mode") == Some("navigate");
        if is_foreign && !navigates {
            return Err((StatusCode::FORBIDDEN, "another site asks"));
        }
        match *request.method() {
            Method::GET | Method::HEAD => Ok(rest),
            _ => Err((StatusCode::METHOD_NOT_ALLOWED, "expected GET or HEAD")),
        }
    }

    /// Whether a host, perhaps with a port, is this computer.
    fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        self.hosts.iter().any(|known| {
            let Some(rest) = host.strip_prefix(known.as_str()) else { return false };
            let port = rest.strip_prefix(':');
            let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            rest.is_empty() || port.is_some_and(is_port)
        })
    }
}

/// The value of a header that is there once.
fn only(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// Compares all bytes, whichever differ.
fn is_same(left: &[u8], right: &[u8]) -> bool {
    let differences = left.iter().zip(right).fold(0, |sum, (left, right)| sum | (left ^ right));
    left.len() == right.len() && std::hint::black_box(differences) == 0
}

/// What every answer says to browsers.
pub(crate) const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("x-content-type-options", "nosniff"),
    ("cache-control", "no-store"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(gate: &Gate, method: &str, target: &str, headers: &[(&str, &str)]) -> Result<String, u16> {
        let mut request = Request::builder().method(method).uri(target.replace("TOKEN", gate.token()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        gate.check(&request.body(()).unwrap()).map(str::to_owned).map_err(|(status, _)| status.as_u16())
    }

    #[test]
    fn a_request_needs_the_token_and_a_known_host() {
        let gate = Gate::new(Some("Gpu7.lab")).unwrap();
        assert_eq!(gate.token().len(), 32);
        assert_ne!(gate.token(), Gate::new(None).unwrap().token());
        let local = [("host", "127.0.0.1:80")];
        assert_eq!(check(&gate, "GET", "/TOKEN/", &local), Ok(String::new()));
        assert_eq!(check(&gate, "HEAD", "/TOKEN/api/info?x=/", &local), Ok("api/info".into()));
        for target in ["/", "/TOKEN", "/x/TOKEN/", "//TOKEN/", "/TOKENx/", "/xTOKEN/", "/?TOKEN/", "*"] {
            for method in ["GET", "POST"] {
                assert_eq!(check(&gate, method, target, &local), Err(404), "{target}");
            }
        }
        for host in ["localhost", "LOCALHOST:8080", "[::1]:1", "127.0.0.1", "gpu7.lab:8", "GPU7.LAB"] {
            assert_eq!(check(&gate, "GET", "/TOKEN/a", &[("host", host)]), Ok("a".into()), "{host}");
        }
        for host in
            ["", "evil", "127.0.0.1.evil", "localhost:", "localhost:x", "a@localhost", "[::1", "::1", "127.0.0.1:1:1"]
        {
            assert_eq!(check(&gate, "GET", "/TOKEN/a", &[("host", host)]), Err(403), "{host}");
        }
        assert_eq!(check(&gate, "GET", "/TOKEN/a", &[]), Err(403));
        assert_eq!(check(&gate, "GET", "/TOKEN/a", &[("host", "localhost"), ("host", "localhost")]), Err(403));
        assert_eq!(check(&gate, "GET", "http://evil/TOKEN/a", &local), Err(403));
        assert_eq!(check(&gate, "GET", "http://localhost:9/TOKEN/a", &local), Ok("a".into()));
    }

    #[test]
    fn other_sites_may_only_link_to_it() {
        let gate = Gate::new(None).unwrap();
        let from = |site, mode| [("host", "localhost"), ("sec-fetch-site", site), ("sec-fetch-mode", mode)];
        assert_eq!(check(&gate, "GET", "/TOKEN/", &from("cross-site", "navigate")), Ok(String::new()));
        for mode in ["cors", "no-cors", "websocket", ""] {
            assert_eq!(check(&gate, "GET", "/TOKEN/", &from("cross-site", mode)), Err(403), "{mode}");
            assert_eq!(check(&gate, "GET", "/TOKEN/", &from("same-origin", mode)), Ok(String::new()), "{mode}");
        }
    }

    #[test]
    fn other_methods_are_refused() {
        let gate = Gate::new(None).unwrap();
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "get"] {
            assert_eq!(check(&gate, method, "/TOKEN/", &[("host", "localhost")]), Err(405), "{method}");
        }
    }
}

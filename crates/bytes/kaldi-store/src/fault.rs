//! A failure with an object, and whether another try is useful.

use std::fmt;
use std::io;
use std::time::Duration;

use reqwest::StatusCode;

/// A failure of a store or of the way to it.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Its kind for readers and writers.
    pub kind: io::ErrorKind,
    /// One line, without the name of the object.
    pub message: String,
    /// Whether another try may help.
    pub again: Again,
}

/// Whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// The result would be the same.
    Never,
    /// The failure is temporary.
    Soon,
    /// The server names a time to wait.
    After(Duration),
}

impl Fault {
    /// A permanent failure.
    pub fn new(kind: io::ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), again: Again::Never }
    }

    /// A permanent failure without a kind of its own.
    pub fn other(message: impl Into<String>) -> Self {
        Self::new(io::ErrorKind::Other, message)
    }

    /// A temporary failure.
    pub fn passing(kind: io::ErrorKind, message: impl Into<String>) -> Self {
        Self { again: Again::Soon, ..Self::new(kind, message) }
    }

    /// The object has changed.
    pub fn changed() -> Self {
        Self::other("the object has changed while it was read")
    }

    /// A store refuses a request for which there were no credentials.
    pub fn without_credentials(scheme: &str, status: Option<StatusCode>) -> Self {
        let advice = match scheme {
            "s3" => {
                "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to the name of a profile in \
                 ~/.aws/credentials"
            }
            "oss" => "set OSS_ACCESS_KEY_ID and OSS_ACCESS_KEY_SECRET",
            "gs" | "gcs" => "set GOOGLE_APPLICATION_CREDENTIALS to the file of a key, or GOOGLE_OAUTH_ACCESS_TOKEN",
            "azblob" => "set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING",
            _ => "set HADOOP_USER_NAME or KALDI_STORE_WEBHDFS_DELEGATION",
        };
        let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
        let message = format!("access is refused{status}, and no credentials were found: {advice}");
        Self::new(io::ErrorKind::PermissionDenied, message)
    }

    /// The meaning of an answer of the server.
    pub fn of_status(status: StatusCode, wait: Option<Duration>) -> Self {
        let (kind, text) = match status.as_u16() {
            404 | 410 => (io::ErrorKind::NotFound, "there is no such object"),
            401 | 403 | 407 => (io::ErrorKind::PermissionDenied, "access is refused"),
            429 => (io::ErrorKind::Other, "there were too many requests"),
            500..=599 => (io::ErrorKind::Other, "the server has failed"),
            _ => (io::ErrorKind::Other, "the server answers something else than the object"),
        };
        let reason = status.canonical_reason().map(|reason| format!(" {reason}")).unwrap_or_default();
        let again = match (is_passing(status), wait) {
            (true, Some(wait)) => Again::After(wait),
            (true, None) => Again::Soon,
            (false, _) => Again::Never,
        };
        Self { kind, message: format!("{text} (status {}{reason})", status.as_u16()), again }
    }

    /// The error of the library of the stores, in one line and without addresses.
    pub fn of_store(error: &opendal::Error) -> Self {
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            if let Some(fault) = inner.downcast_ref::<Self>() {
                return fault.clone();
            }
            source = inner.source();
        }
        let shown = error.to_string();
        if shown.contains("no valid credential found") {
            let service = shown.split("service: ").nth(1).and_then(|rest| rest.split([',', ' ', '}']).next());
            return Self::without_credentials(service.unwrap_or_default(), None);
        }
        let (kind, text) = match error.kind() {
            opendal::ErrorKind::NotFound => (io::ErrorKind::NotFound, "there is no such object"),
            opendal::ErrorKind::PermissionDenied => (io::ErrorKind::PermissionDenied, "access is refused"),
            opendal::ErrorKind::ConditionNotMatch => return Self::changed(),
            opendal::ErrorKind::Unsupported => (io::ErrorKind::Unsupported, "the store cannot do this"),
            opendal::ErrorKind::ConfigInvalid => (io::ErrorKind::Other, "the settings of the store are not right"),
            _ => (io::ErrorKind::Other, "the store has failed"),
        };
        let message = match said_by_store(&shown) {
            said if said.is_empty() => text.to_owned(),
            said => format!("{text} ({said})"),
        };
        Self { kind, message, again: if error.is_temporary() { Again::Soon } else { Again::Never } }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        Self::new(fault.kind, kaldi_io::log::hide_secrets_in(&fault.message).into_owned())
    }
}

/// Whether the same request may have another answer a little later.
pub fn is_passing(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504 | 509)
}

/// The message of a store about the failure: its code and its message if it has sent them, otherwise the last part of
/// the library's text. Headers and addresses, which come before that, are left out.
fn said_by_store(text: &str) -> String {
    let said = text.rsplit_once("} => ").or_else(|| text.split_once(" => ")).map_or("", |(_, said)| said);
    let said = said.split(", source:").next().unwrap_or_default();
    let field = |name: &str| {
        let (_, rest) = said.split_once(&format!("{name}: \""))?;
        rest.split_once('"').map(|(value, _)| value.to_owned())
    };
    let said = match (field("code"), field("message")) {
        (Some(code), Some(message)) if !message.is_empty() => format!("{code}: {message}"),
        (Some(code), _) => code,
        _ => said.to_owned(),
    };
    let line: String = said.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(300).collect();
    line.trim().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_has_said_is_one_line() {
        let t = |text: &str, expected: &str| assert_eq!(said_by_store(text), expected);
        t(
            "PermissionDenied (permanent) at read, context: { uri: http://h/a?X-Amz-Signature=1, response: Parts { \
             status: 403 } } => S3Error { code: \"AccessDenied\", message: \"No.\", resource: \"/a\" }",
            "AccessDenied: No",
        );
        t("NotFound (permanent) at stat => no\nthing", "no thing");
        t("Unexpected", "");
    }

    #[test]
    fn a_failure_passes_or_stays() {
        for (status, again) in [(404, Again::Never), (403, Again::Never), (503, Again::Soon), (429, Again::Soon)] {
            assert_eq!(Fault::of_status(StatusCode::from_u16(status).unwrap(), None).again, again);
        }
        let wait = Duration::from_secs(3);
        assert_eq!(Fault::of_status(StatusCode::SERVICE_UNAVAILABLE, Some(wait)).again, Again::After(wait));
        let fault = Fault::of_status(StatusCode::NOT_FOUND, None);
        assert_eq!(fault.message, "there is no such object (status 404 Not Found)");
    }
}

//! What is sent as the answer to a request.

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};

use crate::server::failure::{Answer, Failure, Misnamed};

/// The type of JSON.
pub(crate) const JSON: &str = "application/json";
/// The type of numbers.
pub(crate) const NUMBERS: &str = "application/octet-stream";

/// Makes the next piece of a body.
pub(crate) type Pieces = Box<dyn FnMut() -> Answer<Option<Vec<u8>>> + Send>;

/// The body of a reply.
pub(crate) enum Content {
    /// All of it.
    Whole(Bytes),
    /// Its length, if it is known, and what makes one piece after the other.
    Pieces(Option<u64>, Pieces),
}

/// What is sent as the answer to a request.
pub(crate) struct Reply {
    pub status: StatusCode,
    pub content_type: &'static str,
    /// Headers of this kind of answer.
    pub headers: Vec<(&'static str, String)>,
    pub content: Content,
}

impl Reply {
    pub fn new(content_type: &'static str, content: impl Into<Bytes>) -> Self {
        let content = Content::Whole(content.into());
        Self { status: StatusCode::OK, content_type, headers: Vec::new(), content }
    }

    pub fn json(value: &Value) -> Self {
        Self::new(JSON, value.to_string())
    }

    /// An error with its message.
    pub fn error(status: StatusCode, message: &str) -> Self {
        Self { status, ..Self::json(&json!({ "error": message })) }
    }

    /// Numbers, with what they are.
    pub fn numbers(numbers: &[f32], headers: Vec<(&'static str, String)>) -> Self {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Self { headers, ..Self::new(NUMBERS, bytes) }
    }
}

impl From<Failure> for Reply {
    fn from(failure: Failure) -> Self {
        let status = match failure {
            Failure::Unknown(_) => StatusCode::NOT_FOUND,
            Failure::Unreadable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Failure::Wrong(_) => StatusCode::BAD_REQUEST,
            Failure::Misnamed(Misnamed { message, column, like }) => {
                let mut error = json!({ "error": message, "like": like });
                if let Some(column) = column {
                    error["column"] = column.into();
                }
                return Self { status: StatusCode::BAD_REQUEST, ..Self::json(&error) };
            }
        };
        Self::error(status, failure.message())
    }
}

//! The parameters of a request.

use bstr::{BString, ByteSlice};

use crate::server::failure::{Answer, Failure};

/// The parameters of a request, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(BString, BString)>);

impl Query {
    /// Reads what is after the `?`.
    pub fn parse(text: &str) -> Self {
        let pair = |pair: &str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        };
        Self(text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect())
    }

    /// The first value of this name.
    pub fn get(&self, name: &str) -> Option<&BString> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The value of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn need(&self, name: &str) -> Answer<&BString> {
        self.get(name).ok_or_else(|| Failure::Wrong(format!("expected the parameter {name}")))
    }

    /// The value of this name as a number.
    ///
    /// # Errors
    /// If it is no number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Answer<Option<T>> {
        let Some(value) = self.get(name).filter(|value| !value.is_empty()) else { return Ok(None) };
        let number = value.to_str().ok().and_then(|value| value.parse().ok());
        let wrong = || Failure::Wrong(format!("expected a number for the parameter {name}, got {}", value.as_bstr()));
        number.map(Some).ok_or_else(wrong)
    }
}

/// Text with `%20` and `+` for a blank. A `%` that no two digits follow stands for itself.
fn decode(text: &str) -> BString {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let digits = after.get(..2).and_then(|digits| u8::from_str_radix(digits.to_str().ok()?, 16).ok());
        decoded.push(match (byte, digits) {
            (b'%', Some(byte)) if after[0] != b'+' => {
                rest = &after[2..];
                byte
            }
            (b'+', _) => b' ',
            _ => byte,
        });
    }
    decoded.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let query = Query::parse("key=a%2Fb+c%26%C3%A9&from=12&empty&bad=%zz%+1%4&from=13");
        assert_eq!(query.get("key").unwrap(), "a/b c&é");
        assert_eq!(query.number::<u32>("from"), Ok(Some(12)));
        assert_eq!(query.get("empty").unwrap(), "");
        assert_eq!(query.get("bad").unwrap(), "%zz% 1%4");
        assert_eq!((query.get("other"), query.number::<u32>("other")), (None, Ok(None)));
        assert!(query.number::<u32>("key").is_err() && query.need("other").is_err());
    }
}

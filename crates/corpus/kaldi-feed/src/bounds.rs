//! Which utterances are used.

/// The lengths that utterances may have; the bounds themselves are allowed.
///
/// Names and defaults are WeNet's. Lengths of sound are in frames of 10 ms, whatever the features will be.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// The most frames.
    pub max_length: f64,
    /// The fewest frames.
    pub min_length: f64,
    /// The most labels.
    pub token_max_length: u64,
    /// The fewest labels.
    pub token_min_length: u64,
    /// The fewest labels for a frame.
    pub min_output_input_ratio: f64,
    /// The most labels for a frame.
    pub max_output_input_ratio: f64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            max_length: 10240.0,
            min_length: 10.0,
            token_max_length: 200,
            token_min_length: 1,
            min_output_input_ratio: 0.0005,
            max_output_input_ratio: 1.0,
        }
    }
}

/// The bound that an utterance exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Beyond {
    /// Fewer frames than allowed.
    TooShort,
    /// More frames than allowed.
    TooLong,
    /// Fewer labels than allowed.
    TooFewTokens,
    /// More labels than allowed.
    TooManyTokens,
    /// Fewer labels for a frame than allowed.
    RatioTooLow,
    /// More labels for a frame than allowed.
    RatioTooHigh,
}

impl Beyond {
    /// The reason in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TooShort => "too short",
            Self::TooLong => "too long",
            Self::TooFewTokens => "too few labels",
            Self::TooManyTokens => "too many labels",
            Self::RatioTooLow => "too few labels for the length",
            Self::RatioTooHigh => "too many labels for the length",
        }
    }
}

impl Bounds {
    /// The first bound that an utterance of this length exceeds. Without labels, only the length counts.
    pub fn beyond(&self, num_frames: f64, num_tokens: Option<u64>) -> Option<Beyond> {
        // This way NaN is too short.
        if num_frames.is_nan() || num_frames < self.min_length {
            return Some(Beyond::TooShort);
        }
        if num_frames > self.max_length {
            return Some(Beyond::TooLong);
        }
        let num_tokens = num_tokens?;
        if num_tokens < self.token_min_length {
            return Some(Beyond::TooFewTokens);
        }
        if num_tokens > self.token_max_length {
            return Some(Beyond::TooManyTokens);
        }
        let ratio = num_tokens as f64 / num_frames;
        if num_frames == 0.0 {
            None
        } else if ratio < self.min_output_input_ratio {
            Some(Beyond::RatioTooLow)
        } else if ratio > self.max_output_input_ratio {
            Some(Beyond::RatioTooHigh)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_allowed_and_what_is_beyond_is_not() {
        let bounds = Bounds::default();
        let cases = [
            (10.0, None, None),
            (9.999, None, Some(Beyond::TooShort)),
            (10240.0, None, None),
            (10240.1, None, Some(Beyond::TooLong)),
            (f64::NAN, None, Some(Beyond::TooShort)),
            (100.0, Some(0), Some(Beyond::TooFewTokens)),
            (100.0, Some(1), None),
            (1000.0, Some(200), None),
            (1000.0, Some(201), Some(Beyond::TooManyTokens)),
            (100.0, Some(100), None),
            (100.0, Some(101), Some(Beyond::RatioTooHigh)),
            (2000.0, Some(1), None),
            (2001.0, Some(1), Some(Beyond::RatioTooLow)),
        ];
        for (frames, tokens, beyond) in cases {
            assert_eq!(bounds.beyond(frames, tokens), beyond, "{frames} frames, {tokens:?} labels");
        }
    }

    #[test]
    fn nothing_has_no_ratio() {
        let bounds = Bounds { min_length: 0.0, ..Bounds::default() };
        assert_eq!(bounds.beyond(0.0, Some(5)), None);
    }
}

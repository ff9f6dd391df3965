//! Names in files of other programs: they are data, and run nothing.

use bstr::{BStr, ByteSlice};

use crate::characters::excerpt;
use crate::locator::split_range;

/// What happens to a command in a file that is data, such as a manifest of another program. Script files are not data: the commands
/// in their lines always run.
///
/// ```
/// use kaldi_io::Commands;
///
/// assert!(Commands::Refuse.check("a b.wav".into()).is_ok());
/// assert!(Commands::Refuse.check("cat a.wav |".into()).is_err());
/// assert!(Commands::Allow.check("cat a.wav |".into()).is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Commands {
    /// It is refused.
    #[default]
    Refuse,
    /// It is taken, and runs when the name is read.
    Allow,
}

impl Commands {
    /// `Allow` if they are allowed.
    pub fn allowed(are_allowed: bool) -> Self {
        if are_allowed { Self::Allow } else { Self::Refuse }
    }

    /// Checks a name of data: it is the name of a file or an address. A name that starts or ends with a pipe sign is a command, also
    /// with blanks around it or a range after it.
    ///
    /// # Errors
    /// If it is a command and these are refused; if it is nothing, or standard input.
    pub fn check(self, name: &BStr) -> Result<(), String> {
        let bare = trimmed(name);
        if bare.is_empty() || bare == b"-" {
            return Err(format!("expected the name of a file or an address, got {name:?}"));
        }
        let is_command = |name: &[u8]| name.starts_with(b"|") || name.ends_with(b"|");
        let before_range = split_range(bare.as_bstr()).map_or(bare, |(before, _)| trimmed(before));
        match self {
            Self::Refuse if is_command(bare) || is_command(before_range) => Err(self.refusal(name)),
            _ => Ok(()),
        }
    }

    /// The message that refuses a command.
    pub fn refusal(self, command: &BStr) -> String {
        let command = excerpt(command);
        format!(
            "expected the name of a file or an address, got the command \"{command}\", which only `allow_commands` takes"
        )
    }
}

fn trimmed(name: &[u8]) -> &[u8] {
    name.trim_with(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_command_is_refused() {
        let commands = [
            "cat a |",
            "cat a|",
            "| cat",
            " \t| cat",
            "cat a | \n",
            "cat a |\u{a0}",
            "cat a |[0:3]",
            "cat a | [0:3]",
            "|",
            "s3://bucket/a |",
            "file:///a |",
            "ark:cat a |",
            "a;b|",
        ];
        for name in commands {
            let error = Commands::Refuse.check(name.into()).unwrap_err();
            assert!(
                error.contains("got the command") && error.ends_with("which only `allow_commands` takes"),
                "{error}"
            );
            assert_eq!(Commands::Allow.check(name.into()), Ok(()), "{name}");
        }
        for name in ["", "-", " - ", "\n"] {
            for commands in [Commands::Refuse, Commands::Allow] {
                assert!(commands.check(name.into()).is_err(), "{name:?}");
            }
        }
        for name in ["a", "a b.wav", "a.ark:12[0:3]", "https://host/a?b=%7C", "a|b.wav", "b,ark:x", "\u{ff5c}"] {
            assert_eq!(Commands::Refuse.check(name.into()), Ok(()), "{name}");
        }
    }
}

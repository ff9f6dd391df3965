//! How messages of libraries, which name fields, become messages on options.

use clap::Command;

use crate::command::options;
use crate::option::name;

/// The names of a tool's options by those of their fields.
pub(crate) struct Spelling {
    options: Vec<(String, String)>,
}

impl Spelling {
    /// The options of a tool.
    pub(crate) fn of(command: &Command) -> Self {
        let names = |option: &clap::Arg| (option.get_id().to_string(), name(option).to_owned());
        Self { options: options(command).map(names).collect() }
    }

    /// The help of an option, which may name others.
    pub(crate) fn help(&self, option: &clap::Arg) -> String {
        self.spell(&option.get_help().map(ToString::to_string).unwrap_or_default())
    }

    /// Replaces fields (or names of options, spelled like fields) between backticks by options: `` `num_ceps` `` becomes `--num-ceps`, and
    /// `` `snip_edges = false` `` becomes `--snip-edges=false`. What else is between backticks stays.
    pub(crate) fn spell(&self, message: &str) -> String {
        let mut spelled = String::with_capacity(message.len());
        let mut rest = message;
        while let Some((before, after)) = rest.split_once('`') {
            spelled.push_str(before);
            let option = after.split_once('`').and_then(|(code, after)| Some((self.option(code)?, after)));
            match option {
                Some((option, after)) => {
                    spelled.push_str(&option);
                    rest = after;
                }
                None => {
                    spelled.push('`');
                    rest = after;
                }
            }
        }
        spelled + rest
    }

    fn option(&self, code: &str) -> Option<String> {
        let (field, value) = code.split_once(" = ").map_or((code, None), |(field, value)| (field, Some(value)));
        let is_it = |(known, name): &&(String, String)| known == field || name.replace('-', "_") == field;
        let (_, name) = self.options.iter().find(is_it)?;
        Some(value.map_or_else(|| format!("--{name}"), |value| format!("--{name}={value}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::command;

    #[derive(clap::Args)]
    #[allow(dead_code, reason = "only the table is looked at")]
    struct Options {
        /// Number of cepstra
        #[arg(long, default_value_t = 13)]
        num_ceps: i32,
        /// Cut here
        #[arg(long = "cut_at")]
        cut: Option<u32>,
        /// Take logarithms
        #[arg(long)]
        apply_log: bool,
    }

    #[test]
    fn fields_that_are_options_of_the_tool_are_spelled_like_them() {
        let spelling = Spelling::of(&command(&<Options as clap::Args>::augment_args, false));
        let spelled = |message| spelling.spell(message);
        assert_eq!(spelled("expected `num_ceps` to be 1 or more, got 0"), "expected --num-ceps to be 1 or more, got 0");
        assert_eq!(
            spelled("`cut`, `cut_at` with `apply_log = true`; é"),
            "--cut_at, --cut_at with --apply-log=true; é"
        );
        assert_eq!(spelled("see `verbose`"), "see --verbose");
        assert_eq!(spelled("a`num_ceps`b`"), "a--num-cepsb`");
        for other in ["`other`", "key `a", "``", "`num_ceps", "` `num_cep` x", "`a b` = `num-ceps`", ""] {
            assert_eq!(spelled(other), other);
        }
    }
}

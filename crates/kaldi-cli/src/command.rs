//! Between the derived clap command and the dialect: what a command line may contain, and how clap gets its values.

use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use clap::{ArgAction, ArgMatches, Command};

use crate::names::{Names, Role};
use crate::option::Opt;
use crate::reading::Reading;
use crate::standard;

/// An argument, by its place after the options.
pub(crate) struct Place {
    pub(crate) id: String,
    pub(crate) role: Option<Role>,
    pub(crate) required: bool,
    pub(crate) many: bool,
}

/// What a tool's command line may contain.
pub(crate) struct Dialect {
    pub(crate) options: Vec<Opt>,
    places: Vec<Place>,
}

impl Dialect {
    /// Takes the options and arguments from a derived command.
    pub(crate) fn of(command: &Command) -> Self {
        let mut options = standard::options();
        let mut places = Vec::new();
        for arg in command.get_arguments() {
            match arg.get_long() {
                Some(name) => options.push(Opt::of(arg, name)),
                None => places.push(Place {
                    id: arg.get_id().to_string(),
                    role: Role::of(arg.get_value_parser()),
                    required: arg.is_required_set(),
                    many: matches!(arg.get_action(), ArgAction::Append),
                }),
            }
        }
        Self { options, places }
    }

    /// The arguments in their order.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter()
    }

    /// Returns the words for clap, `--id=value` for each value and each argument, and the names that are among them.
    ///
    /// # Errors
    ///
    /// The number of expected arguments, if it is another number.
    pub(crate) fn canonical(&self, reading: &Reading) -> Result<(Vec<OsString>, Names), String> {
        let num_given = reading.arguments.len();
        let min = self.places.iter().filter(|place| place.required).count();
        let is_open = self.places.iter().any(|place| place.many);
        let max = if is_open { usize::MAX } else { self.places.len() };
        if !(min..=max).contains(&num_given) {
            return Err(self.wrong_count(min, max, reading));
        }
        let mut words = Vec::with_capacity(self.options.len() + num_given);
        let mut names = Names::default();
        for (option, value) in self.options.iter().zip(&reading.values) {
            if let (Some(id), Some(value)) = (&option.id, value)
                && !(option.empty_is_none && value.is_empty())
            {
                let values =
                    if option.repeats { value.split(|byte| *byte == b'\n').collect() } else { vec![value.as_slice()] };
                for value in values {
                    words.push(word(id, OsStr::from_bytes(value)));
                    if let (Some(role), false) = (option.role, value.is_empty()) {
                        names.add(role, value);
                    }
                }
            }
        }
        let mut spare = num_given - min;
        let mut arguments = reading.arguments.iter();
        for place in &self.places {
            let extra = if place.many { spare } else { usize::from(!place.required).min(spare) };
            spare -= extra;
            for argument in arguments.by_ref().take(usize::from(place.required) + extra) {
                words.push(word(&place.id, argument));
                if let Some(role) = place.role {
                    names.add(role, argument.as_bytes());
                }
            }
        }
        Ok((words, names))
    }

    fn wrong_count(&self, min: usize, max: usize, reading: &Reading) -> String {
        let expected = match (min, max) {
            (1, 1) => "1 argument".to_owned(),
            _ if min == max => format!("{min} arguments"),
            (_, usize::MAX) => format!("at least {min} arguments"),
            _ => format!("{min} to {max} arguments"),
        };
        format!("expected {expected}, got {}", reading.arguments.len())
    }

    /// Has clap parse what [`Dialect::canonical`] returned.
    ///
    /// # Errors
    ///
    /// Names the option or argument that its type refuses, and the reason.
    pub(crate) fn matches(&self, command: Command, words: &[OsString]) -> Result<ArgMatches, String> {
        let mut command = adapt(command);
        let error = match command.try_get_matches_from_mut(words) {
            Ok(matches) => return Ok(matches),
            Err(error) => error,
        };
        // clap names no argument in an error (that is one of its features that cost size), so each is tried by itself.
        let mut lenient = command.mut_args(|arg| arg.required(false));
        let refused = words.iter().find_map(|word| Some((word, lenient.try_get_matches_from_mut([word]).err()?)));
        Err(refused.map_or_else(|| error.to_string(), |(word, error)| self.refused(word, &error)))
    }

    fn refused(&self, word: &OsStr, error: &clap::Error) -> String {
        let word = word.to_string_lossy();
        let (id, value) = word.trim_start_matches('-').split_once('=').unwrap_or_default();
        let mut message = match self.options.iter().find(|option| option.id.as_deref() == Some(id)) {
            Some(option) => format!("Invalid option --{}={value}", option.name),
            None => format!("invalid {} \"{value}\"", id.replace('_', " ")),
        };
        let Some(mut cause) = error.source() else { return message + ": expected UTF-8" };
        loop {
            message = format!("{message}: {cause}");
            match cause.source() {
                Some(deeper) => cause = deeper,
                None => return message,
            }
        }
    }
}

/// Returns `--id=value`.
fn word(id: &str, value: &OsStr) -> OsString {
    let mut word = OsString::from(format!("--{id}="));
    word.push(value);
    word
}

/// Makes a derived command understand what [`Dialect::canonical`] returns: every option and every argument has the
/// form `--id=value`, with a value for bools too.
fn adapt(command: Command) -> Command {
    command.no_binary_name(true).disable_help_flag(true).disable_version_flag(true).mut_args(|arg| {
        let id = arg.get_id().to_string();
        let arg = match (arg.get_action(), arg.get_default_values().is_empty()) {
            (ArgAction::SetTrue, true) => arg.action(ArgAction::Set).default_value("false"),
            (ArgAction::SetTrue, false) => arg.action(ArgAction::Set),
            _ => arg,
        };
        arg.long(id)
    })
}

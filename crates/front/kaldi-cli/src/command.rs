//! The `clap::Command` of a tool, and what its matches name.

use std::any::TypeId;
use std::os::unix::ffi::OsStrExt;

use bstr::BString;
use clap::parser::ValueSource;
use clap::{Arg as ClapArg, ArgAction, ArgMatches, Args, Command};
use kaldi_value::number::{double, integer, single};

use crate::inputs_outputs::Names;
use crate::option::{Role, is_argument, is_shown_as_int, is_standard, place_name};
use crate::standard::{Careful, Standard};

/// A command line of the options of all tools, and of what `own` adds to it.
pub(crate) fn command(own: &dyn Fn(Command) -> Command, is_careful: bool) -> Command {
    let command = Command::new("").disable_help_flag(true).disable_version_flag(true).args_override_self(true);
    let command = own(Standard::augment_args(command).next_help_heading(None::<&str>));
    let command = if is_careful { Careful::augment_args(command) } else { command };
    let command = command.mut_args(in_kaldis_form);
    debug_assert_eq!(name_of_two(&command), None, "an option has the name of another");
    command
}

/// What all options and arguments have in common. The dialect gives each of them a name and a value, `--name=value`.
fn in_kaldis_form(arg: ClapArg) -> ClapArg {
    let arg = arg.require_equals(true);
    let arg = if arg.is_positional() { in_place(arg) } else { arg };
    match arg.get_action() {
        ArgAction::SetTrue if arg.get_default_values().is_empty() => arg.action(ArgAction::Set).default_value("false"),
        ArgAction::SetTrue => arg.action(ArgAction::Set),
        _ => with_numbers(arg),
    }
}

fn in_place(arg: ClapArg) -> ClapArg {
    let name = place_name(arg.get_id().as_str());
    arg.long(name).num_args(1)
}

/// Reads numbers as Kaldi does.
fn with_numbers(arg: ClapArg) -> ClapArg {
    if is_shown_as_int(&arg) {
        return arg;
    }
    let found = arg.get_value_parser().type_id();
    macro_rules! integers {
        ($($type:ident)*) => {
            $(if found == TypeId::of::<$type>() {
                let range = i64::try_from($type::MIN).unwrap_or(0)..=i64::try_from($type::MAX).unwrap_or(i64::MAX);
                return arg.value_parser(integer::<$type>(range));
            })*
        };
    }
    if found == TypeId::of::<f32>() {
        return arg.value_parser(single);
    }
    if found == TypeId::of::<f64>() {
        return arg.value_parser(double);
    }
    integers!(i32 u32 usize i64 u64 isize u16 u8);
    arg
}

/// A name that two options have.
fn name_of_two(command: &Command) -> Option<BString> {
    let names = options(command).flat_map(crate::option::names);
    let mut names: Vec<BString> = names.map(|name| crate::dialect::normalized(name.as_bytes())).collect();
    names.sort();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
}

/// The options.
pub(crate) fn options(command: &Command) -> impl Iterator<Item = &ClapArg> {
    command.get_arguments().filter(|arg| !is_argument(arg))
}

/// The arguments in their order.
pub(crate) fn arguments(command: &Command) -> impl Iterator<Item = &ClapArg> {
    command.get_arguments().filter(|arg| is_argument(arg))
}

/// The values that a command line gives, without those of standard options.
pub(crate) struct Given {
    pub(crate) options: Vec<GivenValues>,
    /// By their places.
    pub(crate) arguments: Vec<GivenValues>,
}

/// What was given for an option or argument.
pub(crate) struct GivenValues {
    /// The name of the field.
    pub(crate) field: String,
    /// The name of the option.
    pub(crate) name: String,
    role: Option<Role>,
    pub(crate) values: Vec<BString>,
}

impl Given {
    /// Takes the values that are no defaults off matches.
    pub(crate) fn of(command: &Command, matches: &ArgMatches) -> Self {
        let given = |arg: &ClapArg| {
            let field = arg.get_id().as_str();
            let is_given = matches.value_source(field) == Some(ValueSource::CommandLine);
            let values = matches.get_raw(field).filter(|_| is_given)?;
            Some(GivenValues {
                field: field.to_owned(),
                name: crate::option::name(arg).to_owned(),
                role: Role::of(arg),
                values: values.map(|value| value.as_bytes().into()).collect(),
            })
        };
        Self {
            options: options(command).filter(|arg| !is_standard(arg)).filter_map(given).collect(),
            arguments: arguments(command).filter_map(given).collect(),
        }
    }

    /// The names of inputs and outputs among the values.
    pub(crate) fn names(&self) -> Names {
        let mut names = Names::default();
        for GivenValues { role, values, .. } in &self.options {
            if let Some(role) = role {
                values.iter().filter(|value| !value.is_empty()).for_each(|value| names.add(*role, value));
            }
        }
        for GivenValues { role, values, .. } in &self.arguments {
            if let Some(role) = role {
                values.iter().for_each(|value| names.add(*role, value));
                names.add_argument(*role, values.iter().map(|value| value.as_slice()));
            }
        }
        names
    }
}

//! The options that a command line may name.

use std::borrow::Cow;

use clap::builder::PossibleValue;
use clap::{Arg, ArgAction};

use crate::dialect::normalized;
use crate::kind::Kind;
use crate::names::Role;

/// An option that the command line may name.
pub(crate) struct Opt {
    /// The name of clap's argument; `None` for a standard option.
    pub(crate) id: Option<String>,
    /// The name as the usage text shows it.
    pub(crate) name: Cow<'static, str>,
    /// Further names of the same option.
    pub(crate) aliases: Vec<String>,
    /// Names that the option had before; they are taken with a warning, and shown nowhere.
    pub(crate) old_names: Vec<String>,
    pub(crate) kind: Kind,
    /// What the option names, if it names a stream or a table.
    pub(crate) role: Option<Role>,
    pub(crate) help: Cow<'static, str>,
    /// The title below which the usage text shows it first.
    pub(crate) heading: Option<String>,
    /// The default as the usage text shows it; `None` if the usage text should not show a default.
    pub(crate) default: Option<Cow<'static, str>>,
    /// The only allowed values; empty if there is no such list.
    pub(crate) choices: Vec<String>,
    /// Spellings that choices had before, each with the choice.
    pub(crate) old_choices: Vec<(String, String)>,
    /// An empty value means that the option is not given.
    pub(crate) empty_is_none: bool,
    /// It may be given several times; its values are kept as lines.
    pub(crate) repeats: bool,
}

impl Opt {
    /// An option of all tools.
    pub(crate) fn standard(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Self {
        Self {
            id: None,
            name: name.into(),
            aliases: Vec::new(),
            old_names: Vec::new(),
            kind,
            role: None,
            help: help.into(),
            heading: None,
            default: Some(default.into()),
            choices: Vec::new(),
            old_choices: Vec::new(),
            empty_is_none: false,
            repeats: false,
        }
    }

    /// All names that the command line may use.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.aliases.iter().chain(&self.old_names).map(String::as_str))
    }

    /// Whether this name, in its normalized form, is one that the option had before.
    pub(crate) fn had_name(&self, key: &[u8]) -> bool {
        self.old_names.iter().any(|name| normalized(name.as_bytes()) == key)
    }

    /// Takes an option from a derived command.
    pub(crate) fn of(arg: &Arg, name: &str) -> Self {
        let kind = Kind::of(arg.get_value_parser());
        let default = arg.get_default_values().first().map(|default| default.to_string_lossy());
        let empty_is_none = default.is_none() && kind == Kind::Text;
        let default = match (default, kind) {
            (Some(default), _) => Some(kind.show_default(&default).into()),
            (None, Kind::Bool) => Some("false".into()),
            (None, Kind::Text) => Some("\"\"".into()),
            (None, _) => None,
        };
        let values = if kind == Kind::Text { arg.get_possible_values() } else { Vec::new() };
        let choices = values.iter().map(|choice| choice.get_name().to_owned()).collect();
        let old_choices = |choice: &PossibleValue| {
            let (old, name) = (choice.get_name_and_aliases().skip(1).map(str::to_owned), choice.get_name().to_owned());
            old.map(move |old| (old, name.clone())).collect::<Vec<_>>()
        };
        let old_choices = values.iter().flat_map(old_choices).collect();
        let visible = arg.get_visible_aliases().unwrap_or_default();
        let all = arg.get_all_aliases().unwrap_or_default();
        let (aliases, old_names) =
            all.into_iter().map(str::to_owned).partition(|name| visible.contains(&name.as_str()));
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default().into();
        Self {
            id: Some(arg.get_id().to_string()),
            name: name.to_owned().into(),
            aliases,
            old_names,
            kind,
            role: Role::of(arg.get_value_parser()),
            help,
            heading: arg.get_help_heading().map(str::to_owned),
            default,
            choices,
            old_choices,
            empty_is_none,
            repeats: matches!(arg.get_action(), ArgAction::Append),
        }
    }
}

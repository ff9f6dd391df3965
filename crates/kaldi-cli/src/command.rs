//! What a command line may contain, and its values in the order of the table.

use std::os::unix::ffi::OsStrExt;

use bstr::BString;
use option_table::{ArgumentRow, TableRow, Values};

use crate::dialect::normalized;
use crate::names::Names;
use crate::option::Opt;
use crate::reading::Reading;
use crate::standard;

/// What a tool's command line may contain.
pub(crate) struct Dialect {
    /// The options of all tools, then those of the table.
    pub(crate) options: Vec<Opt>,
    places: Vec<&'static ArgumentRow>,
    table: &'static [TableRow],
}

/// The values of a command line.
pub(crate) struct Given {
    /// Those of options that were given, without empty ones that mean nothing.
    pub(crate) options: Vec<(Opt, Vec<BString>)>,
    /// Those of arguments by their places.
    pub(crate) arguments: Vec<(&'static ArgumentRow, Vec<BString>)>,
}

impl Dialect {
    /// Takes the options and arguments from a table.
    pub(crate) fn of(table: &'static [TableRow]) -> Self {
        let mut options: Vec<Opt> = standard::options().collect();
        let mut places = Vec::new();
        TableRow::visit(table, &mut |row| match row {
            TableRow::Option(row) => options.push(Opt::of(row)),
            TableRow::Argument(row) => places.push(row),
            TableRow::Group(_) => {}
        });
        let this = Self { options, places, table };
        debug_assert_eq!(this.name_of_two(), None, "an option has the name of another");
        this
    }

    /// A name that two options have.
    fn name_of_two(&self) -> Option<BString> {
        let mut names: Vec<BString> =
            self.options.iter().flat_map(Opt::names).map(|name| normalized(name.as_bytes())).collect();
        names.sort();
        names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone())
    }

    /// The arguments in their order.
    pub(crate) fn places(&self) -> impl Iterator<Item = &'static ArgumentRow> {
        self.places.iter().copied()
    }

    /// Returns the values that were given, each with its option or argument.
    ///
    /// # Errors
    /// The number of expected arguments, if it is another number.
    pub(crate) fn given(&self, reading: &Reading) -> Result<Given, String> {
        let num_given = reading.arguments.len();
        let min = self.places.iter().filter(|place| place.required).count();
        let is_open = self.places.iter().any(|place| place.many);
        let max = if is_open { usize::MAX } else { self.places.len() };
        if !(min..=max).contains(&num_given) {
            return Err(self.wrong_count(min, max, reading));
        }
        let mut options = Vec::new();
        for (option, value) in self.options.iter().zip(&reading.values).filter(|(option, _)| !option.is_standard) {
            if let Some(value) = value
                && !(value.is_empty() && option.empty_is_none())
            {
                let values = match option.repeats {
                    true => value.split(|byte| *byte == b'\n').map(BString::from).collect(),
                    false => vec![value.clone()],
                };
                options.push((*option, values));
            }
        }
        let mut spare = num_given - min;
        let mut words = reading.arguments.iter().map(|word| BString::from(word.as_bytes()));
        let mut arguments = Vec::with_capacity(self.places.len());
        for place in self.places() {
            let extra = if place.many { spare } else { usize::from(!place.required).min(spare) };
            spare -= extra;
            arguments.push((place, words.by_ref().take(usize::from(place.required) + extra).collect()));
        }
        Ok(Given { options, arguments })
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

    /// Returns the values that were given in the order of the table.
    pub(crate) fn values(&self, given: &Given) -> Values {
        let mut values = Values::default();
        let mut options = given.options.iter().peekable();
        let mut arguments = given.arguments.iter();
        TableRow::visit(self.table, &mut |row| match row {
            TableRow::Option(row) => {
                let given = options.next_if(|(option, _)| option.name == row.name);
                values.push_option(row, given.map_or_else(Vec::new, |(_, values)| values.clone()));
            }
            TableRow::Argument(row) => {
                values.push_argument(row, arguments.next().map_or_else(Vec::new, |(_, values)| values.clone()));
            }
            TableRow::Group(_) => {}
        });
        values
    }
}

impl Given {
    /// The names of inputs and outputs among the values.
    pub(crate) fn names(&self) -> Names {
        let mut names = Names::default();
        for (option, values) in &self.options {
            if let Some(role) = option.role {
                values.iter().filter(|value| !value.is_empty()).for_each(|value| names.add(role, value));
            }
        }
        for (argument, values) in &self.arguments {
            if let Some(role) = argument.role {
                values.iter().for_each(|value| names.add(role, value));
                names.add_argument(role, values.iter().map(|value| value.as_slice()));
            }
        }
        names
    }
}

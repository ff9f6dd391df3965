//! The values of a command line, in the order of the table.

use std::collections::VecDeque;

use bstr::{BStr, BString};

use crate::error::{Cause, Error, Result};
use crate::row::{ArgumentRow, OptionRow, TableRow};

/// The values of a command line: an item for each row of a table that is no group, in the order of the table. A program pushes
/// them, and [`Options::take`](crate::Options::take) takes them.
#[derive(Debug, Default)]
pub struct Values(VecDeque<Item>);

/// Parses a text and keeps its value.
type Parse<'a> = dyn FnMut(&BStr) -> Result<(), Cause> + 'a;

/// The values of a field.
#[derive(Debug)]
struct Item {
    field: Field,
    texts: Vec<BString>,
}

#[derive(Clone, Copy, Debug)]
enum Field {
    Option(&'static str),
    Argument(&'static str),
}

impl Values {
    /// The texts of all defaults of a table, as if each of them were given.
    #[must_use]
    pub fn of_defaults(table: &'static [TableRow]) -> Self {
        let mut values = Self::default();
        TableRow::visit(table, &mut |row| match row {
            TableRow::Option(row) => values.push_option(row, (row.default)().into_iter().map(BString::from).collect()),
            TableRow::Argument(row) => values.push_argument(row, Vec::new()),
            TableRow::Group(_) => {}
        });
        values
    }

    /// Adds the values of an option, none if it was not given. They have the form of [`OptionKind::canonical`].
    ///
    /// [`OptionKind::canonical`]: crate::OptionKind::canonical
    pub fn push_option(&mut self, row: &'static OptionRow, texts: Vec<BString>) {
        self.0.push_back(Item { field: Field::Option(row.name), texts });
    }

    /// Adds the values of an argument.
    pub fn push_argument(&mut self, row: &'static ArgumentRow, texts: Vec<BString>) {
        self.0.push_back(Item { field: Field::Argument(row.field), texts });
    }

    /// Takes the values of the next field, as many as there are.
    ///
    /// # Errors
    /// If `parse` refuses one.
    pub fn many<T>(&mut self, parse: impl Fn(&BStr) -> Result<T, Cause>) -> Result<Vec<T>> {
        let mut values = Vec::new();
        self.parse_all(&mut |text| {
            values.push(parse(text)?);
            Ok(())
        })?;
        Ok(values)
    }

    fn parse_all(&mut self, parse: &mut Parse<'_>) -> Result<()> {
        let Some(Item { field, texts }) = self.0.pop_front() else { return Ok(()) };
        texts.iter().try_for_each(|text| parse(text.as_ref()).map_err(|cause| field.refused(text, cause)))
    }

    /// Takes the value of the next field, the last one if there are several.
    ///
    /// # Errors
    /// If `parse` refuses it.
    pub fn optional<T>(&mut self, parse: impl Fn(&BStr) -> Result<T, Cause>) -> Result<Option<T>> {
        let mut value = None;
        self.parse_last(&mut |text| {
            value = Some(parse(text)?);
            Ok(())
        })?;
        Ok(value)
    }

    fn parse_last(&mut self, parse: &mut Parse<'_>) -> Result<()> {
        let Some(Item { field, mut texts }) = self.0.pop_front() else { return Ok(()) };
        let Some(text) = texts.pop() else { return Ok(()) };
        parse(text.as_ref()).map_err(|cause| field.refused(&text, cause))
    }

    /// Takes the value of the next field, which has a default as text.
    ///
    /// # Errors
    /// If `parse` refuses it.
    pub fn or_text<T>(&mut self, text: &str, parse: impl Fn(&BStr) -> Result<T, Cause>) -> Result<T> {
        self.set_default(text);
        self.one(parse)
    }

    fn set_default(&mut self, text: &str) {
        if let Some(item) = self.0.front_mut()
            && item.texts.is_empty()
        {
            item.texts.push(text.into());
        }
    }

    /// Takes the value of the next field, which must be there.
    ///
    /// # Errors
    /// If `parse` refuses it, and if it is missing.
    pub fn one<T>(&mut self, parse: impl Fn(&BStr) -> Result<T, Cause>) -> Result<T> {
        let field = self.next_name();
        self.optional(parse)?.ok_or(Error::Missing { field })
    }

    /// The name of the next field.
    fn next_name(&self) -> &'static str {
        self.0.front().map_or("", |item| match item.field {
            Field::Option(name) | Field::Argument(name) => name,
        })
    }
}

impl Field {
    fn refused(self, text: &BString, cause: Cause) -> Error {
        match self {
            Self::Option(name) => Error::Option { name, value: text.clone(), cause },
            Self::Argument(field) => Error::Argument { field, value: text.clone(), cause },
        }
    }
}

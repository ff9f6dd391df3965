//! Which columns and entries manifests have, and whether those that were asked for are among them.

use std::collections::BTreeSet;

use crate::{Error, Extra, ManifestOptions, Result};

/// The most names that are kept for messages, besides those that were asked for.
const MOST_NAMES: usize = 100;

/// Names of columns and entries that were seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct SeenFields {
    /// Those that say something by themselves, such as the text.
    fields: BTreeSet<String>,
    /// Those that may become tables.
    extra: BTreeSet<String>,
}

impl SeenFields {
    /// Remembers a column or an entry.
    pub(crate) fn see(&mut self, name: &str, options: &ManifestOptions) {
        let is_asked = || options.fields.asked().any(|(_, asked)| asked == name);
        see(&mut self.fields, name, is_asked);
    }

    /// Remembers a column or an entry that becomes a table if that is wanted.
    pub(crate) fn see_extra(&mut self, name: &str, options: &ManifestOptions) {
        let is_asked = || matches!(&options.extra, Extra::Named(names) if names.iter().any(|asked| asked == name));
        see(&mut self.extra, name, is_asked);
    }

    /// Adds what was seen elsewhere.
    pub(crate) fn append(&mut self, others: Self) {
        self.fields.extend(others.fields);
        self.extra.extend(others.extra);
    }

    /// Makes sure that all was seen that was asked for.
    ///
    /// # Errors
    /// If not, with what was seen in place of it. `name` is that of the manifest.
    pub(crate) fn check(&self, options: &ManifestOptions, name: &str) -> Result<()> {
        let missing = |option: &str, asked: &str, seen: &BTreeSet<String>| {
            let seen = seen.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let seen = if seen.is_empty() { "none".to_owned() } else { seen };
            Err(Error::Nothing(format!("{name}: expected a column or an entry {asked} for `{option}`, got {seen}")))
        };
        if let Some((option, asked)) = options.fields.asked().find(|(_, asked)| !self.fields.contains(*asked)) {
            return missing(option, asked, &self.fields);
        }
        match &options.extra {
            Extra::Named(names) => match names.iter().find(|asked| !self.extra.contains(*asked)) {
                Some(asked) => missing("extra", asked, &self.extra),
                None => Ok(()),
            },
            Extra::None | Extra::All => Ok(()),
        }
    }
}

fn see(seen: &mut BTreeSet<String>, name: &str, is_asked: impl Fn() -> bool) {
    if !seen.contains(name) && (seen.len() < MOST_NAMES || is_asked()) {
        seen.insert(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_seen_among_thousands() {
        let mut options = ManifestOptions::default();
        options.fields.text = Some("field1999".to_owned());
        options.extra = Extra::Named(vec!["field1998".to_owned()]);
        let mut seen = SeenFields::default();
        for number in 0..1999 {
            seen.see(&format!("field{number}"), &options);
            seen.see_extra(&format!("field{number}"), &options);
        }
        let error = seen.check(&options, "m.json").unwrap_err().to_string();
        assert!(
            error.starts_with(
                "m.json: expected a column or an entry field1999 for `text_field`, got field0, field1, field10"
            ),
            "{error}"
        );
        let mut last = SeenFields::default();
        last.see("field1999", &options);
        seen.append(last);
        seen.check(&options, "m.json").unwrap();
        assert!(seen.fields.len() <= MOST_NAMES + 1 && seen.extra.len() <= MOST_NAMES + 1);
        options.extra = Extra::Named(vec!["field1999".to_owned()]);
        assert!(seen.check(&options, "m.json").unwrap_err().to_string().contains("field1999 for `extra`, got"));
    }
}

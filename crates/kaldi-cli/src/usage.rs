//! The usage text in Kaldi's layout.

use std::fmt::Write;

use crate::command::Dialect;
use crate::dialect::normalized;
use crate::option::Opt;

/// Returns the tool's own text, its options and the standard options, sorted by name.
///
/// ```text
///
/// Copies ...
///
/// Options:
///   --binary                    : Write in binary mode (bool, default = true)
///
/// Standard options:
///   --config                    : ... (string, default = "")
///
/// ```
pub(crate) fn usage_text(text: &str, dialect: &Dialect) -> String {
    let mut usage = format!("\n{text}\n");
    let (standard, own): (Vec<&Opt>, Vec<&Opt>) = dialect.options.iter().partition(|option| option.id.is_none());
    for (title, mut options) in [("Options", own), ("Standard options", standard)] {
        if options.is_empty() {
            continue;
        }
        options.sort_by_key(|option| normalized(option.name.as_bytes()));
        let _ = writeln!(usage, "{title}:");
        for Opt { name, aliases, help, kind, default, .. } in options {
            let _ = match default {
                Some(default) => writeln!(usage, "  --{name:<25} : {help} ({kind}, default = {default})"),
                None => writeln!(usage, "  --{name:<25} : {help} ({kind})"),
            };
            for alias in aliases {
                let _ = writeln!(usage, "  --{alias:<25} : Another name of --{name}");
            }
        }
        usage.push('\n');
    }
    usage
}

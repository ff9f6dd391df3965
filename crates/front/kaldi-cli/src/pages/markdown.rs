//! Pages of tools in Markdown, for a site.

use std::fmt::Write;

use super::help::{Help, HelpOption};

impl Help {
    /// Returns the page of the tool in Markdown, with the same text as [`Help::manual`]. The tools that it names are links to `<tool>.md`.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut page = format!("# {}\n", escaped(&self.name));
        push_block(&mut page, &self.usages);
        for paragraph in &self.description {
            let _ = write!(page, "\n{}\n", escaped(paragraph));
        }
        for (title, options) in [("Options", &self.options), ("Standard options", &self.standard_options)] {
            if !options.is_empty() {
                let _ = write!(page, "\n## {title}\n\n");
                options.iter().for_each(|option| push_option(&mut page, option));
            }
        }
        if !self.examples.is_empty() {
            page.push_str("\n## Examples\n");
            push_block(&mut page, &self.examples);
        }
        page.push_str(
            "\n## Exit status\n\n0: the work is done. 1: nothing was done, or the number of arguments is wrong. 255: an error.\n",
        );
        if !self.see_also.is_empty() {
            let tools: Vec<String> = self.see_also.iter().map(|tool| format!("[{tool}]({tool}.md)")).collect();
            let _ = write!(page, "\n## See also\n\n{}\n", tools.join(", "));
        }
        page
    }
}

/// Lines as they are.
fn push_block(page: &mut String, lines: &[String]) {
    let _ = write!(page, "\n```text\n{}\n```\n", lines.join("\n"));
}

fn push_option(page: &mut String, HelpOption { name, help, kind, default, .. }: &HelpOption) {
    let value = match kind.as_str() {
        "" | "bool" => String::new(),
        kind => format!("={kind}"),
    };
    let default = match default.as_deref() {
        None => String::new(),
        Some("") => " (default: empty)".to_owned(),
        Some(default) => format!(" (default: `{default}`)"),
    };
    let _ = writeln!(page, "- `--{name}{value}`{default}: {}", escaped(help));
}

/// Text in which no character has a meaning of its own.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '&' | '~' | '+' | '-') {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_all_parts_and_no_text_is_taken_for_marks() {
        let option = HelpOption {
            name: "by-row".into(),
            help: "a_b_c <x>".into(),
            kind: "string".into(),
            default: Some("x|y".into()),
            ..HelpOption::default()
        };
        let help = Help {
            name: "a-b".into(),
            description: vec!["Does *it*.".into(), "# [x](y)".into()],
            usages: vec!["a-b <x>".into(), "a-b".into()],
            examples: vec!["a-b 'ark:x |'".into()],
            see_also: vec!["c-d".into(), "e".into()],
            options: vec![option],
            ..Help::default()
        };
        assert_eq!(
            help.markdown(),
            "# a\\-b\n\n```text\na-b <x>\na-b\n```\n\nDoes \\*it\\*.\n\n\\# \\[x\\](y)\n\
             \n## Options\n\n- `--by-row=string` (default: `x|y`): a\\_b\\_c \\<x\\>\n\
             \n## Examples\n\n```text\na-b 'ark:x |'\n```\n\
             \n## Exit status\n\n0: the work is done. 1: nothing was done, or the number of arguments is wrong. 255: an error.\n\
             \n## See also\n\n[c-d](c-d.md), [e](e.md)\n"
        );
    }
}

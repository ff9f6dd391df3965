//! Manual pages, for `man`.

use std::fmt::Write;

use super::help::{Help, HelpOption};

impl Help {
    /// Returns the manual page of the tool (section 1), in the language of `man`; `version` is that of the package.
    #[must_use]
    pub fn manual(&self, version: &str) -> String {
        let name = &self.name;
        let mut page =
            format!(".TH \"{}\" 1 \"\" \"kaldi-tables {version}\" \"kaldi-tables\"\n", escaped(&name.to_uppercase()));
        let _ = write!(page, ".SH NAME\n{} \\- {}\n", escaped(name), escaped(self.summary()));
        page.push_str(".SH SYNOPSIS\n.nf\n");
        push_lines(&mut page, &self.usages);
        page.push_str(".fi\n.SH DESCRIPTION\n");
        for (index, paragraph) in self.description.iter().enumerate() {
            let _ = writeln!(page, "{}{}", if index > 0 { ".PP\n" } else { "" }, line(paragraph));
        }
        for (title, options) in [("OPTIONS", &self.options), ("STANDARD OPTIONS", &self.standard_options)] {
            if !options.is_empty() {
                let _ = writeln!(page, ".SH {title}");
                options.iter().for_each(|option| push_option(&mut page, option));
            }
        }
        if !self.examples.is_empty() {
            page.push_str(".SH EXAMPLES\n.nf\n");
            push_lines(&mut page, &self.examples);
            page.push_str(".fi\n");
        }
        page.push_str(
            ".SH EXIT STATUS\n0: the work is done. 1: nothing was done, or the number of arguments is wrong. 255: an error.\n",
        );
        if !self.see_also.is_empty() {
            let tools: Vec<String> = self.see_also.iter().map(|tool| format!("\\fB{}\\fR(1)", escaped(tool))).collect();
            let _ = write!(page, ".SH SEE ALSO\n{}\n", tools.join(", "));
        }
        page
    }
}

fn push_lines(page: &mut String, lines: &[String]) {
    for text in lines {
        let _ = writeln!(page, "{}", line(text));
    }
}

fn push_option(page: &mut String, HelpOption { name, help, kind, default, .. }: &HelpOption) {
    let value = match kind.as_str() {
        "" | "bool" => String::new(),
        kind => format!("=\\fI{kind}\\fR"),
    };
    let default = default.as_ref().map_or_else(String::new, |default| format!(" (default: {})", escaped(default)));
    let _ = write!(page, ".TP\n\\fB\\-\\-{}\\fR{value}{default}\n{}\n", escaped(name), line(help));
}

/// A line of text as it is, whatever it starts with.
fn line(text: &str) -> String {
    let control = if text.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{control}{}", escaped(text))
}

/// Hyphens that can be copied, and characters that mean something to `man` as themselves.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq").replace('"', "\\(dq")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_all_parts_and_nothing_is_taken_for_a_command_of_man() {
        let option = HelpOption {
            name: "by-row".into(),
            help: ".hidden \\ 'quoted'".into(),
            kind: "string".into(),
            default: Some("\"\"".into()),
            ..HelpOption::default()
        };
        let help = Help {
            name: "a-b".into(),
            description: vec!["Does it. And more.".into(), "'Twice'".into()],
            usages: vec!["a-b <x>".into()],
            examples: vec![".a 'ark:x |'".into()],
            see_also: vec!["c-d".into(), "e".into()],
            options: vec![option],
            ..Help::default()
        };
        let page = help.manual("1.2");
        assert_eq!(
            page,
            ".TH \"A\\-B\" 1 \"\" \"kaldi-tables 1.2\" \"kaldi-tables\"\n\
             .SH NAME\na\\-b \\- Does it\n\
             .SH SYNOPSIS\n.nf\na\\-b <x>\n.fi\n\
             .SH DESCRIPTION\nDoes it. And more.\n.PP\n\\&\\(aqTwice\\(aq\n\
             .SH OPTIONS\n.TP\n\\fB\\-\\-by\\-row\\fR=\\fIstring\\fR (default: \\(dq\\(dq)\n\
             \\&.hidden \\e \\(aqquoted\\(aq\n\
             .SH EXAMPLES\n.nf\n\\&.a \\(aqark:x |\\(aq\n.fi\n\
             .SH EXIT STATUS\n0: the work is done. 1: nothing was done, or the number of arguments is wrong. 255: an error.\n\
             .SH SEE ALSO\n\\fBc\\-d\\fR(1), \\fBe\\fR(1)\n"
        );
    }
}

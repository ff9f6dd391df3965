use std::fs;
use std::path::Path;

/// A Markdown document of the repository.
pub struct Page {
    name: &'static str,
    text: String,
}

/// A fenced block of code.
#[derive(Debug)]
pub struct Block {
    /// The text after the opening fence: the language and further words.
    pub info: String,
    /// The text between the fences.
    pub text: String,
    /// The document and the line of the opening fence, for messages.
    pub place: String,
}

impl Page {
    /// Reads a document by its path in the repository.
    pub fn read(name: &'static str) -> Page {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
        Page { name, text }
    }

    /// All fenced blocks in their order.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut lines = self.text.lines().zip(1..);
        while let Some((line, number)) = lines.next() {
            if let Some(info) = line.strip_prefix("```") {
                let inside = lines.by_ref().map(|(line, _)| line).take_while(|line| *line != "```");
                let text = inside.map(|line| format!("{line}\n")).collect();
                blocks.push(Block { info: info.to_owned(), text, place: format!("{}:{number}", self.name) });
            }
        }
        blocks
    }

    /// The cells of the rows, without the head, of the table after the comment `<!-- test: name -->`.
    #[track_caller]
    pub fn table(&self, name: &str) -> Vec<Vec<String>> {
        let line = format!("<!-- test: {name} -->");
        let (_, rest) =
            self.text.split_once(&format!("\n{line}\n")).unwrap_or_else(|| panic!("{} has no {line}", self.name));
        let rows = rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
        rows.skip(2).map(cells).collect()
    }
}

/// The cells of a row; a bar that belongs to a cell is escaped.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("\\|", "\0");
    row.trim_matches('|').split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// The text between the first backticks.
#[track_caller]
pub fn code(cell: &str) -> &str {
    cell.split('`').nth(1).unwrap_or_else(|| panic!("no code in {cell:?}"))
}

/// The text without white space at the ends of lines, which documents do not keep.
pub fn without_trailing_space(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn blocks_and_tables_are_found() {
    let text = "a\n```sh x\n1\n\n2\n```\n<!-- test: t -->\n\n| h | i |\n|---|---|\n| `a \\| b` | c |\n\n| d |\n";
    let page = Page { name: "p.md", text: text.to_owned() };
    let blocks = page.blocks();
    assert_eq!(blocks.len(), 1);
    assert_eq!(
        (blocks[0].info.as_str(), blocks[0].text.as_str(), blocks[0].place.as_str()),
        ("sh x", "1\n\n2\n", "p.md:2")
    );
    assert_eq!(page.table("t"), [["`a | b`", "c"]]);
    assert_eq!(code(&page.table("t")[0][0]), "a | b");
}

//! Describes a tree as a picture, in the language of GraphViz.
//!
//! Matches Kaldi's `draw-tree`, except that a tree that cannot be drawn leaves no part of a picture behind, and that a query
//! must start with a number.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, Tally};
use kaldi_hmm::{ContextDependency, Event, PDF_CLASS, TreeDrawing};
use kaldi_table::read_file;
use kaldi_value::SymbolTable;

const USAGE: &str = "\
Describes a tree as a picture, in the language of GraphViz: questions, and pdfs as leaves.

Usage: draw-tree [options] <phones-symtab> <tree-rxfilename>
 e.g.: draw-tree data/lang/phones.txt exp/tri1/tree | dot -Gsize=8,10.5 -Tps | ps2pdf - tree.pdf
       draw-tree --query=0/sil/a/b data/lang/phones.txt exp/tri1/tree | dot -Tsvg > tree.svg
See also: tree-info, copy-tree
";

#[derive(clap::Args)]
struct Options {
    /// A state whose way through the tree is red: pdf-class/phone1/.../phoneN
    #[arg(long, default_value = "")]
    query: String,
    /// Show the phones of questions as tooltips instead of labels
    #[arg(long)]
    use_tooltips: bool,
    /// Print a web page that shows tree.svg, and nothing else
    #[arg(long)]
    gen_html: bool,
    /// Lines of a phone and its integer, and the tree
    inputs: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(draw_tree));

/// The page of `--gen-html`, byte by byte as in Kaldi.
const PAGE: &str = "<html>\n<head><title>Decision Tree</tree></head>\n\
                    <body><object data=\"tree.svg\" type=\"image/svg+xml\"/></body>\n</html>\n";

fn draw_tree(opts: Options) -> anyhow::Result<Tally> {
    let text = match &opts.inputs[..] {
        _ if opts.gen_html => PAGE.to_owned(),
        [symbols, tree] => picture(symbols, tree, &opts)?,
        inputs => bail!("expected 2 arguments, got {}\n\n{USAGE}", inputs.len()),
    };
    kaldi_io::print(text)?;
    Ok(Tally::new(1, 0))
}

fn picture(symbols: &InputName, tree: &InputName, opts: &Options) -> anyhow::Result<String> {
    let symbols = SymbolTable::read(symbols)?;
    let query = (!opts.query.is_empty()).then(|| query(&opts.query, &symbols)).transpose()?;
    let place = tree;
    let tree: ContextDependency = read_file(tree)?;
    if let Some(query) = &query {
        let (expected, got) = (i64::from(tree.context_width()) + 1, query.pairs().len());
        if got as i64 != expected {
            bail!("Invalid query size \"{got}\"! Expected \"{expected}\"");
        }
    }
    let symbol = |phone: i32| symbols.symbol(phone).map(ToString::to_string);
    let drawing = TreeDrawing { symbol: &symbol, query: query.as_ref(), use_tooltips: opts.use_tooltips };
    drawing.draw(&tree).with_context(|| place.to_string())
}

/// The event that a query describes.
fn query(text: &str, symbols: &SymbolTable) -> anyhow::Result<Event> {
    let mut pairs = Vec::new();
    for (word, key) in text.split('/').zip(PDF_CLASS..) {
        let value = match key {
            PDF_CLASS => word.parse().ok().filter(|class| *class >= 0).with_context(|| {
                format!("Bad query: invalid pdf-class ({word}); expected pdf-class/phone1/.../phoneN")
            })?,
            _ => symbols.integer(word).with_context(|| format!("Bad query: invalid symbol ({word})"))?,
        };
        pairs.push((key, value));
    }
    Ok(Event::new(pairs))
}

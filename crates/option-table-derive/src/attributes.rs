//! What the attributes of a field say.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result, Token};

/// One of the things between the parentheses of an attribute: `word`, or `word = value`. The value is any tokens up to a comma.
struct Item {
    word: Ident,
    value: Option<TokenStream>,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let word: Ident = input.parse()?;
        if !input.peek(Token![=]) {
            return Ok(Self { word, value: None });
        }
        input.parse::<Token![=]>()?;
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            value.extend([input.parse::<TokenTree>()?]);
        }
        if value.is_empty() {
            return Err(Error::new(word.span(), "expected a value"));
        }
        Ok(Self { word, value: Some(value) })
    }
}

/// What `#[option(...)]` says.
#[derive(Default)]
pub struct OptionAttribute {
    pub name: Option<TokenStream>,
    pub aliases: Vec<TokenStream>,
    pub old_names: Vec<TokenStream>,
    pub default: Option<TokenStream>,
    pub heading: Option<TokenStream>,
    pub one_of: Option<TokenStream>,
    pub renamed: Option<TokenStream>,
    pub parse: Option<TokenStream>,
    pub kind: Option<TokenStream>,
    pub min: Option<TokenStream>,
    pub max: Option<TokenStream>,
    pub none: Option<TokenStream>,
    /// The field is no option.
    pub skip: bool,
}

impl OptionAttribute {
    /// The attribute `#[option]` of a field; `None` if it has none.
    pub fn of(attributes: &[Attribute]) -> Result<Option<Self>> {
        let Some(attribute) = find(attributes, "option") else { return Ok(None) };
        let mut this = Self::default();
        for Item { word, value } in items(attribute)? {
            let once = match word.to_string().as_str() {
                "also" => {
                    this.aliases.extend(value);
                    continue;
                }
                "old_name" => {
                    this.old_names.extend(value);
                    continue;
                }
                "skip" if value.is_none() => {
                    this.skip = true;
                    continue;
                }
                "name" => &mut this.name,
                "default" => &mut this.default,
                "heading" => &mut this.heading,
                "one_of" => &mut this.one_of,
                "renamed" => &mut this.renamed,
                "parse" => &mut this.parse,
                "kind" => &mut this.kind,
                "min" => &mut this.min,
                "max" => &mut this.max,
                "none" => &mut this.none,
                _ => return Err(Error::new(word.span(), "unknown word of an option")),
            };
            if value.is_none() || once.is_some() {
                return Err(Error::new(word.span(), format!("expected {word} = ..., once")));
            }
            *once = value;
        }
        Ok(Some(this))
    }
}

fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident(name))
}

fn items(attribute: &Attribute) -> Result<Punctuated<Item, Token![,]>> {
    match &attribute.meta {
        Meta::Path(_) => Ok(Punctuated::new()),
        _ => attribute.parse_args_with(Punctuated::parse_terminated),
    }
}

/// Whether there is an attribute of this name.
pub fn has(attributes: &[Attribute], name: &str) -> bool {
    find(attributes, name).is_some()
}

/// Whether there is an attribute of this name with this only word.
pub fn has_word(attributes: &[Attribute], name: &str, word: &str) -> Result<bool> {
    let Some(attribute) = find(attributes, name) else { return Ok(false) };
    let items: Vec<Item> = items(attribute)?.into_iter().collect();
    match items.as_slice() {
        [Item { word: found, value: None }] if found == word => Ok(true),
        _ => Err(Error::new_spanned(attribute, format!("expected {name}({word})"))),
    }
}

/// The help of an option: the first paragraph of a doc comment, as one line, without the full stop at its end. Fields that it
/// names are spelled like options.
pub fn help(attributes: &[Attribute]) -> String {
    with_options(&first_paragraph(attributes))
}

/// Spells `` `num_ceps` `` as `--num-ceps`, and `` `dither = 0` `` as `--dither=0`.
fn with_options(text: &str) -> String {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    let mut spelled = String::new();
    let mut rest = text;
    while let Some((before, (code, after))) =
        rest.split_once('`').and_then(|(before, rest)| Some((before, rest.split_once('`')?)))
    {
        spelled.push_str(before);
        let (name, value) = code.split_once(" = ").map_or((code, None), |(name, value)| (name, Some(value)));
        if is_name(name) {
            spelled.push_str(&format!("--{}", name.replace('_', "-")));
            value.iter().for_each(|value| spelled.push_str(&format!("={value}")));
        } else {
            spelled.push_str(&format!("`{code}`"));
        }
        rest = after;
    }
    spelled + rest
}

fn first_paragraph(attributes: &[Attribute]) -> String {
    let mut words = String::new();
    for attribute in attributes {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &doc.value else { continue };
        if !doc.path.is_ident("doc") {
            continue;
        }
        let text = text.value();
        for line in text.trim_end_matches('\n').split('\n').map(str::trim) {
            match line {
                "" if words.is_empty() => {}
                "" => return without_full_stop(words),
                _ if words.is_empty() => words.push_str(line),
                _ => {
                    words.push(' ');
                    words.push_str(line);
                }
            }
        }
    }
    without_full_stop(words)
}

fn without_full_stop(mut help: String) -> String {
    if help.ends_with('.') && !help.ends_with("..") {
        help.pop();
    }
    help
}

//! The names of types that can be seen from outside of their crates.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree, Visibility};

/// Names that each crate has by Rust's custom.
const CUSTOMARY: [&str; 2] = ["Error", "Result"];

/// A file of a crate.
struct Source {
    /// The module that the file is: `["output", "stream"]` for `src/output/stream.rs`, nothing for `src/lib.rs`.
    module: Vec<String>,
    items: Vec<Item>,
}

impl Source {
    fn parse(place: &str, text: &str) -> Self {
        let items = syn::parse_file(text).unwrap_or_else(|error| panic!("{place}: {error}")).items;
        let mut module: Vec<_> = place.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if matches!(module.last().map(String::as_str), Some("lib" | "mod")) {
            module.pop();
        }
        Self { module, items }
    }
}

/// The types (structs, enums, unions, traits and aliases) of a crate, given its files, that are public: declared in public modules, or
/// re-exported there. Re-exports of other crates' types do not count.
pub fn public_types(files: &BTreeMap<String, String>) -> BTreeSet<String> {
    let sources: Vec<_> = files.iter().map(|(place, text)| Source::parse(place, text)).collect();
    let mut declared: BTreeMap<&[String], BTreeSet<String>> = BTreeMap::new();
    let mut public_modules: BTreeSet<Vec<String>> = BTreeSet::from([Vec::new()]);
    let mut by_depth: Vec<_> = sources.iter().collect();
    by_depth.sort_by_key(|source| source.module.len());
    for source in by_depth {
        for item in source.items.iter().filter_map(public_item) {
            match item {
                Named::Type(name) => drop(declared.entry(&source.module).or_default().insert(name)),
                Named::Module(name) if public_modules.contains(&source.module) => {
                    public_modules.insert([source.module.clone(), vec![name]].concat());
                }
                Named::Module(_) => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    for source in sources.iter().filter(|source| public_modules.contains(&source.module)) {
        found.extend(declared.get(&source.module[..]).into_iter().flatten().cloned());
        for item in &source.items {
            if let Item::Use(item) = item
                && matches!(item.vis, Visibility::Public(_))
            {
                let mut leaves = Vec::new();
                flatten(&item.tree, &mut Vec::new(), &mut leaves);
                for (path, name) in leaves {
                    let module = resolve(&source.module, &path);
                    let types = declared.get(&module[..]).into_iter().flatten();
                    found.extend(types.filter(|declared| name == "*" || name == **declared).cloned());
                }
            }
        }
    }
    found.retain(|name| !CUSTOMARY.contains(&name.as_str()));
    found
}

enum Named {
    Type(String),
    Module(String),
}

fn public_item(item: &Item) -> Option<Named> {
    let (visibility, attributes, named) = match item {
        Item::Struct(item) => (&item.vis, &item.attrs, Named::Type(item.ident.to_string())),
        Item::Enum(item) => (&item.vis, &item.attrs, Named::Type(item.ident.to_string())),
        Item::Union(item) => (&item.vis, &item.attrs, Named::Type(item.ident.to_string())),
        Item::Trait(item) => (&item.vis, &item.attrs, Named::Type(item.ident.to_string())),
        Item::Type(item) => (&item.vis, &item.attrs, Named::Type(item.ident.to_string())),
        Item::Mod(item) => (&item.vis, &item.attrs, Named::Module(item.ident.to_string())),
        _ => return None,
    };
    (matches!(visibility, Visibility::Public(_)) && !attributes.iter().any(is_test)).then_some(named)
}

fn is_test(attribute: &syn::Attribute) -> bool {
    matches!(&attribute.meta, syn::Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

/// Takes `a::{b, c::*}` apart: the modules before each name, and the name.
fn flatten(tree: &UseTree, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, String)>) {
    match tree {
        UseTree::Path(tree) => {
            path.push(tree.ident.to_string());
            flatten(&tree.tree, path, leaves);
            path.pop();
        }
        UseTree::Name(name) => leaves.push((path.clone(), name.ident.to_string())),
        UseTree::Rename(name) => leaves.push((path.clone(), name.ident.to_string())),
        UseTree::Glob(_) => leaves.push((path.clone(), "*".to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, leaves)),
    }
}

/// The module that a path means which stands in a module.
fn resolve(module: &[String], path: &[String]) -> Vec<String> {
    let mut resolved = module.to_vec();
    for part in path {
        match part.as_str() {
            "crate" => resolved.clear(),
            "super" => drop(resolved.pop()),
            "self" => {}
            name => resolved.push(name.to_owned()),
        }
    }
    resolved
}

#[test]
fn types_are_public_where_a_way_leads_to_them() {
    let files = [
        ("lib.rs", "mod a; pub mod b; pub use a::{One, deep::*}; pub use other::Foreign; pub struct Top;"),
        ("a.rs", "pub mod deep; pub struct One; pub enum Hidden {}"),
        ("a/deep.rs", "pub trait Deep {} struct Private;"),
        (
            "b.rs",
            "pub type Alias = u8; pub(crate) struct Ours; #[cfg(test)] pub struct Test; pub use super::a::Hidden as H;",
        ),
    ];
    let files = files.map(|(place, text)| (place.to_owned(), text.to_owned())).into();
    let found = public_types(&files);
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["Alias", "Deep", "Hidden", "One", "Top"]);
}

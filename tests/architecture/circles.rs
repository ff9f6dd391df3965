//! Circles of files that use each other.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::source::{Source, is_test};

/// Which files use which, by the names that tie them.
type Graph = BTreeMap<usize, BTreeMap<usize, BTreeSet<String>>>;

/// The circles of files that use each other, each as lines of `file -> file: names`.
///
/// A file uses another one where it names an item that is defined there, whatever module the item is re-exported from.
pub fn circles(sources: &[Source]) -> Vec<Vec<String>> {
    let graph = graph(sources);
    let components = components(&graph, sources.len());
    let show = |component: &BTreeSet<usize>| {
        let edges = component.iter().flat_map(|from| graph[from].iter().map(move |(to, names)| (from, to, names)));
        edges
            .filter(|(_, to, _)| component.contains(to))
            .map(|(from, to, names)| {
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                format!("{} -> {}: {}", sources[*from].path, sources[*to].path, names.join(", "))
            })
            .collect()
    };
    components.iter().map(show).collect()
}

fn graph(sources: &[Source]) -> Graph {
    let modules: BTreeMap<&[String], usize> =
        sources.iter().enumerate().map(|(index, source)| (source.module.as_slice(), index)).collect();
    let names: Vec<_> = sources.iter().map(|source| Names::of(source, &modules)).collect();
    let mut graph = Graph::new();
    for (from, names_of_file) in names.iter().enumerate() {
        let edges = graph.entry(from).or_default();
        for path in &names_of_file.used {
            let Some((to, name)) = resolve(path, &modules, &names, 0) else { continue };
            if to != from {
                edges.entry(to).or_default().insert(name);
            }
        }
    }
    graph
}

/// Finds the file that defines what an absolute path names, and the name.
fn resolve(
    path: &[String],
    modules: &BTreeMap<&[String], usize>,
    names: &[Names],
    depth: usize,
) -> Option<(usize, String)> {
    let length = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length]))?;
    let file = modules[&path[..length]];
    let Some(name) = path.get(length) else { return Some((file, path.last()?.clone())) };
    if names[file].foreign.contains(name) {
        return None;
    }
    // Re-exports of re-exports end somewhere.
    if depth < 8 && !names[file].defined.contains(name) {
        if let Some(target) = names[file].imported.get(name) {
            let rest = path[length + 1..].iter().cloned();
            return resolve(&target.iter().cloned().chain(rest).collect::<Vec<_>>(), modules, names, depth + 1);
        }
        for target in &names[file].globs {
            let file = resolve(target, modules, names, depth + 1)?.0;
            if names[file].defined.contains(name) {
                return Some((file, name.clone()));
            }
        }
    }
    Some((file, name.clone()))
}

/// The names in a file: those of its items, and the paths in the crate that it uses.
#[derive(Default)]
struct Names {
    module: Vec<String>,
    children: BTreeSet<String>,
    defined: BTreeSet<String>,
    /// What a `use` brings in, with its absolute path.
    imported: BTreeMap<String, Vec<String>>,
    /// What a `use` brings in from other crates.
    foreign: BTreeSet<String>,
    /// Modules of which a `use` brings in everything.
    globs: Vec<Vec<String>>,
    used: BTreeSet<Vec<String>>,
}

impl Names {
    fn of(source: &Source, modules: &BTreeMap<&[String], usize>) -> Self {
        let mut names = Names { module: source.module.clone(), ..Names::default() };
        let children =
            modules.keys().filter(|module| module.split_last().is_some_and(|(_, head)| head == source.module));
        names.children = children.filter_map(|module| module.last().cloned()).collect();
        names.visit_file(&source.file);
        names
    }

    /// Makes a path of the file an absolute one; nothing where it leads out of the crate or is no path of modules.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let mut base = self.module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => (base, rest) = (Vec::new(), &path[1..]),
            "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first if self.children.contains(first) => {}
            _ => return None,
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn add_use(&mut self, tree: &syn::UseTree, prefix: &[String]) {
        let with = |name: &syn::Ident| [prefix, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_use(&path.tree, &with(&path.ident)),
            syn::UseTree::Group(group) => group.items.iter().for_each(|item| self.add_use(item, prefix)),
            syn::UseTree::Glob(_) => {
                if let Some(module) = self.absolute(prefix) {
                    self.globs.push(module.clone());
                    self.used.insert(module);
                }
            }
            syn::UseTree::Name(name) if name.ident == "self" => self.import(prefix.last().cloned(), prefix),
            syn::UseTree::Name(name) => self.import(Some(name.ident.to_string()), &with(&name.ident)),
            syn::UseTree::Rename(rename) => self.import(Some(rename.rename.to_string()), &with(&rename.ident)),
        }
    }

    fn import(&mut self, name: Option<String>, path: &[String]) {
        match (name, self.absolute(path)) {
            (Some(name), Some(path)) => {
                self.used.insert(path.clone());
                self.imported.insert(name, path);
            }
            (Some(name), None) => drop(self.foreign.insert(name)),
            (None, _) => {}
        }
    }

    /// Looks for paths such as `crate::error::Error` in the arguments of a macro, which are not parsed.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut colons) = (Vec::new(), 0);
        for token in tokens {
            let continues = colons == 2 && matches!(token, TokenTree::Ident(_));
            colons = match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons + 1,
                _ => 0,
            };
            if colons == 0 && !continues {
                self.add_path(&std::mem::take(&mut path));
            }
            match token {
                TokenTree::Ident(ident) => path.push(ident.to_string()),
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                _ => {}
            }
        }
        self.add_path(&path);
    }

    fn add_path(&mut self, path: &[String]) {
        if path.len() > 1
            && let Some(path) = self.absolute(path)
        {
            self.used.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (attributes, name) = attributes_and_name(item);
        if is_test(attributes) {
            return;
        }
        self.defined.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&item.tree, &[]);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.add_path(&segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.add_tokens(item.tokens.clone());
        visit::visit_macro(self, item);
    }
}

fn attributes_and_name(item: &syn::Item) -> (&[syn::Attribute], Option<&syn::Ident>) {
    use syn::Item::*;
    match item {
        Const(item) => (&item.attrs, Some(&item.ident)),
        Enum(item) => (&item.attrs, Some(&item.ident)),
        Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        Impl(item) => (&item.attrs, None),
        Macro(item) => (&item.attrs, item.ident.as_ref()),
        Mod(item) => (&item.attrs, None),
        Static(item) => (&item.attrs, Some(&item.ident)),
        Struct(item) => (&item.attrs, Some(&item.ident)),
        Trait(item) => (&item.attrs, Some(&item.ident)),
        Type(item) => (&item.attrs, Some(&item.ident)),
        Union(item) => (&item.attrs, Some(&item.ident)),
        Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}

/// The sets of two files or more of which each reaches each.
fn components(graph: &Graph, count: usize) -> BTreeSet<BTreeSet<usize>> {
    let reached_from = |start: usize| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(file) = open.pop() {
            open.extend(graph[&file].keys().filter(|to| reached.insert(**to)));
        }
        reached
    };
    let reached: Vec<_> = (0..count).map(reached_from).collect();
    let circle_of = |file: usize| {
        (0..count).filter(|other| reached[file].contains(other) && reached[*other].contains(&file)).collect()
    };
    (0..count).filter(|&file| reached[file].contains(&file)).map(circle_of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::source::parse_crate;
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let files = files.iter().map(|(place, text)| (place.to_string(), text.to_string())).collect();
        circles(&parse_crate("src", &files))
    }

    #[test]
    fn files_that_use_each_other_are_a_circle() {
        let found = circles_of(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::B; pub struct A(B); pub struct Other;"),
            ("b.rs", "pub struct B; fn b() { let a = crate::a::Other; }"),
            ("c.rs", "use crate::a::A;"),
        ]);
        assert_eq!(found, [["src/a.rs -> src/b.rs: B", "src/b.rs -> src/a.rs: Other"]]);
    }

    #[test]
    fn a_child_that_uses_a_type_of_its_parent_is_a_circle() {
        let found = circles_of(&[
            ("lib.rs", "mod a; pub use a::A; pub trait Shared {}"),
            ("a/mod.rs", "mod deep; pub use deep::A;"),
            ("a/deep.rs", "pub struct A; impl crate::Shared for A {}"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(&"src/a/deep.rs -> src/lib.rs: Shared".to_owned()), "{found:?}");
    }

    #[test]
    fn paths_in_macros_and_inline_modules_count() {
        let found = circles_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub mod inner { pub fn f() -> String { format!(\"{}\", super::super::b::g()) } }"),
            ("b.rs", "pub fn g() -> u8 { println!(\"{}\", crate::a::inner::f()); 1 }"),
        ]);
        assert_eq!(found, [["src/a.rs -> src/b.rs: g", "src/b.rs -> src/a.rs: inner"]]);
    }

    #[test]
    fn an_item_is_where_it_is_defined() {
        let found = circles_of(&[
            ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B; pub use other::Foreign;"),
            ("a.rs", "pub struct A; fn f(f: crate::Foreign) {}"),
            ("b.rs", "use crate::A; pub struct B(A);"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn tests_may_use_everything() {
        let found = circles_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
            ("b.rs", "use crate::a::A; pub struct B(A); #[cfg(test)] mod more;"),
            ("b/more.rs", "use super::B; use crate::a::A;"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}

//! Lengths of files and functions.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// Lines of a file, at most.
const FILE: usize = 450;

/// Lines of a function, at most.
const FUNCTION: usize = 80;

/// What of a file is too long, a line each.
pub fn too_long(path: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = text.lines().count();
    if lines > FILE {
        faults.push(format!("{path}: {lines} lines, at most {FILE} are allowed"));
    }
    let mut functions = Functions { path, faults };
    functions.visit_file(&file);
    functions.faults
}

struct Functions<'a> {
    path: &'a str,
    faults: Vec<String>,
}

impl Functions<'_> {
    fn check(&mut self, name: &syn::Ident, block: &syn::Block) {
        let mut data = 0;
        Tables(&mut data).visit_block(block);
        let lines = num_lines(block) - data;
        if lines > FUNCTION {
            let line = name.span().start().line;
            self.faults.push(format!("{}:{line}: {name} has {lines} lines, at most {FUNCTION} are allowed", self.path));
        }
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.check(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.check(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

/// Counts the lines of tables of data: arrays, and what is given to `vec!`.
struct Tables<'a>(&'a mut usize);

impl<'ast> Visit<'ast> for Tables<'_> {
    fn visit_expr_array(&mut self, array: &'ast syn::ExprArray) {
        *self.0 += num_lines(array) - 1;
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        if item.path.is_ident("vec") {
            *self.0 += num_lines(item) - 1;
        }
    }
}

fn num_lines(item: &impl Spanned) -> usize {
    let span: proc_macro2::Span = item.span();
    span.end().line - span.start().line + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_too_long_is_found() {
        assert!(too_long("a.rs", &"//\n".repeat(FILE)).is_empty());
        assert_eq!(too_long("a.rs", &"//\n".repeat(FILE + 1)), ["a.rs: 451 lines, at most 450 are allowed"]);
    }

    #[test]
    fn a_function_that_is_too_long_is_found() {
        let function = |lines| format!("impl A {{\n    fn long() {{\n{}    }}\n}}\n", "        f();\n".repeat(lines));
        assert!(too_long("a.rs", &function(FUNCTION - 2)).is_empty());
        assert_eq!(too_long("a.rs", &function(FUNCTION - 1)), ["a.rs:2: long has 81 lines, at most 80 are allowed"]);
    }

    #[test]
    fn a_table_of_data_is_no_code() {
        let table =
            |open: &str| format!("fn table() {{\n    let table = {open}\n{}    ];\n}}\n", "        1,\n".repeat(90));
        assert!(too_long("a.rs", &table("[")).is_empty());
        assert!(too_long("a.rs", &table("vec![")).is_empty());
    }
}

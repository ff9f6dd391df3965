//! What is compiled for wider registers: only what the compiler puts into the function that asks for them.
//!
//! [`kaldi_simd::dispatch`] compiles a kernel for the processor by inlining it into a function with `#[target_feature]`. A function or a
//! closure that is not inlined is compiled apart, for every processor: once that made deltas six times slower. `#[inline(always)]`
//! makes sure of functions. Closures cannot have it: those without loops are inlined in practice, others may not be.

use std::collections::{BTreeMap, BTreeSet};

/// A function of the sources, without comments and the contents of strings.
pub struct Function {
    pub place: String,
    pub name: String,
    attributes: String,
    body: String,
    is_of_kernel: bool,
}

impl Function {
    fn is_inlined(&self) -> bool {
        self.attributes.contains("inline(always)")
    }

    /// Whether it asks for instructions itself; its closures have them, too.
    fn has_instructions(&self) -> bool {
        self.attributes.contains("target_feature")
    }

    fn crate_name(&self) -> &str {
        self.place.split("/src/").next().and_then(|place| place.rsplit("/").next()).unwrap_or_default()
    }
}

/// Names that the standard library has, too: as methods they say nothing of a function.
const STANDARD: [&str; 20] = [
    "abs", "add", "append", "clear", "count", "decode", "exp", "find", "fold", "from", "into", "len", "map", "max",
    "min", "new", "push", "resize", "round", "zip",
];

/// The functions of files.
pub fn functions(files: &BTreeMap<String, String>) -> Vec<Function> {
    let mut all = Vec::new();
    for (place, text) in files.iter().filter(|(place, _)| place.contains("/src/") && !place.ends_with("/tests.rs")) {
        let text = without_comments(text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default());
        let kernels: Vec<_> = text.match_indices("Kernel for ").map(|(at, _)| at..end_of_block(&text, at)).collect();
        for (at, _) in text.match_indices("fn ") {
            let name: String = text[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let is_word = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let Some(start) = start_of_body(&text, at).filter(|_| is_word && !name.is_empty()) else { continue };
            let above = text[..text[..at].rfind('\n').unwrap_or(0)].lines().rev();
            let attributes = above.take_while(|line| line.trim().is_empty() || line.trim_start().starts_with("#["));
            all.push(Function {
                place: place.clone(),
                name,
                attributes: attributes.collect(),
                body: text[start..end_of_block(&text, start)].to_owned(),
                is_of_kernel: kernels.iter().any(|kernel| kernel.contains(&at)),
            });
        }
    }
    all
}

/// What is wrong, a line each: `<file>: <function>: <what>`.
pub fn faults(functions: &[Function]) -> BTreeSet<String> {
    let mut faults = BTreeSet::new();
    let mut kernel_code: Vec<usize> =
        (0..functions.len()).filter(|&at| functions[at].is_of_kernel || functions[at].has_instructions()).collect();
    let mut next = 0;
    while let Some(&at) = kernel_code.get(next) {
        let function = &functions[at];
        let mut fault = |what: String| faults.insert(format!("{}: {}: {what}", function.place, function.name));
        if function.is_of_kernel && !function.is_inlined() {
            fault("is not #[inline(always)]".to_owned());
        }
        for called in calls(&function.body, function, functions) {
            let is_apart = |at: &&usize| !functions[**at].is_inlined() && !functions[**at].has_instructions();
            if let Some(&apart) = called.iter().find(is_apart) {
                let Function { name, body, attributes, .. } = &functions[apart];
                if called.iter().all(|at| is_apart(&at)) && has_loop(body) && !attributes.contains("cold") {
                    fault(format!("calls {name}, which has a loop and is not #[inline(always)]"));
                }
            }
            for at in called.into_iter().filter(|at| !is_apart(&at) && !kernel_code.contains(at)).collect::<Vec<_>>() {
                kernel_code.push(at);
            }
        }
        for closure in closures(&function.body).filter(|_| !function.has_instructions()) {
            let looping =
                calls(closure, function, functions).into_iter().flatten().find(|at| loops(*at, functions, &mut vec![]));
            if has_loop(closure) {
                fault("has a closure with a loop".to_owned());
            } else if let Some(at) = looping {
                fault(format!("has a closure that calls {}, which has a loop", functions[at].name));
            }
        }
        next += 1;
    }
    faults
}

/// Whether an inlined function has a loop, itself or in what it calls.
fn loops(at: usize, functions: &[Function], above: &mut Vec<usize>) -> bool {
    let function = &functions[at];
    if above.contains(&at) || !(function.is_inlined() || function.has_instructions()) {
        return false;
    }
    above.push(at);
    has_loop(&function.body)
        || calls(&function.body, function, functions).into_iter().flatten().any(|at| loops(at, functions, above))
}

fn has_loop(code: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| ["for", "while", "loop"].contains(&word))
}

/// What the calls in code may mean, each as the functions of that name: those of the file, or of the crate and of `kaldi-simd`.
fn calls(code: &str, caller: &Function, functions: &[Function]) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices('(') {
        let mut before = &code[..at];
        if before.ends_with('>')
            && let Some(generics) = before.rfind("::<")
        {
            before = &before[..generics];
        }
        let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
        let name = &before[start..];
        let named = |is_wanted: &dyn Fn(&Function) -> bool| -> Vec<usize> {
            (0..functions.len()).filter(|&at| functions[at].name == name && is_wanted(&functions[at])).collect()
        };
        let is_standard = STANDARD.contains(&name);
        if name.is_empty() {
            continue;
        }
        let mut meant = named(&|function| function.place == caller.place);
        if is_standard && code[..start].ends_with('.') {
            meant.retain(|at| functions[*at].is_inlined());
        }
        if meant.is_empty() && !is_standard {
            let crates = [caller.crate_name(), "kaldi-simd"];
            meant = named(&|function| crates.contains(&function.crate_name()));
        }
        found.extend((!meant.is_empty()).then_some(meant));
    }
    found
}

/// The bodies of the closures in code.
fn closures(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices('|').filter_map(|(at, _)| {
        let before = code[..at].trim_end();
        let before = before.strip_suffix("move").unwrap_or(before).trim_end();
        if !before.ends_with(['(', ',', '=', '{', ';']) {
            return None;
        }
        let start = at + 1 + code[at + 1..].find('|')? + 1;
        let body = code[start..].trim_start();
        if body.starts_with('{') {
            return Some(&body[..end_of_block(body, 0)]);
        }
        let mut depth = 0;
        let end = body.find(|c: char| {
            depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
            depth < 0 || depth == 0 && ",;".contains(c)
        });
        Some(&body[..end.unwrap_or(body.len())])
    })
}

/// The place after the block in braces that starts at or after `at`.
fn end_of_block(text: &str, at: usize) -> usize {
    let mut depth = 0;
    let end = text[at..].char_indices().find(|(_, c)| {
        depth += i32::from(*c == '{') - i32::from(*c == '}');
        *c == '}' && depth == 0
    });
    end.map_or(text.len(), |(end, _)| at + end + 1)
}

/// The place of the body of the function that is declared at `at`; `None` if it has none.
fn start_of_body(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0;
    let found = text[at..].char_indices().find(|(_, c)| {
        depth += i32::from("([".contains(*c)) - i32::from(")]".contains(*c));
        depth == 0 && "{;".contains(*c)
    })?;
    (found.1 == '{').then_some(at + found.0)
}

/// The text with spaces in place of comments, and of what is in strings and characters.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let hashes = rest.strip_prefix('r').map(|rest| rest.len() - rest.trim_start_matches('#').len());
        let is_raw = hashes.is_some_and(|hashes| rest[1 + hashes..].starts_with('"'))
            && !out.ends_with(|c: char| c.is_alphanumeric() && c != 'b');
        let length = match c {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            'r' if is_raw => {
                let (start, end) = (2 + hashes.unwrap_or(0), format!("\"{}", "#".repeat(hashes.unwrap_or(0))));
                rest[start..].find(&end).map_or(rest.len(), |at| start + at + end.len())
            }
            '"' => quoted(rest, '"'),
            // No lifetime: one character, or an escape.
            '\'' if rest[1..].starts_with('\\') || rest.chars().nth(2) == Some('\'') => quoted(rest, '\''),
            _ => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
                continue;
            }
        };
        out.extend(rest[..length].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[length..];
    }
    out
}

/// The length of a literal between quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = true;
    let end = text.char_indices().find(|(_, c)| {
        let ends = *c == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// What looks like a fault and is none, and why.
const HARMLESS: [(&str, &str); 3] = [
    (
        "values/kaldi-matrix/src/compressed/columns.rs: order_statistics: calls at_rank, which has a loop and is not #[inline(always)]",
        "twice a column; the search for a byte chooses its instructions itself",
    ),
    (
        "values/kaldi-matrix/src/compressed/columns.rs: order_statistics: calls count, which has a loop and is not #[inline(always)]",
        "places in a table, for which there are no wide instructions",
    ),
    (
        "values/kaldi-matrix/src/compressed/columns.rs: order_statistics: calls insertion_sort, which has a loop and is not #[inline(always)]",
        "four values",
    ),
];

#[test]
fn kernels_are_compiled_with_their_instructions() {
    let functions = functions(&super::source::files_below("crates"));
    let kernels = functions.iter().filter(|function| function.is_of_kernel).count();
    let mut faults = faults(&functions);
    let unused: Vec<_> = HARMLESS.iter().filter(|(fault, _)| !faults.remove(*fault)).collect();
    assert!(
        kernels > 30 && faults.is_empty() && unused.is_empty(),
        "{kernels} functions, {faults:#?}, not found: {unused:?}"
    );
}

#[test]
fn closures_and_functions_that_are_compiled_apart_are_found() {
    let faults = |text: &str| {
        let text = format!(
            "impl Kernel for Sums<'_> {{\n    #[inline(always)]\n    fn compute(self) {{ self.all(); }}\n}}\n{text}"
        );
        faults(&functions(&BTreeMap::from([("kaldi-feat/src/x.rs".to_owned(), text)]))).into_iter().collect::<Vec<_>>()
    };
    let inner = "    #[inline(always)]\n    fn block(&self, at: [u8; 2]) {\n        // A \" in a comment.\n        while at { }\n    }\n";
    let all = |body: &str| format!("    #[inline(always)]\n    fn all(&self) {{ {body} }}\n{inner}");
    assert_eq!(faults(&all("for taps in &self.0 { self.block(taps) }")), [""; 0]);
    assert_eq!(faults(&all("let add = |tap| tap + ';'; add(1)")), [""; 0]);
    let expected = "kaldi-feat/src/x.rs: all: has a closure that calls block, which has a loop";
    assert_eq!(faults(&all("self.0.iter().for_each(|taps| self.block::<true>(taps));")), [expected]);
    let expected = "kaldi-feat/src/x.rs: all: has a closure with a loop";
    assert_eq!(
        faults(&all("let sum = move |taps| { let mut x = 0; for tap in taps { x += tap } x }; sum(1)")),
        [expected]
    );
    let apart = "    fn all(&self) {\n        for x in self.0 { }\n    }\n";
    let expected = "kaldi-feat/src/x.rs: compute: calls all, which has a loop and is not #[inline(always)]";
    assert_eq!(faults(apart), [expected]);
    assert_eq!(faults(&format!("    #[cold]\n{apart}")), [""; 0]);
    let expected = "kaldi-feat/src/x.rs: compute_with_avx512: is not #[inline(always)]";
    assert_eq!(faults("impl Kernel for X {\n    fn compute_with_avx512(self) {}\n}\n"), [expected]);
}

//! Licences and sources of dependencies, and what packaging needs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::source::{files_below, read};

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo
}

/// The crates that are linked on this machine, ours included.
fn packages() -> Vec<Value> {
    let version = cargo().args(["version", "--verbose"]).output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = ["metadata", "--format-version=1", "--offline", "--locked", "--filter-platform", host];
    let output = cargo().args(metadata).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The list of strings `name = [...]` in `deny.toml`.
fn list(toml: &str, name: &str) -> Vec<String> {
    let (_, rest) = toml.split_once(&format!("\n{name} = [")).unwrap();
    let (inside, _) = rest.split_once(']').unwrap();
    inside.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The licence that `deny.toml` allows for one crate alone.
fn exception(deny: &str, name: &str) -> Option<String> {
    let end = format!("crate = \"{name}\" }},");
    let line = deny.lines().find(|line| line.starts_with("    { allow = [") && line.ends_with(&end))?;
    line.split('"').nth(1).map(str::to_owned)
}

/// Whether a licence expression can be met with the allowed licences: `(MIT OR GPL-2.0) AND Zlib`. A slash is an old `OR`.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let Some(word) = words.next() else { return false };
    if word == "(" {
        return any(words, allowed) & (words.next() == Some(")"));
    }
    let mut licence = word.to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        licence = format!("{licence} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&licence)
}

#[test]
fn licences_and_sources_are_those_of_deny_toml() {
    let deny = read("deny.toml");
    let allowed = list(&deny, "allow");
    assert!(deny.contains("unknown-registry = \"deny\"\nunknown-git = \"deny\""));
    let packages = packages();
    assert!(packages.len() > 50, "{}", packages.len());
    let (mut used, mut registries) = (vec![false; allowed.len()], BTreeSet::new());
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_else(|| panic!("{name} has no licence"));
        let of_crate: Vec<_> = exception(&deny, name).into_iter().collect();
        let is_allowed = is_allowed(licence, &allowed) || is_allowed(licence, &of_crate);
        assert!(is_allowed, "{name}: {licence} is not allowed by deny.toml");
        for (used, allowed) in used.iter_mut().zip(&allowed) {
            *used |= licence.contains(allowed.as_str());
        }
        match package["source"].as_str() {
            None => {
                assert!(package["manifest_path"].as_str().unwrap().starts_with(env!("CARGO_MANIFEST_DIR")), "{name}")
            }
            Some(source) => drop(registries.insert(source.to_owned())),
        }
    }
    assert!(registries.len() == 1 && registries.iter().all(|source| source.starts_with("registry+")), "{registries:?}");
    let unused: Vec<_> = allowed.iter().zip(used).filter(|(_, used)| !used).collect();
    assert!(unused.is_empty(), "nothing has these licences: {unused:?}");
}

#[test]
fn a_licence_that_is_not_allowed_is_found() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for met in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Zlib", "Apache-2.0 WITH LLVM-exception"] {
        assert!(is_allowed(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "Apache-2.0", "MIT Zlib", ""] {
        assert!(!is_allowed(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn crates_say_what_a_registry_asks_for() {
    let ours: Vec<_> = packages().into_iter().filter(|package| package["source"].is_null()).collect();
    assert!(ours.len() > 15);
    for package in ours {
        let name = package["name"].as_str().unwrap();
        for key in ["description", "license", "repository", "readme", "rust_version"] {
            assert!(package[key].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {key}");
        }
        for key in ["keywords", "categories"] {
            let words = package[key].as_array().unwrap();
            assert!((1..=5).contains(&words.len()), "{name}: 1 to 5 {key}, got {}", words.len());
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let has_version = dependency["req"].as_str().is_some_and(|version| version != "*");
            assert!(has_version, "{name}: {} has no version", dependency["name"]);
        }
    }
}

#[test]
fn unit_tests_are_where_cargo_runs_them() {
    let mut tested = 0;
    for package in packages().into_iter().filter(|package| package["source"].is_null()) {
        for target in package["targets"].as_array().unwrap() {
            let kind = target["kind"][0].as_str().unwrap();
            if !["bin", "lib", "cdylib"].contains(&kind) {
                continue;
            }
            let main = Path::new(target["src_path"].as_str().unwrap());
            let mut files = files_below(main.parent().unwrap().to_str().unwrap());
            files.retain(|_, text| text.contains("#[cfg(test)]"));
            tested += usize::from(!files.is_empty());
            let is_tested = target["test"] == true || files.is_empty();
            assert!(is_tested, "{}: `test = false` hides tests of {:?}", main.display(), files.keys());
        }
    }
    assert!(tested > 30, "{tested}");
}

#[test]
fn options_are_behind_a_feature() {
    let numeric = ["kaldi-feat", "kaldi-feed", "kaldi-ivector", "kaldi-lattice", "kaldi-plot", "kaldi-gmm"];
    for name in numeric {
        let tree = ["tree", "--offline", "--locked", "-e", "normal", "-p", name];
        let output = Command::new(env!("CARGO")).current_dir(env!("CARGO_MANIFEST_DIR")).args(tree).output().unwrap();
        let tree = String::from_utf8(output.stdout).unwrap();
        assert!(tree.contains("kaldi-") && !tree.contains("clap"), "{name}:\n{tree}");
    }
}

#[test]
fn the_oldest_compiler_is_the_one_that_is_tried() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("rust-version = \"").unwrap();
    let version = rest.split('"').next().unwrap();
    let workflow = read(".github/workflows/check.yml");
    assert!(workflow.contains(&format!("cargo +{version} check --workspace --locked")), "{version}");
    assert!(read("README.md").contains(&format!("Rust {version} or later")), "{version}");
}

/// A version as numbers: `1.89.0` or `1.89`.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|number| number.parse().unwrap()).collect()
}

#[test]
fn no_dependency_needs_a_newer_compiler() {
    let packages = packages();
    let ours = packages.iter().find(|package| package["name"] == "kaldi-tables").unwrap();
    let minimum = numbers(ours["rust_version"].as_str().unwrap());
    for package in &packages {
        if let Some(version) = package["rust_version"].as_str() {
            assert!(numbers(version)[..2] <= minimum[..2], "{} needs Rust {version}", package["name"]);
        }
    }
}

#[test]
fn every_readme_is_compiled() {
    let crates = files_below("crates");
    let libraries: Vec<_> = crates.iter().filter(|(place, _)| place.ends_with("/src/lib.rs")).collect();
    assert!(libraries.len() > 15);
    for (place, text) in libraries {
        assert!(text.contains("[doc = include_str!(\"../README.md\")]"), "{place}");
    }
}

/// The packages that a package of ours needs to be built, with their features. A package may be there twice: for itself, and for a build script.
fn compiled(package: &str) -> BTreeMap<String, BTreeSet<String>> {
    let tree = ["tree", "--locked", "--offline", "--edges=normal,build", "--prefix=none", "--format={p} [{f}]"];
    let output = cargo().args(tree).args(["--package", package]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut packages = BTreeMap::<_, BTreeSet<String>>::new();
    for line in String::from_utf8(output.stdout).unwrap().lines().filter(|line| !line.is_empty()) {
        let (name, features) = line.trim_end_matches(" (*)").rsplit_once(" [").unwrap();
        packages.entry(name.to_owned()).or_default().insert(features.trim_end_matches(']').to_owned());
    }
    packages
}

/// A package with other features is compiled again, and so is everything that uses it.
#[test]
fn program_and_module_share_what_is_compiled() {
    let (program, module) = (compiled("kaldi-tables-cli"), compiled("kaldi-tables-python"));
    let differ = |(name, features): (&String, &BTreeSet<String>)| {
        let others = module.get(name).filter(|others| *others != features)?;
        Some(format!("{name}: {features:?} in the program, {others:?} in the Python module"))
    };
    let differences: Vec<String> = program.iter().filter_map(differ).collect();
    assert!(program.keys().filter(|name| module.contains_key(*name)).count() > 100);
    assert!(differences.is_empty(), "python/Cargo.toml holds features of the program:\n{}", differences.join("\n"));
}

//! The documents: what they show is what the tools do.

/// `docs/architecture.md` and `docs/dependencies.md`: their tables of crates and dependencies.
mod architecture;

/// `CHANGELOG.md`: its sections, and every tool in it.
mod changelog;

/// Command lines, and the output that is shown below them.
pub mod commands;

/// `examples`: what the programs do.
mod examples;

/// `docs/formats.md`: dumps, texts, refused names.
mod formats;

/// The README of the crate `kaldi-tables`: its program.
mod library;

/// Links in all documents.
mod links;

/// Reading Markdown.
pub mod page;

/// `README.md`, `docs/looking.md`, `docs/tools.md` and `docs/differences.md`: commands, tools, differences; the samples.
mod readme;

/// Reading the repository's own files.
mod sources;

//! Reads and writes objects in stores and on the web, for the other tools and as a command.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod ahead;
mod attempts;
mod cache;
mod cached;
mod client;
mod commands;
mod download;
mod engine;
mod expected;
mod facts;
mod fault;
mod place;
mod reader;
mod recent;
mod serve;
mod settings;
mod transport;
mod upload;
mod web;

use std::process::ExitCode;

use bstr::{BStr, ByteSlice};
use kaldi_cli::{Arg, Tally};

use cache::Cache;
use engine::Engine;
use settings::Settings;

const USAGE: &str = "\
Reads and writes objects in stores and on the web. The other tools start it when they meet the name of one; as a command of \
its own it shows what is there and copies it.

Usage: kaldi-store [options] ls <folder>
   or: kaldi-store [options] stat <object> [<object> ...]
   or: kaldi-store [options] cat <object> [<object> ...]
   or: kaldi-store [options] cp <from> <to>
   or: kaldi-store [options] rm <object> [<object> ...]
 e.g.: kaldi-store ls s3://bucket/mfcc/
 or: kaldi-store cat https://example.org/feats.scp | head
 or: kaldi-store cp raw_mfcc.1.ark s3://bucket/mfcc/raw_mfcc.1.ark

Names begin with s3://, oss://, gs://, azblob://, hdfs://, webhdfs://, http:// or https://; anything else is a file, and - a
standard stream. Objects on the web can only be read. Credentials are those of each store's own tools, such as
AWS_ACCESS_KEY_ID. KALDI_STORE_TIMEOUT says how many seconds a server may be silent (30), KALDI_STORE_RETRIES how often a
request is tried again (5); --verbose=2 shows that. KALDI_STORE_CACHE names a folder where parts of objects are kept, of
KALDI_STORE_CACHE_SIZE bytes (10G) at most.

See also: ark-to-scp, concat-ark
";

#[derive(clap::Parser)]
struct Options {
    /// With ls: show what is in the folders of the folder as well
    #[arg(long)]
    recursive: bool,
    command: Arg,
    names: Vec<Arg>,
}

const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(kaldi_store));

fn main() -> ExitCode {
    TOOL.run()
}

fn kaldi_store(opts: Options) -> anyhow::Result<Tally> {
    // The library of TLS has several ways to compute; it asks which one is meant.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let engine = Settings::from_environment().map(Engine::new);
    if opts.command.as_bytes() == b"serve" && opts.names.is_empty() {
        // What is wrong with the settings is told to the tool, which tells it to its user.
        serve::serve(engine.and_then(with_cache))?;
        return Ok(Tally::new(0, 0).always_ok());
    }
    let engine = engine?;
    let names: Vec<&BStr> = opts.names.iter().map(AsRef::as_ref).collect();
    let done = match (opts.command.as_bytes(), names.as_slice()) {
        (b"ls", [folder]) => commands::ls(&engine, folder, opts.recursive)?,
        (b"stat", [_, ..]) => commands::stat(&engine, &names)?,
        (b"cat", [_, ..]) => commands::cat(&names)?,
        (b"cp", [from, to]) => commands::cp(from, to)?,
        (b"rm", [_, ..]) => commands::rm(&engine, &names)?,
        (b"ls" | b"stat" | b"cat" | b"cp" | b"rm" | b"serve", _) => {
            return Ok(kaldi_cli::wrong_usage(USAGE, &format!("{} does not take {} names", opts.command, names.len())));
        }
        _ => return Ok(kaldi_cli::wrong_usage(USAGE, &format!("there is no command {}", opts.command))),
    };
    Ok(Tally::new(done, 0).always_ok())
}

fn with_cache(engine: Engine) -> anyhow::Result<Engine> {
    let Some((folder, bound)) = settings::cache()? else { return Ok(engine) };
    Ok(engine.with_cache(Cache::new(folder, bound)?))
}

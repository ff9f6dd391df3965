//! Runs other people's software in Python on what our tools write, and our tools on what it writes.
//!
//! `scripts/peers.sh` makes the virtual environment that this needs; `PEERS_PYTHON` names the Python of another one. Where
//! neither is there, every trial in Python is ignored, and a line on standard error names them. The trials on a real Slurm, on
//! a real Grid Engine and through Kaldi's scripts (`PEERS_KALDI` is a checkout of Kaldi), those in Debian's chromium, and those on
//! FFmpeg and its like, are ignored in the same way where these cannot be started. A subject is a module with its
//! `TRIALS`, and what it runs in Python is in `scripts`.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test program: a panic is how it fails")]

mod clusters;
mod corpus;
mod egs;
mod faults;
mod feed;
mod files;
mod indexed;
mod langs;
mod lattices;
mod mended;
mod pages;
mod parallel;
mod python;
mod shards;
mod sound;
mod sources;
mod statistics;
#[path = "../support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "another target's support, with the tests of itself that run there")]
mod support;
mod tables;
mod training;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use python::Python;

/// The trials of a module by name.
type Trials = [(&'static str, fn(&Python))];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let subjects: [(&str, &Trials); 8] = [
        ("corpus", corpus::TRIALS),
        ("feed", feed::TRIALS),
        ("files", files::TRIALS),
        ("indexed", indexed::TRIALS),
        ("shards", shards::TRIALS),
        ("sources", sources::TRIALS),
        ("statistics", statistics::TRIALS),
        ("tables", tables::TRIALS),
    ];
    let python = Python::find();
    let mut trials = Vec::new();
    for (subject, list) in subjects {
        for &(name, run) in list {
            let python = python.clone();
            let ignored = python.is_err();
            let run = move || {
                run(&python?);
                Ok(())
            };
            trials.push(Trial::test(format!("{subject}::{name}"), run).with_ignored_flag(ignored));
        }
    }
    if let Err(reason) = python
        && !arguments.list
    {
        let names: Vec<_> = trials.iter().map(Trial::name).collect();
        eprintln!("{} peer tests are skipped, {reason}: {}", names.len(), names.join(", "));
    }
    let cluster = clusters::Cluster::find();
    let mut others = vec![("clusters", clusters::TRIALS, cluster.clone()), ("faults", faults::TRIALS, cluster.clone())];
    others.extend([("faults", mended::TRIALS, Ok(())), ("faults", mended::SLURM_TRIALS, cluster)]);
    others.push(("egs", egs::TRIALS, egs::find()));
    others.push(("langs", langs::TRIALS, langs::find()));
    others.push(("lattices", lattices::TRIALS, lattices::find()));
    others.push(("pages", pages::TRIALS, pages::find()));
    others.push(("training", training::TRIALS, training::find()));
    others.push(("sound", sound::TRIALS, sound::find()));
    others.extend(parallel::find().map(|(list, found)| ("parallel", list, found)));
    for (subject, list, found) in others {
        let mut names = Vec::new();
        for &(name, run) in list {
            let run = move || {
                run();
                Ok(())
            };
            names.push(format!("{subject}::{name}"));
            trials.push(Trial::test(format!("{subject}::{name}"), run).with_ignored_flag(found.is_err()));
        }
        if let Err(reason) = found
            && !arguments.list
        {
            eprintln!("{} peer tests are skipped, {reason}: {}", names.len(), names.join(", "));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

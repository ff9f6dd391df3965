//! Makes the script file of archives that have none.
//!
//! Kaldi has no such program: there, an archive has to be copied to get its script file.

use anyhow::{Result, bail};
use bstr::{BStr, ByteSlice};
use kaldi_any::{Sequence, ValueType, join_names};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{Input, Rxfilename, is_same_file, is_script_line, printable_rxfilename};
use kaldi_table::{Error, create_output, write_script_line};
use std::fs;

const USAGE: &str = "\
Makes the script file of archives that have none, without copying them: reads the keys and the headers of the values.
The type of the values is found by looking. A damaged or cut archive is an error with its offset.

Usage: ark-to-scp [options] <archive> [<archive> ...] <script-wxfilename>
 e.g.: ark-to-scp raw_mfcc.1.ark raw_mfcc.2.ark feats.scp
       ark-to-scp --type=htk htk.ark - | sort > feats.scp
See also: concat-ark, copy-feats, matrix-dim
";

#[derive(clap::Args)]
struct Options {
    #[arg(long = "type", help = type_help(), value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    /// List the complete entries before damage, and exit with status 1 if there is damage
    #[arg(long)]
    salvage: bool,
    #[arg(required = true)]
    archives: Vec<InputName>,
    script: OutputName,
}

/// The help of `--type`, to which other tools refer.
fn type_help() -> String {
    let names: Vec<&str> = ValueType::NAMES.iter().map(|(name, _)| *name).collect();
    format!("Type of the values, if it should not be found by looking: {}", names.join(", "))
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(ark_to_scp))
    .whole("an archive without a script file is read from its start");

fn ark_to_scp(opts: Options) -> Result<Tally> {
    for archive in &opts.archives {
        check_archive(archive, &opts.script, opts.salvage)?;
        if opts.value_type.is_none() {
            check_no_script(archive)?;
        }
    }
    kaldi_cli::keep_no_lists(std::iter::once(opts.script.as_ref()))?;
    let mut script = create_output(&opts.script, false)?;
    let mut entries = Sequence::new(&opts.archives, opts.value_type);
    let mut line = Vec::new();
    let (mut done, mut damaged) = (0, 0);
    loop {
        match entries.next_entry() {
            Ok(Some((archive, entry))) => {
                line.clear();
                write_script_line(&mut line, entry.key(), archive, entry.offset());
                script.write_all(&line)?;
                done += 1;
            }
            Ok(None) => break,
            Err(error @ Error::Entry { .. }) if opts.salvage => {
                warning!("{error}; what follows in this archive is left out");
                damaged += 1;
            }
            Err(error) => return Err(error.into()),
        }
    }
    log!("{}", summary(done, opts.archives.len(), damaged, entries.value_types()));
    script.finish()?;
    Ok(Tally::new(done, damaged).ok_if(done > 0 && damaged == 0))
}

fn summary(done: u64, num_archives: usize, damaged: u64, types: &[ValueType]) -> String {
    let plural = if num_archives == 1 { "" } else { "s" };
    let types = if done > 0 && !types.is_empty() { format!(" ({})", join_names(types)) } else { String::new() };
    let damaged = match damaged {
        0 => String::new(),
        1 => "; 1 archive is damaged, and what follows in it is left out".to_owned(),
        _ => format!("; {damaged} archives are damaged, and what follows in them is left out"),
    };
    format!("Listed {done} entries of {num_archives} archive{plural}{types}{damaged}")
}

/// Returns an error for an archive that no offset can point into, and for an output that would destroy data.
fn check_archive(archive: &BStr, script: &BStr, salvage: bool) -> Result<()> {
    let name = printable_rxfilename(archive);
    match Rxfilename::parse(archive)? {
        Rxfilename::File(path) | Rxfilename::Offset(path, _) => {
            if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
                bail!("{name} is no regular file: no offset would lead back into it");
            }
            if Input::open(archive)?.is_compressed() {
                let advice = match salvage {
                    true => "concat-ark --salvage writes its complete entries into an archive",
                    false => "decompress it first",
                };
                bail!("{name} is compressed, so that no offset leads into it: {advice}");
            }
        }
        Rxfilename::Stdin | Rxfilename::Pipe(_) => {
            bail!("{name} is a stream, to which no offset leads back: write it into a file (concat-ark does both)");
        }
    }
    if archive.contains(&b'\n') {
        bail!("{name} has a line end in its name, which a script file cannot have");
    }
    if is_same_file(archive, script) {
        bail!("{name} is one of the archives: the script file would replace it");
    }
    Ok(())
}

/// Returns an error if a script file is given instead of an archive. Its lines could be listed as an archive of tokens.
fn check_no_script(archive: &BStr) -> Result<()> {
    let (mut input, mut bytes) = (Input::open(archive)?, Vec::new());
    input.read_some(&mut bytes, 1 << 12)?;
    let is_whole = bytes.len() < 1 << 12;
    let end = if is_whole { bytes.len() } else { bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0) };
    let mut lines = bytes[..end].split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).peekable();
    let has_place = |line: &[u8]| {
        let (_, offset) = line.rsplit_once_str(":").unwrap_or_default();
        !offset.is_empty() && offset.iter().all(u8::is_ascii_digit)
    };
    if lines.peek().is_some() && lines.all(|line| is_script_line(line) && has_place(line)) {
        let name = printable_rxfilename(archive);
        bail!(
            "{name} is a script file (keys and places in archives) and no archive: tools read it as scp:{name}; \
               --type=token lists it all the same"
        );
    }
    Ok(())
}

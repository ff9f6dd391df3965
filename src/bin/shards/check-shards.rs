//! Finds everything that is wrong with shards. Kaldi has no such program.

use anyhow::{Error, Result};
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_corpus::expand_pattern;
use kaldi_corpus::shard::{
    FaultKind, FieldPath, Findings, Grouping, NemoCheck, ShardChecks, ShardFault, ShardName, ShardNames, Wanted,
};
use kaldi_io::log::log;
use kaldi_io::{AdviceGiven, Output, printable, printable_json};
use kaldi_reader::{ReaderExt, par_map};
use serde_json::Value;
use shards::{SharFolder, SharStream};
use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::{Hash, Hasher};

const USAGE: &str = "\
Checks shards, and writes a line for each fault, with its place: <shard>:<offset>: <member or key>: <what is wrong>
[<fault>]. Of a Shar folder of lhotse, sound is checked, and whether all files have the same cuts. Shards are read to their ends, as far as possible. The exit status is 0 without faults and 1 with faults.

Usage: check-shards [options] <shard-or-list-or-shar> [<shard-or-list-or-shar> ...]
 e.g.: check-shards data.list
       check-shards --fields=wav,json.text data.list
       check-shards --quick=true --json=true data.list > faults.jsonl
       check-shards shar/train
       check-shards --manifest=nemo/tarred_audio_manifest.json 'nemo/audio__OP_0..7_CL_.tar'
Faults: unreadable, truncated, damaged, trailing-data, not-a-file, no-suffix, interleaved, duplicate-key, duplicate-field,
missing-field, bad-key, dotted-key, bad-sound, bad-text, empty-text. With --manifest also missing-member, unlisted-member,
wrong-shard, bad-manifest, bad-duration, with <manifest>:<line> as the place of what is wrong with a line. With --json:
       {\"shard\": \"a.tar\", \"key\": \"utt1\", \"member\": \"utt1.wav\", \"offset\": 1536, \"fault\": \"bad-sound\", \"message\": \"...\"}
See also: list-shards, copy-shards
";

#[derive(clap::Args)]
struct Options {
    /// Read only headers: of members and of sounds
    #[arg(long)]
    quick: bool,
    /// How members belong together: wenet (up to the last dot of their names), webdataset (up to the first one), or both, which
    /// have to agree
    #[arg(long, default_value = "both", value_parser = kaldi_cli::one_of(&GROUPINGS))]
    grouping: Agreement,
    /// What each sample must have, separated by commas: suffixes of members (wav means sound of any suffix), or entries of members
    /// in JSON, such as json.text; if it is not given, wav,txt, or wav with --manifest
    #[arg(long)]
    fields: Option<String>,
    /// Tarred manifest of NeMo: each line must have its member in its shard, and each member a line
    #[arg(long)]
    manifest: Option<InputName>,
    /// Write an object in JSON for each fault
    #[arg(long)]
    json: bool,
    #[arg(required = true)]
    shards: Vec<InputName>,
}

/// How members belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Both,
    One(Grouping),
}

const GROUPINGS: [(&str, Agreement); 3] = [
    ("both", Agreement::Both),
    ("wenet", Agreement::One(Grouping::Wenet)),
    ("webdataset", Agreement::One(Grouping::Webdataset)),
];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(check_shards))
    .whole("a key that is in two shards is found in the whole list only");

fn check_shards(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let mut manifest = match &opts.manifest {
        None => None,
        Some(name) => Some(NemoCheck::read(expand_pattern(name)?.iter().map(|name| name.as_bstr()))?),
    };
    let folders: Vec<SharFolder> = shar_folders(&opts.shards)?;
    let is_shar = !folders.is_empty();
    let usual = if is_shar {
        ""
    } else if manifest.is_some() {
        "wav"
    } else {
        "wav,txt"
    };
    let fields = opts.fields.as_deref().unwrap_or(usual);
    let checks = ShardChecks {
        grouping: match opts.grouping {
            Agreement::One(grouping) => grouping,
            Agreement::Both => Grouping::default(),
        },
        both: opts.grouping == Agreement::Both && !is_shar,
        fields: fields.split(',').filter(|field| !field.is_empty()).map(FieldPath::new).collect(),
        quick: opts.quick,
        members: opts.manifest.is_some(),
    };
    let wanted = if opts.quick { Wanted::Headers } else { Wanted::Contents };
    let sounds = folders.iter().flat_map(SharFolder::files).filter_map(|files| files.fields.get("recording").cloned());
    let names: Vec<BString> = match is_shar {
        true => sounds.collect(),
        false => opts.shards.iter().map(|name| expand_pattern(name)).collect::<Result<Vec<_>, _>>()?.concat(),
    };
    let names = ShardNames::new(names, wanted);

    let check = move |shard: ShardName| Ok((shard.name().to_string(), checks.run(shard)));
    let (mut num_shards, mut num_samples, mut num_faults) = (0, 0, 0);
    let (mut keys, mut advice) = (Keys::default(), AdviceGiven::default());
    let mut tell = |faults: Vec<ShardFault>| -> Result<()> {
        num_faults += faults.len() as u64;
        for mut fault in faults {
            fault.message = advice.once(std::mem::take(&mut fault.message));
            output.write_all(
                match opts.json {
                    true => printable_json(&json(&fault)) + "\n",
                    false => printable(format!("{fault} [{}]", fault.kind.name()).as_bytes()) + "\n",
                }
                .as_bytes(),
            )?;
        }
        Ok(())
    };
    for found in par_map(names, kaldi_cli::num_threads, check).in_flight(8 << 20, |_| 1 << 20).eager().iter() {
        let (shard, mut findings): (String, Findings) = found?;
        num_shards += 1;
        num_samples += findings.keys.len() as u64;
        keys.add(&shard, &mut findings);
        if let Some(manifest) = &mut manifest {
            findings.faults.extend(manifest.add_shard(&shard, &findings.members).map_err(Error::msg)?);
        }
        tell(findings.faults)?;
    }
    manifest.map_or(Ok(()), |manifest| tell(manifest.finish()))?;
    for folder in folders {
        tell(misfits(folder))?;
    }
    log!("Checked {num_samples} samples of {num_shards} shards, found {num_faults} faults.");
    output.finish()?;
    Ok(Tally::new(num_samples, num_faults).ok_if(num_faults == 0))
}

/// The arguments as Shar folders, if they are some.
fn shar_folders(arguments: &[InputName]) -> Result<Vec<SharFolder>> {
    let is_folder = |argument: &&InputName| argument.as_bstr().to_path_lossy().is_dir();
    let folders: Vec<&InputName> = arguments.iter().filter(is_folder).collect();
    if !folders.is_empty() && folders.len() < arguments.len() {
        anyhow::bail!("expected Shar folders, or shards and lists of them, got both");
    }
    Ok(folders.into_iter().map(|folder| SharFolder::find(folder.as_bstr())).collect::<Result<_, _>>()?)
}

/// Where the files of a Shar folder do not fit each other. After a fault, the rest of its file of cuts is passed over.
fn misfits(folder: SharFolder) -> Vec<ShardFault> {
    let fields = folder.fields().to_vec();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    let name = folder.name().to_owned();
    let (send, faults) = std::sync::mpsc::channel();
    let mut cuts = SharStream::new(folder, &fields, Wanted::Headers);
    cuts.leave_out_damaged(move |error| {
        let fault = match error {
            // What is wrong with a tar file alone was found before, but only if it has sound.
            shards::Error::Fault(fault) => *fault,
            shards::Error::Line { list, line, message } => {
                ShardFault::new(FaultKind::BadManifest, &list, line, message)
            }
            error => ShardFault::new(FaultKind::Unreadable, &name, 0, error.to_string()),
        };
        // The receiver lives as long as the reading.
        let _ = send.send(fault);
    });
    while let Ok(Some(_)) = cuts.next_with(|_, _, _, _, _| Ok(())) {}
    drop(cuts);
    let is_found = |fault: &ShardFault| fault.shard.contains("recording.") && fault.kind == FaultKind::Truncated;
    faults.into_iter().filter(|fault| !is_found(fault)).collect()
}

/// The keys of all shards, and the shard of each: as hashes of 128 bits, which take a third of the memory of keys.
#[derive(Default)]
struct Keys {
    shards: Vec<String>,
    seen: HashMap<[u64; 2], u32>,
}

impl Keys {
    /// Adds the keys of a shard, and faults for those that another one has.
    fn add(&mut self, shard: &str, findings: &mut Findings) {
        let number = self.shards.len() as u32;
        self.shards.push(shard.to_owned());
        for (key, offset) in &findings.keys {
            let hash = [0_u8, 1].map(|half| {
                let mut hasher = DefaultHasher::new();
                (half, key).hash(&mut hasher);
                hasher.finish()
            });
            match self.seen.entry(hash) {
                Entry::Vacant(entry) => {
                    entry.insert(number);
                }
                Entry::Occupied(first) => findings.faults.push(ShardFault {
                    kind: FaultKind::DuplicateKey,
                    shard: shard.to_owned(),
                    key: Some(key.clone()),
                    member: None,
                    offset: *offset,
                    message: format!("has the key of a sample in {}", self.shards[*first.get() as usize]),
                }),
            }
        }
    }
}

fn json(fault: &ShardFault) -> String {
    let text = |bytes: &[u8]| Value::from(bytes.to_str_lossy()).to_string();
    let optional = |name: &Option<BString>| name.as_ref().map_or("null".to_owned(), |name| text(name));
    format!(
        "{{\"shard\": {}, \"key\": {}, \"member\": {}, \"offset\": {}, \"fault\": \"{}\", \"message\": {}}}",
        text(fault.shard.as_bytes()),
        optional(&fault.key),
        optional(&fault.member),
        fault.offset,
        fault.kind.name(),
        text(fault.message.as_bytes())
    )
}

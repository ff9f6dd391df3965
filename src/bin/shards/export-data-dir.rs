//! Writes a data directory as a manifest of another program.
//!
//! Kaldi has no such program. WeNet's list has the bytes of `make_raw_list.py`.

use anyhow::Context;
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_corpus::{DataDirectory, ExportFormat, Exported, SoundSize};
use kaldi_io::Output;
use kaldi_log::{log, warning};
use kaldi_table::{Entry, SequentialReader, WorkError};
use kaldi_wave::{Wave, WaveInfo};
use std::collections::HashMap;
use std::path::Path;

const USAGE: &str = "\
Writes a data directory as a manifest of another program, in the order of utt2spk (wenet: of the text). Durations are those of
the headers of the sound, or of segments:
  nemo    lines of JSON: audio_filepath, duration, offset (with segments), text, speaker, utt_id
  wenet   lines of JSON: key, wav, txt, start and end (with segments), as make-raw-list writes them
  lhotse  a folder with recordings.jsonl.gz and supervisions.jsonl.gz
  csv     id,path,duration,text,speaker, and offset with segments

Usage: export-data-dir [options] --format=<format> <data-dir> (<manifest-wxfilename>|<folder>)
 e.g.: export-data-dir --format=nemo data/train train.json
       export-data-dir --format=lhotse data/train manifests/train
See also: make-data-dir, make-raw-list, make-shard-list, wav-to-duration
";

#[derive(option_table::Options)]
struct Options {
    /// What is written: nemo, wenet, lhotse or csv
    #[option(one_of = &ExportFormat::NAMES)]
    format: Option<ExportFormat>,
    folder: Arg,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(export_data_dir))
    .whole("a manifest is made of several files of the data directory");

fn export_data_dir(opts: Options) -> anyhow::Result<Tally> {
    let format = opts.format.context("expected --format=nemo, wenet, lhotse or csv")?;
    let folder = opts.folder.as_path();
    let directory = DataDirectory::read(folder)?;
    let num_commands = directory.recordings.iter().filter(|it| it.command().is_some()).count();
    if num_commands > 0 && format != ExportFormat::Lhotse {
        warning!("{num_commands} recordings are outputs of commands, which other programs do not run");
    }
    let sizes = if directory.needs_sizes(format) { sizes(folder)? } else { HashMap::new() };
    match directory.export(format, &sizes)? {
        Exported::File(lines) => {
            let mut output = Output::create(&opts.target, false)?;
            output.write_all(&lines)?;
            output.finish()?;
        }
        Exported::Folder(files) => {
            let folder = opts.target.as_path();
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
            let mut outputs = Vec::new();
            for (name, content) in files {
                let path = folder.join(name);
                let mut output = Output::create_file(&path, path.display().to_string(), false)?;
                output.write_all(&content)?;
                outputs.push(output);
            }
            outputs.into_iter().try_for_each(Output::finish)?;
        }
    }
    log!("Wrote {} utterances of {} recordings.", directory.utterances.len(), directory.recordings.len());
    Ok(Tally::new(directory.utterances.len() as u64, 0))
}

/// The sizes of all recordings, from their headers; where a header does not tell, the samples are counted.
fn sizes(folder: &Path) -> anyhow::Result<HashMap<String, SoundSize>> {
    let table = BString::from([b"scp:", folder.as_os_str().as_encoded_bytes(), b"/wav.scp"].concat());
    let mut sizes = HashMap::new();
    let mut unknown = false;
    let headers = SequentialReader::<Wave>::open(&table)?.skim().par_map(in_header);
    headers
        .drain(|key, size| {
            unknown |= size.is_none();
            sizes.extend(size.map(|size| (key.to_str_lossy().into_owned(), size)));
            anyhow::Ok(())
        })?
        .finish()?;
    if unknown {
        let counted = SequentialReader::<Wave>::open(&table)?.par_map(|entry| Ok(counted(&entry.read()?)));
        counted
            .drain(|key, size| {
                sizes.insert(key.to_str_lossy().into_owned(), size);
                anyhow::Ok(())
            })?
            .finish()?;
    }
    Ok(sizes)
}

fn in_header(entry: &Entry<'_, Wave>) -> Result<Option<SoundSize>, WorkError> {
    let info = entry.read_with(WaveInfo::read)?;
    Ok(info.num_samples().map(|num_samples| SoundSize {
        num_samples,
        sample_rate: info.sample_rate().into(),
        num_channels: info.num_channels() as u32,
    }))
}

fn counted(wave: &Wave) -> SoundSize {
    SoundSize {
        num_samples: wave.num_samples() as u64,
        sample_rate: wave.sample_rate().into(),
        num_channels: wave.num_channels() as u32,
    }
}

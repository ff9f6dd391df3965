//! Makes script files that point into shards. Kaldi has no such program; its programs can read these script files.

use anyhow::{Context, Result, bail, ensure};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_corpus::shard::{
    DaliIndex, Error, Field, FieldPath, Grouping, Member, Payload, ShardIndex, ShardNames, TarSample, TarSamples,
    Wanted, is_sound, sound_info,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, Rxfilename, printable_rxfilename, quote_name, shell_quote};
use kaldi_table::{ReaderExt, TableWriter, is_key, parse_script_line};
use kaldi_value::Tokens;
use kaldi_wave::WaveSamples;

const USAGE: &str = "\
Makes a script file of the sound in uncompressed shards, with a line <key> <shard>:<offset> for each sample, so that all
programs can read it in place. Only headers of the shards are read, and texts if they are wanted.

Usage: shards-to-scp [options] <shard-or-list> [<shard-or-list> ...] <scp-wxfilename> [<scp-wxfilename> ...]
 e.g.: shards-to-scp data.list wav.scp && compute-fbank-feats scp:wav.scp ark,scp:feats.ark,feats.scp
       shards-to-scp --write-text=ark,t:text --write-utt2dur=ark,t:utt2dur data.list wav.scp
       shards-to-scp --write-text=ark,t:text --text-field=json.text data.list wav.scp
       shards-to-scp --fields=wav,txt --index=dali shards_000000000.tar wav.scp txt.scp
Sound other than WAV of a known length (FLAC, MP3, streams) is read by a command that cuts it out of the shard.
See also: list-shards, extract-shards
";

#[derive(clap::Args)]
struct Options {
    /// The fields to write script files of, separated by commas, with an output for each; wav means sound of any suffix
    #[arg(long, default_value = "wav")]
    fields: String,
    /// How members belong together: wenet (up to the last dot of their names) or webdataset (up to the first one)
    #[arg(long, default_value = "wenet", value_parser = kaldi_cli::one_of(&Grouping::NAMES))]
    grouping: Grouping,
    /// Write an index next to each shard: dali
    #[arg(long, value_parser = kaldi_cli::one_of(&ShardIndex::NAMES))]
    index: Option<ShardIndex>,
    /// Wspecifier (or a file name, for a text archive) for the texts
    #[arg(long = "write-text", alias = "text")]
    text: Option<OutputName>,
    /// Where the text of a sample is, for --write-text: the suffix of a member, or an entry of one in JSON, such as json.text
    #[arg(long, default_value = "txt")]
    text_field: String,
    /// Wspecifier (or a file name, for a text archive) for the durations in seconds, according to headers
    #[arg(long = "write-utt2dur", alias = "utt2dur")]
    utt2dur: Option<OutputName>,
    #[arg(required = true)]
    names: Vec<Arg>,
}

/// What is known of a content.
struct Seen {
    /// Whether a reader can find its end.
    has_end: bool,
    seconds: Option<f64>,
    /// The content, if the text is in it.
    content: Vec<u8>,
}

impl AsRef<[u8]> for Seen {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(shards_to_scp))
    .writing_lists()
    .whole("an argument is a shard or a list of shards; a list can be cut with --split and --out");

fn shards_to_scp(opts: Options) -> Result<Tally> {
    let fields: Vec<BString> = opts.fields.split(',').map(BString::from).collect();
    ensure!(fields.iter().all(|field| !field.is_empty()), "expected --fields to be names, got {:?}", opts.fields);
    let Some(num_shards) = opts.names.len().checked_sub(fields.len()).filter(|count| *count > 0) else {
        return Ok(kaldi_cli::wrong_usage(USAGE, "expected shards and an output for each of --fields"));
    };
    let (shards, scripts) = opts.names.split_at(num_shards);
    kaldi_cli::keep_no_lists(scripts.iter().map(|name| name.as_bstr()))?;
    let create = |name: &Arg| Output::create(name, false);
    let mut scripts = scripts.iter().map(create).collect::<Result<Vec<_>, _>>()?;
    let mut texts = opts.text.as_deref().map(create_table::<Tokens>).transpose()?;
    let mut durations = opts.utt2dur.as_deref().map(create_table::<f32>).transpose()?;
    let grouping = opts.grouping;
    let text_field = FieldPath::new(opts.text_field);

    let mut tally = Tally::default();
    let mut names = ShardNames::new(shards.iter().map(|name| name.as_bstr().to_owned()), Wanted::Headers);
    for name in names.iter() {
        let name = name?;
        let shard = name.name().to_owned();
        let mut samples = TarSamples::new(name.open()?, grouping);
        if samples.members().plain_file().is_none() {
            bail!(
                "{}: expected a plain shard in a file, whose contents can be read in place, got another one",
                printable_rxfilename(shard.as_ref())
            );
        }
        check_name(shard.as_ref())?;
        let mut index = opts.index.as_ref().map(|_| DaliIndex::default());
        let wanted = texts.as_ref().map(|_| &text_field);
        while let Some(sample) = samples.next_sample(|field, member, payload| look(field, member, payload, wanted))? {
            let key = quote_name(&sample.key);
            if !is_key(sample.key.as_ref()) || *key != sample.key {
                warning!("{key}: a key with white space or control characters cannot be in a script file; skipping it");
                tally.failed += 1;
                continue;
            }
            let is_done = write_lines(&sample, shard.as_ref(), &fields, &mut scripts)?;
            if let Some(texts) = &mut texts {
                write_text(&sample, &text_field, &shard.to_string(), texts)?;
            }
            if let (Some(durations), Some(seconds)) = (&mut durations, seconds(&sample)) {
                durations.write(&sample.key, &(seconds as f32))?;
            }
            if let Some(index) = &mut index {
                for Field { member, .. } in &sample.fields {
                    index
                        .add(member.path.as_ref(), member.offset, member.size)
                        .with_context(|| printable_rxfilename(shard.as_ref()))?;
                }
            }
            if is_done { tally.done += 1 } else { tally.failed += 1 }
        }
        samples.finish()?;
        index.map_or(Ok(()), |index| index.write(shard.as_ref()))?;
    }
    log!("Wrote lines of {} samples, {} lack a field.", tally.done, tally.failed);
    scripts.into_iter().try_for_each(Output::finish)?;
    texts.map_or(Ok(()), TableWriter::finish)?;
    durations.map_or(Ok(()), TableWriter::finish)?;
    Ok(tally)
}

/// Refuses a shard whose places would mean something else in a script file.
fn check_name(shard: &BStr) -> Result<()> {
    let line = format!("key {shard}:512");
    let place = parse_script_line(line.as_bytes()).ok().map(|line| line.xfilename);
    let is_place = |place: &BString| {
        matches!(Rxfilename::parse(place.as_ref()), Ok(Rxfilename::Offset(path, 512))
            if matches!(Rxfilename::parse(shard), Ok(Rxfilename::File(file)) if file == path))
    };
    ensure!(
        !shard.contains(&b'\n') && place.is_some_and(|place| is_place(&place)),
        "{}: expected the name of a file, to which offsets can be added in a script file",
        printable_rxfilename(shard)
    );
    Ok(())
}

/// Creates a table; in text form if a file is named.
fn create_table<T: kaldi_value::Value>(name: &BStr) -> kaldi_table::Result<TableWriter<T>> {
    if kaldi_io::is_specifier(name) {
        return TableWriter::create(name);
    }
    TableWriter::create([b"ark,t:", name.as_bytes()].concat().as_bstr())
}

fn look(field: &BStr, member: &Member, payload: &mut Payload<'_>, text: Option<&FieldPath>) -> Result<Seen, Error> {
    if !is_sound(field) {
        let content = if text.is_some_and(|text| text.may_be_in(field)) { payload.read()? } else { Vec::new() };
        return Ok(Seen { has_end: true, seconds: None, content });
    }
    let seconds = sound_info(field, member, payload)?.and_then(|info| info.duration());
    let samples = payload.parse_front(|head| match WaveSamples::read(head) {
        Err(error) if error.at_end => None,
        extent => Some(extent.ok()),
    })?;
    let has_end = samples.flatten().is_some_and(|samples| samples.num_bytes.is_some());
    Ok(Seen { has_end, seconds, content: Vec::new() })
}

fn seconds(sample: &TarSample<Seen>) -> Option<f64> {
    sample.field("wav".into()).and_then(|field| field.value.seconds)
}

/// Writes a line for each field, or warns that there is none.
fn write_lines(sample: &TarSample<Seen>, shard: &BStr, fields: &[BString], scripts: &mut [Output]) -> Result<bool> {
    let mut is_whole = true;
    for (wanted, script) in fields.iter().zip(scripts) {
        let Some(field) = sample.field(wanted.as_ref()) else {
            warning!("{}: the sample in {shard} has no field {wanted}", sample.key);
            is_whole = false;
            continue;
        };
        let Member { offset, size, .. } = field.member;
        let place = if field.value.has_end {
            format!("{shard}:{offset}")
        } else {
            format!("tail -c +{} {} | head -c {size} |", offset + 1, shell_quote(shard))
        };
        script.write_all(&[sample.key.as_slice(), b" ", place.as_bytes(), b"\n"].concat())?;
    }
    Ok(is_whole)
}

fn write_text(sample: &TarSample<Seen>, field: &FieldPath, shard: &str, texts: &mut TableWriter<Tokens>) -> Result<()> {
    let Some(text) = field.text_of(shard, sample)? else {
        warning!("{}: the sample has no text", sample.key);
        return Ok(());
    };
    match Tokens::new(text.fields_with(|c| c.is_ascii_whitespace())) {
        Ok(words) => Ok(texts.write(&sample.key, &words)?),
        Err(error) => {
            warning!("{}: the text is left out: {error}", sample.key);
            Ok(())
        }
    }
}

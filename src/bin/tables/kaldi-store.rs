//! Lists, shows, copies and removes objects in stores and on the web.

use std::time::Instant;

use bstr::{BStr, ByteSlice};
use kaldi_cli::{Arg, Tally};
use kaldi_io::log::log;
use kaldi_store::commands::{self, CopyOptions};

const USAGE: &str = "\
Shows which objects are in stores and on the web, and copies and removes them. All tools read and write such objects; this \
tool is for looking after them.

Usage: kaldi-store [options] ls <folder>
   or: kaldi-store [options] stat <object> [<object> ...]
   or: kaldi-store [options] cat <object> [<object> ...]
   or: kaldi-store [options] cp <from> [<from> ...] <to>
   or: kaldi-store [options] rm <object> [<object> ...]
 e.g.: kaldi-store ls s3://bucket/mfcc/
       kaldi-store cat https://example.org/feats.scp | head
       kaldi-store cp raw_mfcc.1.ark s3://bucket/mfcc/raw_mfcc.1.ark
       kaldi-store cp --recursive --dry-run shards s3://bucket/shards

If the target of cp ends with a slash, or is a folder of the disk, or if there are several sources, the copies go into it
under their own names. With --recursive, the sources are folders, and what is in them goes into the target.

Of several objects, those that are there already are not copied again: those of the same length and the same entity tag (the MD5
sum, in most stores) or, if a store has no such tags, those that were written after the last change of the file. So the same
command goes on where a copy has broken off. If one cannot be copied, the others are.

Names start with s3://, oss://, gs://, azblob://, hdfs://, webhdfs://, http:// or https://; anything else is a file, and - a
standard stream. Objects on the web can only be read. Credentials are those of each store's own tools, such as
AWS_ACCESS_KEY_ID. KALDI_STORE_TIMEOUT says how many seconds a server may be silent (30), KALDI_STORE_RETRIES how often a
request is tried again (5); --verbose=2 shows that. KALDI_STORE_CACHE names a folder where parts of objects are kept, of
KALDI_STORE_CACHE_SIZE bytes (10G) at most. These variables hold for all tools.

See also: ark-to-scp, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// ls: show what is in the folders of the folder as well; cp, rm: copy or remove folders with all that is in them
    #[arg(long)]
    recursive: bool,
    /// cp: leave out objects that are there already, of several ones
    #[arg(long, default_value_t = true)]
    skip: bool,
    /// cp, rm: say what would be copied, left out or removed, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// cp, rm: objects that are copied or removed at the same time
    #[arg(long, default_value_t = 4)]
    at_once: u32,
    command: Arg,
    names: Vec<Arg>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(kaldi_store)).whole("it works on objects of stores, not on tables");

fn kaldi_store(opts: Options) -> anyhow::Result<Tally> {
    let names: Vec<&BStr> = opts.names.iter().map(AsRef::as_ref).collect();
    let done = match (opts.command.as_bytes(), names.as_slice()) {
        (b"ls", [folder]) => {
            let done = commands::ls(folder, opts.recursive)?;
            let is_bucket = folder.trim_end_with(|letter| letter == '/').find_iter("/").count() <= 2;
            if done == 0 && !is_bucket {
                kaldi_io::log::warning!(
                    "{}: there is no such folder, or nothing in it",
                    kaldi_io::log::hide_secrets(folder).as_bstr()
                );
                return Ok(Tally::new(0, 0));
            }
            done
        }
        (b"stat", [_, ..]) => commands::stat(&names)?,
        (b"cat", [_, ..]) => commands::cat(&names)?,
        (b"cp", [from @ .., to]) if !from.is_empty() => copy(from, to, &opts)?,
        (b"rm", [_, ..]) => commands::rm(&names, &opts.of_copies())?,
        (b"ls" | b"stat" | b"cat" | b"cp" | b"rm", _) => {
            return Ok(kaldi_cli::wrong_usage(USAGE, &format!("{} does not take {} names", opts.command, names.len())));
        }
        _ => return Ok(kaldi_cli::wrong_usage(USAGE, &format!("there is no command {}", opts.command))),
    };
    Ok(Tally::new(done, 0).always_ok())
}

fn copy(from: &[&BStr], to: &BStr, opts: &Options) -> anyhow::Result<u64> {
    let start = Instant::now();
    let copied = commands::cp(from, to, &opts.of_copies())?;
    if opts.recursive || from.len() > 1 {
        let verb = if opts.dry_run { "Would copy" } else { "Copied" };
        let (seconds, megabytes) = (start.elapsed().as_secs_f64(), copied.bytes as f64 / 1e6);
        let amount = if opts.dry_run { String::new() } else { format!(" of {megabytes:.1} MB in {seconds:.1} s") };
        log!("{verb} {} objects{amount}; {} were there already", copied.count, copied.skipped);
    }
    Ok(copied.count + copied.skipped)
}

impl Options {
    fn of_copies(&self) -> CopyOptions {
        let mut options = CopyOptions::default();
        options.recursive = self.recursive;
        options.skip = self.skip;
        options.dry_run = self.dry_run;
        options.at_once = self.at_once.max(1) as usize;
        options
    }
}

//! Lists, shows, copies and removes objects in stores and on the web.

use bstr::{BStr, ByteSlice};
use kaldi_cli::{Arg, Tally};
use kaldi_store::commands;

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

If the target of cp ends with a slash, or is a folder of the disk, or if there are several sources, the copies go into it
under their own names. With --recursive, the sources are folders, and what is in them goes into the target.

Names start with s3://, oss://, gs://, azblob://, hdfs://, webhdfs://, http:// or https://; anything else is a file, and - a
standard stream. Objects on the web can only be read. Credentials are those of each store's own tools, such as
AWS_ACCESS_KEY_ID. KALDI_STORE_TIMEOUT says how many seconds a server may be silent (30), KALDI_STORE_RETRIES how often a
request is tried again (5); --verbose=2 shows that. KALDI_STORE_CACHE names a folder where parts of objects are kept, of
KALDI_STORE_CACHE_SIZE bytes (10G) at most. These variables hold for all tools.

See also: ark-to-scp, concat-ark
";

#[derive(option_table::Options)]
struct Options {
    /// ls: show what is in the folders of the folder as well; cp, rm: copy or remove folders with all that is in them
    #[option]
    recursive: bool,
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
                kaldi_log::warning!(
                    "{}: there is no such folder, or nothing in it",
                    kaldi_log::hide_secrets(folder).as_bstr()
                );
                return Ok(Tally::new(0, 0));
            }
            done
        }
        (b"stat", [_, ..]) => commands::stat(&names)?,
        (b"cat", [_, ..]) => commands::cat(&names)?,
        (b"cp", [from @ .., to]) if !from.is_empty() => commands::cp(from, to, opts.recursive)?,
        (b"rm", [_, ..]) => commands::rm(&names, opts.recursive)?,
        (b"ls" | b"stat" | b"cat" | b"cp" | b"rm", _) => {
            return Ok(kaldi_cli::wrong_usage(USAGE, &format!("{} does not take {} names", opts.command, names.len())));
        }
        _ => return Ok(kaldi_cli::wrong_usage(USAGE, &format!("there is no command {}", opts.command))),
    };
    Ok(Tally::new(done, 0).always_ok())
}

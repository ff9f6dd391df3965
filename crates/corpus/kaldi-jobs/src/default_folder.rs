//! The default state folder of a run.

use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use kaldi_io::{Rspecifier, Wspecifier, WspecifierKind, is_remote, local_path};

use crate::command_words::OutputKind;
use crate::{Error, Request, Result};

impl Request {
    /// The folder of the state: beside the last output that is a file. If all outputs are objects of stores, it is in the folder of
    /// the list and has the name of the last object.
    ///
    /// # Errors
    /// If there is no output, or it is a stream.
    pub fn default_folder(&self) -> Result<PathBuf> {
        let missing = || Error::Plan("expected `dir`, since the last output is no file".to_owned());
        let last = self.outputs.last().ok_or_else(missing)?;
        // A command is refused with its reason.
        OutputKind::of(last)?;
        let files: Vec<BString> = match Wspecifier::parse(last.as_str().into()).map(|specifier| specifier.kind) {
            None => vec![last.as_str().into()],
            Some(WspecifierKind::Archive(archive)) => vec![archive],
            Some(WspecifierKind::Both { archive, script }) => vec![archive, script],
            Some(WspecifierKind::Script(script)) => vec![script],
        };
        let file = files.iter().rev().find(|file| !is_remote(file)).or(files.last()).ok_or_else(missing)?;
        let file = file.trim_end_with(|letter| letter == '/');
        if file.is_empty() || file == b"-" {
            return Err(missing());
        }
        if !is_remote(file) {
            let path = local_path(file).unwrap_or_else(|_| file.into());
            return Ok(path.to_path_lossy().with_extension("jobs"));
        }
        let name = file.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let name = name.to_path_lossy().with_extension("jobs");
        let split = self.split.as_str();
        let list = Rspecifier::parse(split.into()).map_or(split.into(), |specifier| specifier.rxfilename);
        match is_remote(&list) {
            true => Ok(name),
            false => Ok(Path::new(&*list.to_path_lossy()).with_file_name(name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Join, Measure};

    use super::*;

    #[test]
    fn the_state_is_never_where_a_store_is() {
        let t = |split: &str, output: &str| {
            let request = Request {
                command: Vec::new(),
                num_pieces: 1,
                split: split.to_owned(),
                follow: Vec::new(),
                outputs: vec![output.to_owned()],
                measure: Measure::Items,
                join: Join::Auto,
                is_by_entry: true,
                reduce: None,
                threads: 1,
                is_tool: true,
                written: Vec::new(),
            };
            request.default_folder().map(|path| path.display().to_string()).map_err(|error| error.to_string())
        };
        let is = |split: &str, output: &str, expected: &str| assert_eq!(t(split, output).as_deref(), Ok(expected));
        is("scp:a/f.scp", "ark,scp:m/raw.ark,m/raw.scp", "m/raw.jobs");
        is("scp:a/f.scp", "shar/", "shar.jobs");
        is("scp:a/f.scp", "ark:file:///d/x.ark", "/d/x.jobs");
        is("scp:a/f.scp", "ark:s3://bucket/dir/x.ark", "a/x.jobs");
        is("f.scp", "s3://bucket/x.ark", "x.jobs");
        is("scp:s3://bucket/f.scp", "ark:s3://bucket/dir/x.ark", "x.jobs");
        is("scp:a/f.scp", "ark,scp:s3://bucket/x.ark,b/local.scp", "b/local.jobs");
        is("scp:a/f.scp", "ark,scp:b/x.ark,s3://bucket/x.scp", "b/x.jobs");
        for stream in ["ark:-", "-", "ark:| gzip > x", ""] {
            assert!(t("f.scp", stream).is_err(), "{stream}");
        }
    }
}

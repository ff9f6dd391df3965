//! Manifests: lists of utterances of other programs.

mod columns;
mod cut_parts;
mod cuts;
mod effects;
mod json;
mod lhotse;
mod nemo_tars;
mod shar;
mod table;

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Lines, WorkStage, printable_rxfilename};
use shards::SharFolder;

use crate::parts::{PartFault, check_parts};
use crate::{CorpusPlace, Error, ManifestOptions, Result, Utterances};
pub use columns::{saved_files, saved_splits};
pub(crate) use json::{Object, Objects};
pub(crate) use nemo_tars::nemo_tar;

/// A kind of manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manifest {
    /// Comma-separated values, with a line of names first.
    Csv,
    /// Values with tabulators between them, with a line of names first: Common Voice.
    Tsv,
    /// Lines of JSON with `audio_filepath`.
    Nemo,
    /// Lines of JSON with `key` and `wav`, WeNet's raw lists.
    Wenet,
    /// Cuts of lhotse, or a folder with them, or with its recordings and supervisions.
    Lhotse,
    /// A Shar folder of lhotse, or one of its files of cuts.
    Shar,
    /// Files of Parquet or Arrow with sound or the names of its files, or a folder or a list of them.
    Columns,
}

impl Manifest {
    /// Finds out what a file or folder is. `None` if it is a folder of sound.
    ///
    /// # Errors
    /// If it cannot be read, or is something else.
    pub fn detect(name: &BStr) -> Result<Option<Self>> {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        if SharFolder::is_one(path) || SharFolder::is_cuts_of_one(path) {
            return Ok(Some(Self::Shar));
        }
        if path.is_dir() {
            if lhotse::is_there(path)? {
                return Ok(Some(Self::Lhotse));
            }
            return Ok(columns::is_columns(path)?.then_some(Self::Columns));
        }
        if columns::is_columns(path)? {
            return Ok(Some(Self::Columns));
        }
        let plain = [".gz", ".zst"].iter().find_map(|suffix| name.strip_suffix(suffix.as_bytes())).unwrap_or(name);
        if plain.ends_with(b".csv") {
            return Ok(Some(Self::Csv));
        }
        if plain.ends_with(b".tsv") {
            return Ok(Some(Self::Tsv));
        }
        let mut objects = Objects::open(name)?;
        let first = objects.next_object()?;
        let has = |field: &str| first.as_ref().is_some_and(|object| object.has(field));
        if has("audio_filepath") {
            return Ok(Some(Self::Nemo));
        }
        if has("key") && has("wav") {
            return Ok(Some(Self::Wenet));
        }
        if has("type") && has("id") {
            return Ok(Some(Self::Lhotse));
        }
        let message = "expected lines of JSON with \"audio_filepath\" (NeMo), \"key\" and \"wav\" (WeNet), or cuts (lhotse), got others";
        Err(objects.place().error(message))
    }
}

/// Reads manifests of one kind and adds what they have.
pub(crate) fn read_all(
    names: &[BString],
    manifest: Manifest,
    options: &ManifestOptions,
    all: &mut Utterances,
) -> Result<()> {
    match manifest {
        // All files have the same columns.
        Manifest::Columns => columns::read(names, options, all),
        _ => {
            note_missing_parts(names, all)?;
            names.iter().try_for_each(|name| read(name.as_ref(), manifest, options, all))
        }
    }
}

/// Notes parts of sets that the names of files show to be missing. Who names some of the files may want these only.
fn note_missing_parts(names: &[BString], all: &mut Utterances) -> Result<()> {
    match check_parts(names) {
        Some(PartFault::Missing(_, first)) if !all.left_out.strict => {
            let place = CorpusPlace { name: first.to_string().into(), line: None };
            all.left_out.add("sets of files lack parts, as the names of the others say", &place)
        }
        Some(PartFault::Missing(message, _) | PartFault::Mixed(message)) => Err(Error::Nothing(message)),
        None => Ok(()),
    }
}

/// Reads a manifest and adds what it has.
fn read(name: &BStr, manifest: Manifest, options: &ManifestOptions, all: &mut Utterances) -> Result<()> {
    let _stage = WorkStage::begin(format!("reading {}", printable_rxfilename(name)), "lines", None);
    let places = SoundPlaces::new(name, manifest, options);
    let found = match manifest {
        Manifest::Csv => table::read_csv(name, &places, all)?,
        Manifest::Tsv => table::read_tsv(Lines::open(name)?, &places, all)?,
        Manifest::Nemo => {
            let (found, tarred) = json::read_nemo(Objects::open(name)?, &places, all)?;
            if tarred.is_empty() {
                nemo_tars::refuse_options(name, options)?;
            }
            nemo_tars::find_sound(tarred, &places.folder, options, all)?;
            found
        }
        Manifest::Wenet => json::read_wenet(Objects::open(name)?, &places, all)?,
        Manifest::Lhotse => {
            all.are_segments = true;
            let path = Path::new(std::ffi::OsStr::from_bytes(name));
            if !path.is_dir() {
                return cuts::read(name, &places, all);
            }
            if let Some(file) = lhotse::cuts_of(path) {
                return cuts::read(file.as_os_str().as_bytes().into(), &places, all);
            }
            return lhotse::read(path, &places, all);
        }
        Manifest::Shar => {
            all.are_segments = true;
            return shar::read(name, &places, all);
        }
        Manifest::Columns => return columns::read(&[name.to_owned()], options, all),
    };
    found.iter().for_each(|it| all.found.push(it));
    Ok(())
}

/// Where the sound of a manifest is.
#[derive(Clone, Debug)]
pub(crate) struct SoundPlaces {
    /// How the manifest is read.
    options: ManifestOptions,
    /// The folder of the manifest.
    folder: PathBuf,
}

impl SoundPlaces {
    fn new(name: &BStr, manifest: Manifest, options: &ManifestOptions) -> Self {
        let path = Path::new(std::ffi::OsStr::from_bytes(name));
        let is_folder = manifest == Manifest::Lhotse && path.is_dir();
        let folder = if is_folder { path } else { path.parent().unwrap_or(Path::new("")) };
        Self { options: options.clone(), folder: folder.to_owned() }
    }

    /// Makes sure that a name at a place is no command, unless these are allowed.
    fn check(&self, name: &BStr, place: &CorpusPlace) -> Result<()> {
        self.options.commands.check(name).map_err(|message| place.error(message))?;
        let is_place = name.rsplit_once_str(":").is_some_and(|(_, digits)| is_number(digits)) || name.ends_with(b"]");
        match is_place && !name.contains_str("://") {
            true => {
                Err(place.error(format!("expected the name of a file or an address, got a part of a file, {name:?}")))
            }
            false => Ok(()),
        }
    }

    /// The name for `wav.scp` of a file that is named at a place. Absolute names, addresses and commands that are allowed stay.
    fn find(&self, path: &BStr, place: &CorpusPlace) -> Result<BString> {
        self.check(path, place)?;
        Ok(self.found(path))
    }

    /// The name of a file that is there as it is called, or else in the folder of the manifest. An offset may follow it.
    fn beside(&self, name: &BStr) -> BString {
        let path = match name.rsplit_once_str(":") {
            Some((path, digits)) if is_number(digits) => path,
            _ => name.as_bytes(),
        };
        let below = self.folder.join(std::ffi::OsStr::from_bytes(path));
        let is_there = || Path::new(std::ffi::OsStr::from_bytes(path)).is_file();
        match !path.starts_with(b"/") && !is_there() && below.is_file() {
            true => self.folder.join(std::ffi::OsStr::from_bytes(name)).into_os_string().into_encoded_bytes().into(),
            false => name.to_owned(),
        }
    }

    fn found(&self, path: &BStr) -> BString {
        let is_address = path.find(b"://").is_some_and(|at| path[..at].iter().all(u8::is_ascii_alphanumeric));
        if path.starts_with(b"/") || path.ends_with(b"|") || is_address {
            return path.to_owned();
        }
        if let Some(folder) = &self.options.audio_dir {
            let folder = folder.trim_end_with(|c| c == '/');
            return [folder, b"/", path.as_bytes()].concat().into();
        }
        let below = std::ffi::OsStr::from_bytes(path);
        let found =
            [self.folder.join("clips").join(below), self.folder.join(below)].into_iter().find(|it| it.is_file());
        found.map_or_else(|| path.to_owned(), |found| found.as_os_str().as_bytes().into())
    }
}

fn is_number(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

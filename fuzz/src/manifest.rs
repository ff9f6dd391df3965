//! Manifests of corpora, and folders of sound with texts.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use bstr::ByteSlice;
use kaldi_corpus::{
    DirectoryContent, DirectoryTables, ExportFormat, Exported, Manifest, ManifestOptions, NamedCorpus, Naming,
    SoundSize, SpeakerRule, Utterances,
};

/// The kinds of manifests, and the names of their files. The last one is a folder of sound.
const KINDS: [(Option<Manifest>, [&str; 2]); 6] = [
    (Some(Manifest::Csv), ["m.csv", "other"]),
    (Some(Manifest::Tsv), ["m.tsv", "other"]),
    (Some(Manifest::Nemo), ["m.json", "other"]),
    (Some(Manifest::Wenet), ["m.jsonl", "other"]),
    (Some(Manifest::Lhotse), ["recordings.jsonl", "supervisions.jsonl"]),
    (None, ["x.trans.txt", "b.txt"]),
];

/// The number of kinds.
const NUM_KINDS: u8 = KINDS.len() as u8;

/// A manifest, of a kind that the first byte chooses. A zero byte ends the first of its two files.
///
/// What can be read and named makes a data directory that can be read, and manifests of it lead back to the same utterances,
/// speakers and texts.
pub fn manifest(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let (manifest, names) = KINDS[usize::from(kind % NUM_KINDS)];
    let (first, second) = bytes.split_once_str(b"\0").unwrap_or((bytes, b""));
    super::with_folder(|folder| {
        let source = folder.join("in");
        fill(&source, &[(names[0], first), (names[1], second), ("a.wav", b""), ("b.wav", b"")]);
        let name = if manifest == Some(Manifest::Lhotse) { source.clone() } else { source.join(names[0]) };
        let Some(corpus) = named(manifest, if manifest.is_some() { &name } else { &source }) else { return };
        let files = contents(&corpus);
        let target = folder.join("data");
        let contents: Vec<_> = files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
        fill(&target, &contents);
        for (name, content) in &contents {
            let lines: Vec<_> = content.strip_suffix(b"\n").expect("lines have ends").split_str(b"\n").collect();
            let key = |line: &&[u8]| line.split(|&byte| byte == b' ').next().expect("a part").to_vec();
            assert!(lines.iter().map(key).is_sorted_by(|one, two| one < two), "{name} is not sorted");
        }
        // Kaldi's programs take any bytes, other manifests are text.
        if contents.iter().all(|(_, content)| content.is_utf8()) {
            let directory = DirectoryContent::read(&target).expect("a data directory that was made can be read");
            assert_eq!(directory.utterances.len(), corpus.num_utterances());
            assert_eq!(directory.recordings.len(), corpus.num_recordings());
            leads_back(&directory, &files, folder);
        }
    });
}

/// The files of a data directory, with their contents.
fn contents(corpus: &NamedCorpus) -> Vec<(String, Vec<u8>)> {
    let content = |name: &str| {
        let mut content = Vec::new();
        let written = corpus.write(name, |lines| {
            content.extend_from_slice(lines);
            Ok::<_, std::convert::Infallible>(())
        });
        written.expect("memory takes everything");
        content
    };
    corpus.files().into_iter().map(|name| (name.clone(), content(&name))).collect()
}

/// Reads and names utterances; a fault has one line, which names the place.
fn named(manifest: Option<Manifest>, path: &Path) -> Option<NamedCorpus> {
    let name = path.to_str().expect("temporary folders have names in UTF-8");
    let found = match manifest {
        Some(manifest) => Utterances::of_manifests(&[name.into()], manifest, &ManifestOptions::default()),
        None => Utterances::of_folders(&[path.as_os_str().as_encoded_bytes().into()], false),
    };
    let speaker = if manifest.is_none() { SpeakerRule::Folder } else { SpeakerRule::Utterance };
    let mut naming = Naming::default();
    naming.speaker = speaker;
    match found.and_then(|found| NamedCorpus::new(found, &naming)) {
        Ok(corpus) => Some(corpus),
        Err(error) => {
            let folder = path.parent().expect("a file is in a folder").to_str().expect("UTF-8");
            let message = error.to_string();
            assert!(message.contains(folder) && !message.contains('\n'), "{message}");
            None
        }
    }
}

/// Writes a data directory as manifests of all kinds, and reads these.
fn leads_back(directory: &DirectoryContent, files: &[(String, Vec<u8>)], folder: &Path) {
    let file = |files: &[(String, Vec<u8>)], wanted: &str| {
        files.iter().find(|(name, _)| name == wanted).map(|(_, content)| content.clone())
    };
    let size = SoundSize { num_samples: 1 << 37, sample_rate: 16000.0, num_channels: 2 };
    let sizes: HashMap<_, _> = directory.recordings.iter().map(|it| (it.key.clone(), size)).collect();
    let tables = DirectoryTables::read(&folder.join("data")).expect("its tables are as they were written");
    for (format, manifest) in [
        (ExportFormat::Nemo, Manifest::Nemo),
        (ExportFormat::Wenet, Manifest::Wenet),
        (ExportFormat::Csv, Manifest::Csv),
        (ExportFormat::Lhotse, Manifest::Lhotse),
    ] {
        let is_wenet = manifest == Manifest::Wenet;
        if is_wenet && file(files, "text").is_none() {
            continue;
        }
        let again = folder.join("again");
        match directory.export(format, &tables, &sizes).expect("all sizes are known") {
            Exported::File(content) => fill(&again, &[("m", &content)]),
            Exported::Folder(contents) => {
                fill(&again, &contents.each_ref().map(|(name, content)| (*name, &content[..])))
            }
        }
        let path = if manifest == Manifest::Lhotse { again } else { again.join("m") };
        // The other manifests name recordings by their files, of which several may have the same name.
        let may_fail = file(files, "segments").is_some() && manifest != Manifest::Lhotse;
        let Some(corpus) = named(Some(manifest), &path) else {
            assert!(may_fail, "{manifest:?} does not lead back");
            continue;
        };
        let back = contents(&corpus);
        assert_eq!(file(&back, "text"), file(files, "text"), "{manifest:?}");
        if !is_wenet {
            assert_eq!(file(&back, "utt2spk"), file(files, "utt2spk"), "{manifest:?}");
        }
    }
}

/// Makes a folder of these files and nothing else.
fn fill(folder: &Path, files: &[(&str, &[u8])]) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).expect("a folder can be made");
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("a file can be written");
    }
}

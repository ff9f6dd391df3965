//! Shards that are cut and damaged, large and small.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use bstr::BString;

use crate::shard::{
    Error, FaultKind, FieldPath, Grouping, Members, Packed, ShardChecks, ShardName, ShardWriter, TarSample, TarSamples,
    Wanted, member_header,
};

/// A tar file, each member written by hand: headers of the exact writer, contents, zeros.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (path, content) in members {
        bytes.extend(member_header((*path).into(), content.len() as u64));
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(512), 0);
    }
    bytes.resize((bytes.len() + 1024).next_multiple_of(10240), 0);
    bytes
}

fn two_samples() -> Vec<u8> {
    tar(&[("a.txt", b"one"), ("a.wav", &[7; 600]), ("\u{e4}.txt", b"two"), ("\u{e4}.wav", &[8; 1024])])
}

struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn name(&self, suffix: &str) -> BString {
        self.folder.path().join(suffix).to_str().unwrap().into()
    }

    /// The samples of a file or of a pipe as far as they can be read, and what is wrong.
    fn samples(&self, bytes: &[u8], is_pipe: bool) -> (Vec<TarSample<Vec<u8>>>, Option<Error>) {
        let name = self.name("a.tar");
        std::fs::write(name.to_string(), bytes).unwrap();
        let name = if is_pipe { BString::from(format!("cat {name} |")) } else { name };
        let mut all = Vec::new();
        let mut run = || -> crate::shard::Result<()> {
            let mut samples = TarSamples::new(Members::open(name.as_ref(), Wanted::Contents)?, Grouping::Wenet);
            while let Some(sample) = samples.next_sample(|_, _, payload| payload.read()).transpose() {
                all.push(sample.inspect_err(|_| {
                    let after = samples.next_sample(|_, _, _| Ok(()));
                    assert!(after.unwrap().is_none(), "an end stays an end");
                })?);
            }
            samples.finish()
        };
        let error = run().err();
        (all, error)
    }

    fn faults(&self, bytes: &[u8]) -> Vec<FaultKind> {
        let name = self.name("b.tar");
        std::fs::write(name.to_string(), bytes).unwrap();
        let fields = vec![FieldPath::new("wav"), FieldPath::new("txt")];
        let checks = ShardChecks { grouping: Grouping::Wenet, both: true, fields, quick: true, members: false };
        checks.run(ShardName::new(name, Wanted::Headers)).faults.into_iter().map(|fault| fault.kind).collect()
    }
}

#[test]
fn members_of_a_key_are_a_sample() {
    let (samples, error) = Scratch::new().samples(&two_samples(), false);
    assert!(error.is_none(), "{error:?}");
    assert!(Scratch::new().samples(&two_samples(), true).0 == samples);
    let shown: Vec<_> = samples
        .iter()
        .flat_map(|sample| sample.fields.iter().map(move |field| (sample, field)))
        .map(|(sample, field)| (sample.key.to_string(), field.name.to_string(), field.member.offset, field.value.len()))
        .collect();
    let expected =
        [("a", "txt", 512, 3), ("a", "wav", 1536, 600), ("\u{e4}", "txt", 4096, 3), ("\u{e4}", "wav", 6144, 1024)];
    assert_eq!(shown, expected.map(|(key, name, offset, size)| (key.to_owned(), name.to_owned(), offset, size)));
}

#[test]
fn a_shard_that_is_cut_anywhere_is_an_error() {
    let file = Scratch::new();
    let whole = two_samples();
    // The end mark starts here; the zeros after it may be missing.
    let end = 7168;
    let at_blocks = (0..end + 1024).filter(|cut| cut % 512 <= 1 || cut % 512 == 511 || cut % 29 == 0);
    for cut in at_blocks {
        let (samples, error) = file.samples(&whole[..cut], cut % 5 == 0);
        let Some(Error::Fault(fault)) = error else { panic!("{cut}: {error:?}") };
        assert_eq!(fault.kind, FaultKind::Truncated, "{cut}");
        assert!(fault.offset <= cut as u64 && samples.len() <= 2, "{cut}: {fault}");
        assert!(file.faults(&whole[..cut]).contains(&FaultKind::Truncated), "{cut}");
    }
    assert!(file.samples(&whole[..end + 1024], false).1.is_none());
    assert_eq!(file.faults(&whole[..end + 1024]), [FaultKind::BadSound, FaultKind::BadSound]);
}

#[test]
fn a_changed_byte_of_a_header_is_an_error_or_means_nothing() {
    let file = Scratch::new();
    let whole = two_samples();
    let expected = file.samples(&whole, false).0;
    let headers = (0..512).chain(1024..1536).chain(2560..3072);
    for at in headers {
        for change in [1, 0x30, 0xff] {
            let mut damaged = whole.clone();
            damaged[at] ^= change;
            match file.samples(&damaged, false) {
                (_, Some(Error::Fault(_))) => assert!(!file.faults(&damaged).is_empty()),
                (samples, None) => assert!(samples == expected, "{at}"),
                (_, error) => panic!("{at}: {error:?}"),
            }
        }
    }
}

#[test]
fn samples_that_do_not_hang_together_are_errors() {
    let file = Scratch::new();
    let t = |members: &[(&str, &[u8])], kind: FaultKind, num_samples: usize| {
        let bytes = tar(members);
        let (samples, error) = file.samples(&bytes, false);
        let Some(Error::Fault(fault)) = error else { panic!("{members:?}: {error:?}") };
        assert_eq!((fault.kind, samples.len()), (kind, num_samples));
        assert!(file.faults(&bytes).contains(&kind), "{members:?}");
    };
    t(&[("a.txt", b"x"), ("b.txt", b"x"), ("a.wav", b"x"), ("b.wav", b"x")], FaultKind::Interleaved, 1);
    t(&[("a.txt", b"x"), ("b.txt", b"x"), ("a.txt", b"x")], FaultKind::DuplicateKey, 1);
    t(&[("a.txt", b"x"), ("a.txt", b"x")], FaultKind::DuplicateField, 0);
    t(&[("a.txt", b"x"), ("README", b"x")], FaultKind::NoSuffix, 0);
}

#[test]
fn other_members_than_files_are_passed_over() {
    let file = Scratch::new();
    let mut folder = member_header("a/".into(), 0);
    folder[156] = b'5';
    let sum: u32 = folder[..148].iter().chain(b"        ").chain(&folder[156..]).map(|&byte| u32::from(byte)).sum();
    folder[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let bytes = [folder, tar(&[("a/b.wav", b"RIFF"), ("a/b.txt", b"x")])].concat();
    let (samples, error) = file.samples(&bytes, false);
    assert!(error.is_none() && samples.len() == 1 && samples[0].key == "a/b");
    assert_eq!(file.faults(&bytes), [FaultKind::NotAFile, FaultKind::BadSound]);
}

#[test]
fn data_behind_the_end_mark_is_found() {
    let file = Scratch::new();
    let mut bytes = tar(&[]);
    assert_eq!(file.faults(&bytes), []);
    bytes[5000] = 1;
    assert_eq!(file.faults(&bytes), [FaultKind::TrailingData]);
    assert!(file.samples(&bytes, true).1.is_none());
}

/// 8 GB of nothing: only the headers are read.
#[test]
fn a_member_may_be_larger_than_octal_digits_can_say() {
    let file = Scratch::new();
    let name = file.name("large.tar");
    let size = (1 << 33) + 5;
    let write = || -> std::io::Result<()> {
        let mut out = File::create(Path::new(&name.to_string()))?;
        out.write_all(&member_header("a.wav".into(), size))?;
        out.seek(SeekFrom::Current(size as i64 + 507))?;
        out.write_all(&tar(&[("a.txt", b"x")]))
    };
    write().unwrap();
    let mut samples = TarSamples::new(Members::open(name.as_ref(), Wanted::Headers).unwrap(), Grouping::Wenet);
    let sample = samples.next_sample(|_, _, _| Ok(())).unwrap().unwrap();
    let places: Vec<_> = sample.fields.iter().map(|field| (field.member.offset, field.member.size)).collect();
    assert_eq!(places, [(1536, size), (1536 + size + 507 + 512, 1)]);
    assert!(samples.next_sample(|_, _, _| Ok(())).unwrap().is_none());
}

#[test]
fn a_shard_may_have_any_number_of_samples() {
    let file = Scratch::new();
    for (gzip, counts) in [(false, [0, 1, 100_000]), (true, [0, 1, 1000])] {
        for count in counts {
            let name = file.name(if gzip { "many.tar.gz" } else { "many.tar" });
            let mut shard = ShardWriter::create(name.as_ref(), gzip).unwrap();
            for number in 0..count {
                let mut sample = Packed::new(format!("utt{number}"));
                let text = number.to_string().into_bytes();
                sample.add(format!("utt{number}.txt").as_str().into(), text);
                let sample = if gzip { sample.compress().unwrap() } else { sample };
                shard.put(&sample).unwrap();
            }
            shard.finish().unwrap();
            let mut samples = TarSamples::new(Members::open(name.as_ref(), Wanted::Contents).unwrap(), Grouping::Wenet);
            let mut number = 0;
            while let Some(sample) = samples.next_sample(|_, _, payload| payload.read()).unwrap() {
                assert_eq!(sample.key, format!("utt{number}"));
                assert_eq!(sample.fields[0].value, number.to_string().as_bytes());
                number += 1;
            }
            assert_eq!(number, count);
        }
    }
}

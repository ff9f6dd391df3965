//! Sound of every kind wherever a WAV file stands.

use std::path::PathBuf;

use crate::support::Scratch;
use crate::support::wave::wave;

fn file(name: &str) -> PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/bytes/sound-files/tests/files").join(name)
}

/// A folder with the files of these names, and a script file of them. Their names do not say what they are.
fn corpus(names: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    let mut script = String::new();
    for name in names {
        let key = name.replace('.', "-");
        scratch.write(&key, std::fs::read(file(name)).unwrap());
        script.push_str(&format!("{key} {key}\n"));
    }
    scratch.write("wav.scp", script);
    scratch
}

const LOSSLESS: [&str; 10] = [
    "alac.caf",
    "alac.m4a",
    "flac.ogg",
    "pcm.aiff",
    "flac.mka",
    "flac.mp4",
    "float.aifc",
    "linear.au",
    "linear.sph",
    "pcm.mov",
];

#[test]
fn a_name_of_any_sound_stands_where_a_wave_file_stands() {
    let scratch = corpus(&LOSSLESS);
    for (index, name) in LOSSLESS.iter().enumerate() {
        let key = name.replace('.', "-");
        let expected = std::fs::read(file(if index < 4 { "stereo.wav" } else { "mono.wav" })).unwrap();
        scratch.sh(&format!("wav-copy {key} -")).succeeds().stdout_is(&expected);
        scratch.sh(&format!("wav-copy - - < {key}")).succeeds().stdout_is(&expected);
        scratch.sh(&format!("wav-copy 'cat {key} |' -")).succeeds().stdout_is(&expected);
        scratch.sh(&format!("wav-copy 'scp:echo u {key} |' ark:- | tail -c +3")).succeeds().stdout_is(&expected);
    }
    scratch.sh("sed 's/ / cat /; s/$/ |/' wav.scp > pipes.scp").succeeds();
    scratch.sh("wav-copy scp:wav.scp ark:a.ark && wav-copy scp:pipes.scp ark:b.ark && cmp a.ark b.ark").succeeds();
    // An archive of one sound ends with it.
    scratch.sh("(printf 'u '; cat alac-caf) > u.ark; wav-copy ark:u.ark ark:- | tail -c +3 > u.wav").succeeds();
    assert_eq!(scratch.read("u.wav"), std::fs::read(file("stereo.wav")).unwrap());
}

#[test]
fn durations_are_those_of_the_samples() {
    let names = [
        "noted.mp3",
        "untagged.mp3",
        "adts.aac",
        "vorbis.ogg",
        "speech.opus",
        "aac.m4a",
        "opus.webm",
        "aac.mka",
        "law.sph",
    ];
    let scratch = corpus(&names);
    for tool in ["wav-to-duration", "wav-to-duration --read-entire-file"] {
        scratch.sh(&format!("{tool} scp:wav.scp ark,t:-")).succeeds().stdout_is(
            "noted-mp3 0.1000625 \nuntagged-mp3 0.18 \nadts-aac 0.06965987 \nvorbis-ogg 0.1000625 \nspeech-opus 0.1000625 \n\
             aac-m4a 0.101 \nopus-webm 0.1000625 \naac-mka 0.192 \nlaw-sph 0.1000625 \n",
        );
    }
}

#[test]
fn features_and_segments_are_those_of_the_decoded_sound() {
    let scratch = corpus(&["flac.mka", "vorbis.ogg"]);
    let options = "--dither=0 --config=/dev/null";
    scratch.sh("wav-copy scp:wav.scp ark,scp:w.ark,w.scp").succeeds();
    for tool in ["compute-fbank-feats", "compute-mfcc-feats"] {
        scratch
            .sh(&format!(
                "{tool} {options} scp:wav.scp ark:a.ark && {tool} {options} scp:w.scp ark:b.ark && cmp a.ark b.ark"
            ))
            .succeeds();
    }
    scratch.write("segments", "s1 vorbis-ogg 0.01 0.05\ns2 vorbis-ogg 0.05 0.1\ns3 flac-mka 0.02 0.09\n");
    for list in ["wav.scp", "w.scp"] {
        scratch
            .sh(&format!("extract-segments --min-segment-length=0.01 scp:{list} segments ark:{list}.segs"))
            .succeeds();
    }
    assert_eq!(scratch.read("wav.scp.segs"), scratch.read("w.scp.segs"));
    let segments = scratch.sh("wav-to-duration ark:wav.scp.segs ark,t:-").succeeds();
    segments.stdout_is("s1 0.04 \ns2 0.05 \ns3 0.07 \n");
}

#[test]
fn opus_has_48000_hz() {
    let scratch = corpus(&["speech.opus"]);
    let tool = "compute-mfcc-feats --dither=0";
    let ran = scratch.sh(&format!("{tool} scp:wav.scp ark:-"));
    ran.stderr_has("48000").stderr_has("--allow-downsample");
    scratch.sh(&format!("{tool} --allow-downsample=true scp:wav.scp ark:- | feat-to-len ark:- ark,t:-")).succeeds();
    scratch
        .sh("resample-wav --resample-rate=16000 scp:wav.scp ark:o.ark && wav-to-duration ark:o.ark ark,t:-")
        .succeeds();
}

#[test]
fn damage_has_its_place() {
    let scratch = corpus(&["vorbis.ogg", "linear.au"]);
    let mut bytes = scratch.read("vorbis-ogg");
    let page = bytes.windows(4).rposition(|word| word == b"OggS").unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    scratch.write("vorbis-ogg", &bytes);
    let place = format!("vorbis-ogg:{page}: expected a page of Ogg with the checksum ");
    scratch.sh("wav-copy vorbis-ogg o.wav").fails_with(255).stderr_has(&place);
    scratch.sh("wav-copy scp:wav.scp ark:o.ark").fails_with(255).stderr_has(&format!("vorbis-ogg: {place}"));
    assert!(!scratch.list().iter().any(|name| name.starts_with("o.")));
    scratch.sh("wav-copy scp,p:wav.scp ark,scp:o.ark,o.scp").succeeds();
    assert!(scratch.read("o.scp").starts_with(b"linear-au "));
    // What is there of a file that was cut counts.
    let cut = &scratch.read("linear-au")[..1000];
    scratch
        .write("cut", cut)
        .sh("wav-copy cut - | wc -c")
        .succeeds()
        .stdout_is("1012\n")
        .stderr_has("cut:1000: Truncated file?");
}

/// In its default mode, which reads headers: it believed them.
#[test]
fn a_cut_file_of_any_kind_has_the_duration_of_what_is_there() {
    let names = [
        "float.aifc",
        "law.au",
        "pcm.caf",
        "linear.sph",
        "noted.mp3",
        "flac.mp4",
        "vorbis.ogg",
        "flac.mka",
        "fragments.mp4",
        "alac.m4a",
    ];
    let scratch = corpus(&names);
    for name in names {
        let key = name.replace('.', "-");
        let whole = scratch.read(&key);
        for part in [5, 6, 7] {
            scratch.write("cut", &whole[..whole.len() * part / 8]);
            let all = scratch.sh("wav-to-duration --read-entire-file 'scp:echo u cut |' ark,t:-");
            let head = scratch.sh("wav-to-duration 'scp:echo u cut |' ark,t:-");
            if String::from_utf8_lossy(all.stderr()).contains("ERROR") {
                head.fails_with(255);
                continue;
            }
            head.succeeds().stdout_is(all.stdout()).stderr_has("WARNING").stderr_has("u: cut:");
        }
    }
    // FLAC of several frames.
    let samples: Vec<i16> = (0..20_000).map(|at| (at * 7919 % 4001 - 2000) as i16).collect();
    scratch.write("w.wav", wave(16000, &[&samples]));
    scratch.sh("wav-copy --format=flac w.wav w.flac && head -c -5000 w.flac > cut").succeeds();
    let all = scratch.sh("wav-to-duration --read-entire-file 'scp:echo u cut |' ark,t:-").succeeds();
    let head = scratch.sh("wav-to-duration 'scp:echo u cut |' ark,t:-").succeeds();
    head.stdout_is(all.stdout()).stderr_has("Truncated file? Expected 20000 samples, got ");
    scratch
        .sh("wav-to-duration 'scp:echo u w.flac |' ark,t:-")
        .succeeds()
        .stdout_is("u 1.25 \n")
        .stderr_lacks("WARNING");
    // Ogg that ends in its first page of sound.
    scratch.sh("head -c -100 vorbis-ogg > cut").succeeds();
    scratch.sh("wav-to-duration 'scp:echo u cut |' ark,t:-").fails_with(255).stderr_has("this Ogg file ends after ");
}

#[test]
fn what_ends_too_early_is_called_by_its_name() {
    let scratch = corpus(&["noted.mp3", "speech.opus", "adts.aac", "aac.m4a", "stereo.wav"]);
    scratch.sh("wav-copy --format=flac noted-mp3 w-flac").succeeds();
    for (key, length, what) in [
        ("noted-mp3", 50, "MP3 file ends after 50 bytes"),
        ("speech-opus", 1, "Ogg file ends after 1 byte"),
        ("speech-opus", 60, "Ogg file ends after 60 bytes"),
        ("adts-aac", 9, "AAC file ends after 9 bytes"),
        ("aac-m4a", 7, "MP4 file ends after 7 bytes"),
        ("aac-m4a", 40, "MP4 file ends after 40 bytes"),
        ("stereo-wav", 3, "WAV file ends after 3 bytes"),
        ("stereo-wav", 30, "WAV file ends after 30 bytes"),
        ("w-flac", 3, "FLAC file ends after 3 bytes"),
        ("w-flac", 60, "FLAC file ends after 60 bytes"),
    ] {
        scratch.write("cut", &scratch.read(key)[..length]);
        for (command, end) in [
            ("wav-copy cut -", ""),
            ("wav-to-duration 'scp:echo u cut |' ark,t:-", "; scp,p: leaves out what cannot be read"),
        ] {
            let ran = scratch.sh(command).fails_with(255);
            ran.stderr_has(&format!(": this {what}{end}\n")).stderr_lacks("these are words").stderr_lacks("reads it");
        }
    }
}

#[test]
fn shards_hold_no_sound_that_is_cut() {
    let scratch = corpus(&["flac.mka", "pcm.aiff"]);
    let (mka, aiff) = (scratch.read("flac-mka"), scratch.read("pcm-aiff"));
    scratch.write("text", "flac-mka GO\npcm-aiff GO\n");
    scratch.sh("make-shard-list --audio=copy wav.scp text w w.list && check-shards w.list").succeeds();
    scratch.write("flac-mka", &mka[..mka.len() * 3 / 4]).write("pcm-aiff", &aiff[..aiff.len() / 2]);
    let ran = scratch.sh("make-shard-list wav.scp text s s.list").fails_with(1);
    ran.stderr_has("flac-mka: Truncated file? Expected 1601 samples")
        .stderr_has("pcm-aiff: Truncated file? Expected 2001 samples");
    scratch.sh("make-shard-list --audio=copy wav.scp text c c.list").succeeds();
    let ran = scratch.sh("check-shards c.list").fails_with(1);
    ran.stdout_has("Truncated file? Expected 1601 samples").stdout_has("Truncated file? Expected 2001 samples");
}

#[test]
fn shards_hold_sound_of_any_kind() {
    let scratch = corpus(&LOSSLESS);
    scratch.sh("cut -d' ' -f1 wav.scp | sed 's/$/ GO/' > text").succeeds();
    scratch
        .sh("grep 'mono\\|au\\|sph\\|mka' wav.scp > some.scp; cut -d' ' -f1 some.scp | sed 's/$/ GO/' > some")
        .succeeds();
    scratch.sh("make-shard-list --resample=16000 some.scp some s s.list && tar -xf $(cat s.list)").succeeds();
    for key in ["flac-mka", "linear-au", "linear-sph"] {
        assert_eq!(scratch.read(&format!("{key}.wav")), std::fs::read(file("mono.wav")).unwrap(), "{key}");
    }
    scratch.sh("make-shard-list --audio=copy wav.scp text c c.list && list-shards c.list").succeeds();
    scratch.sh("check-shards c.list").succeeds();
    let listed = scratch.sh("list-shards c.list");
    let text = String::from_utf8(listed.stdout().to_vec()).unwrap();
    for suffix in ["caf", "m4a", "ogg", "aiff", "mka", "au", "sph"] {
        assert!(text.contains(suffix), "{text}");
    }
    scratch.sh("shards-to-scp c.list c.scp").succeeds();
    scratch.sh("wav-copy scp:c.scp ark:c.ark && wav-copy scp:wav.scp ark:w.ark && cmp c.ark w.ark").succeeds();
}

#[test]
fn flac_is_written_to_files() {
    let scratch = corpus(&["alac.m4a", "linear.au"]);
    scratch.sh("wav-copy --format=flac alac-m4a a.flac && wav-copy a.flac -").succeeds();
    scratch.sh("wav-copy a.flac - | head -c 4").succeeds().stdout_is("RIFF");
    scratch.sh("head -c 4 a.flac").succeeds().stdout_is("fLaC");
    scratch.sh("wav-copy a.flac a.wav").succeeds();
    assert_eq!(scratch.read("a.wav"), std::fs::read(file("stereo.wav")).unwrap());
    scratch.write("out.scp", "alac-m4a x.flac\nlinear-au y.flac\n");
    scratch.sh("wav-copy --format=flac scp:wav.scp scp:out.scp && wav-copy scp:out.scp ark:a.ark").succeeds();
    scratch.sh("wav-copy scp:wav.scp ark:b.ark; cmp a.ark b.ark").succeeds();
    for target in ["ark:o.ark", "ark,scp:o.ark,o.scp"] {
        let ran = scratch.sh(&format!("wav-copy --format=flac scp:wav.scp {target}")).fails_with(255);
        ran.stderr_has("expected a file or scp: with --format=flac, got an archive");
    }
    scratch.sh("wav-copy --format=mp3 a.flac b").fails_with(255);
    assert!(!scratch.list().iter().any(|name| name == "b" || name.starts_with("o.")));
}

//! Sound that FFmpeg, SoX, LAME, opus-tools and vorbis-tools write, decoded by us and by them, sample by sample.

use std::process::Command;

use crate::support::Scratch;
use crate::support::wave::{samples, wave};

/// A trial on programs of this machine.
type Trials = [(&'static str, fn())];

pub const TRIALS: &Trials = &[
    ("what_ffmpeg_decodes_is_what_we_decode", compares_with_ffmpeg),
    ("opus_is_what_libopus_decodes", compares_with_opusdec),
    ("durations_are_those_of_the_samples", compares_durations),
    ("what_we_write_as_flac_others_read", writes_flac),
];

/// Whether the programs are here.
///
/// # Errors
/// Which one is missing.
pub fn find() -> Result<(), String> {
    for (program, package) in
        [("ffmpeg", "ffmpeg"), ("sox", "sox"), ("lame", "lame"), ("opusdec", "opus-tools"), ("oggenc", "vorbis-tools")]
    {
        let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
        if !found.is_ok_and(|output| output.status.success()) {
            return Err(format!("since there is no {program} (package {package})"));
        }
    }
    Ok(())
}

/// How files are made of `b.wav`, and how many samples at the end may be ours or theirs alone, since FFmpeg keeps the padding of
/// MP4 and knows edits to a millisecond.
const FILES: [(&str, &str, usize); 29] = [
    ("lame.mp3", "lame --quiet -V 4 b.wav lame.mp3", 0),
    // Of two channels at 32 kHz, which lame makes for 64 kbit, FFmpeg has other samples than mpg123 and this.
    ("cbr.mp3", "lame --quiet -b 128 b.wav cbr.mp3", 0),
    ("plain.mp3", "$F -c:a libmp3lame -write_xing 0 plain.mp3", 0),
    ("layer2.mp2", "$F -c:a mp2 layer2.mp2", 0),
    ("b.aac", "$F -c:a aac b.aac", 0),
    ("q.ogg", "oggenc -Q -q 5 -o q.ogg b.wav", 0),
    ("f.ogg", "$F -c:a libvorbis f.ogg", 0),
    ("flac.ogg", "$F -c:a flac flac.ogg", 0),
    ("b.m4a", "$F -c:a aac b.m4a", 1100),
    ("fast.m4a", "$F -c:a aac -movflags +faststart fast.m4a", 1100),
    ("parts.mp4", "$F -c:a aac -movflags frag_keyframe+empty_moov -frag_duration 300000 parts.mp4", 0),
    ("alac.m4a", "$F -c:a alac alac.m4a", 0),
    ("flac.mp4", "$F -c:a flac -strict -2 flac.mp4", 0),
    ("mp3.mp4", "$F -c:a libmp3lame mp3.mp4", 1300),
    ("pcm.mov", "$F -c:a pcm_s24be pcm.mov", 0),
    ("alac.caf", "$F -c:a alac alac.caf", 0),
    ("law.caf", "$F -c:a pcm_mulaw law.caf", 0),
    ("b.aiff", "$F b.aiff", 0),
    ("f.aiff", "$F -c:a pcm_f32be f.aiff", 0),
    ("b.aifc", "sox b.wav b.aifc", 0),
    ("b.au", "$F -c:a pcm_alaw b.au", 0),
    ("s24.au", "sox b.wav -b 24 s24.au", 0),
    ("b.sph", "sox b.wav b.sph", 0),
    ("u.sph", "sox b.wav -e mu-law u.sph", 0),
    ("vorbis.webm", "$F -c:a libvorbis vorbis.webm", 0),
    ("aac.mka", "$F -c:a aac aac.mka", 0),
    ("flac.mka", "$F -c:a flac flac.mka", 0),
    ("mp3.mka", "$F -c:a libmp3lame mp3.mka", 0),
    ("pcm.mka", "$F -c:a pcm_s16le pcm.mka", 0),
];

/// A recording of two tones and noise.
fn recording(rate: u32, length: usize, num_channels: usize) -> Vec<u8> {
    let mut random: u32 = 1;
    let mut channel = |step: f64| -> Vec<i16> {
        let mut sample = |at: usize| {
            random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let time = at as f64 / f64::from(rate);
            let swell = 0.5 + 0.5 * (time * 8.0).sin();
            let noise = f64::from(random >> 16) / 32768.0 - 1.0;
            (9000.0 * swell * ((time * step).sin() + 0.3 * (time * 3.1 * step).sin()) + 200.0 * noise) as i16
        };
        (0..length).map(&mut sample).collect()
    };
    let channels: Vec<Vec<i16>> = (0..num_channels).map(|index| channel(1500.0 + 700.0 * index as f64)).collect();
    let channels: Vec<&[i16]> = channels.iter().map(Vec::as_slice).collect();
    wave(rate, &channels)
}

/// A folder with a recording and all files of it.
fn folder(rate: u32, length: usize, num_channels: usize) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("b.wav", recording(rate, length, num_channels));
    let mut script = String::new();
    for (name, command, _) in FILES {
        let command = command.replace("$F", "ffmpeg -v error -y -i b.wav");
        scratch.sh(&command).succeeds();
        script.push_str(&format!("{} {name}\n", name.replace('.', "-")));
    }
    scratch.write("wav.scp", script);
    scratch
}

#[track_caller]
fn are_close(name: &str, ours: &[i16], theirs: &[i16], least: usize, most: i32) {
    let count = ours.len().min(theirs.len());
    assert!(ours.len().abs_diff(theirs.len()) <= least, "{name}: {} and {}", ours.len(), theirs.len());
    for (place, (&ours, &theirs)) in ours[..count].iter().zip(&theirs[..count]).enumerate() {
        let difference = i32::from(ours).abs_diff(theirs.into());
        assert!(difference <= most as u32, "{name}, sample {place}: {ours}, {theirs}");
    }
}

fn compares_with_ffmpeg() {
    for (rate, length, num_channels) in [(16_000, 40_001, 1), (44_100, 66_151, 2)] {
        let scratch = folder(rate, length, num_channels);
        for (name, _, least) in FILES {
            scratch.sh(&format!("wav-copy {name} ours.wav")).succeeds();
            scratch.sh(&format!("ffmpeg -v error -y -i {name} -c:a pcm_s16le -bitexact theirs.wav")).succeeds();
            let (ours, theirs) = (samples(&scratch.read("ours.wav")), scratch.read("theirs.wav"));
            are_close(name, &ours, &samples(&theirs), least * num_channels, 2);
        }
    }
}

fn compares_with_opusdec() {
    for (rate, length, num_channels, options) in
        [(16_000, 40_001, 1, "--bitrate 16"), (44_100, 66_151, 2, "--bitrate 32"), (48_000, 60_001, 2, "--bitrate 128")]
    {
        let scratch = Scratch::new();
        scratch.write("b.wav", recording(rate, length, num_channels));
        scratch.sh(&format!("opusenc --quiet {options} b.wav b.opus && wav-copy b.opus ours.wav")).succeeds();
        scratch.sh("opusdec --quiet --force-wav --rate 48000 --no-dither b.opus theirs.wav").succeeds();
        let (ours, theirs) = (samples(&scratch.read("ours.wav")), samples(&scratch.read("theirs.wav")));
        are_close(options, &ours, &theirs, 0, 1);
        scratch.sh("ffmpeg -v error -y -i b.opus -c:a copy b.webm && wav-copy b.webm other.wav").succeeds();
        let other = samples(&scratch.read("other.wav"));
        are_close("b.webm", &other, &theirs, 1000 * num_channels, 1);
    }
}

fn compares_durations() {
    let scratch = folder(44_100, 66_151, 2);
    scratch
        .sh("wav-to-duration scp:wav.scp ark,t:heads && wav-to-duration --read-entire-file scp:wav.scp ark,t:all")
        .succeeds();
    assert_eq!(scratch.read("heads"), scratch.read("all"));
}

fn writes_flac() {
    for (rate, length, num_channels) in [(16_000, 40_001, 1), (44_100, 66_151, 2)] {
        let scratch = folder(rate, length, num_channels);
        scratch.sh("wav-copy --format=flac b.wav b.flac && ffmpeg -v error -y -i b.flac -bitexact back.wav").succeeds();
        assert_eq!(samples(&scratch.read("back.wav")), samples(&scratch.read("b.wav")));
        let sizes = ["b.flac", "b.wav"].map(|name| scratch.read(name).len());
        assert!(sizes[0] < sizes[1] * 9 / 10, "{sizes:?}");
    }
}

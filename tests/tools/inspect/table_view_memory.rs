//! How much memory values take that `table-view` shows: those that need more are an error, each for itself.

use serde_json::Value;

use crate::support::Scratch;
use crate::support::viewer::{Viewer, data};

/// The peak of the memory of a viewer in MB.
fn peak(viewer: &Viewer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", viewer.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1000
}

/// The numbers of all tracks of a key besides the sound, with the error that each shows.
fn tracks(viewer: &Viewer, key: &str) -> Vec<(u64, Option<String>)> {
    let utterance = viewer.json(&format!("api/utterance?key={key}"));
    let is_own = |track: &&Value| track["name"].as_str().is_some_and(|name| name.starts_with("x.ark"));
    let tracks = utterance["tracks"].as_array().unwrap().iter().filter(is_own);
    tracks.map(|track| (track["track"].as_u64().unwrap(), track["error"].as_str().map(ToOwned::to_owned))).collect()
}

fn no_track_is_shown(viewer: &Viewer, key: &str, kind: &str) {
    let found = tracks(viewer, key);
    assert!(!found.is_empty(), "{kind}");
    for (track, error) in found {
        assert!(error.as_ref().is_some_and(|error| error.contains("memory")), "{kind}: {error:?}");
        for path in ["tile", "labels"] {
            let reply = viewer.get(&format!("api/{path}?key={key}&track={track}"));
            assert_eq!(reply.status, 422, "{kind} {path}: {reply:?}");
        }
    }
}

/// A matrix of zeros.
fn zeros(rows: u32, cols: u32) -> Vec<u8> {
    let head = [b"\0BFM \x04".as_slice(), &rows.to_le_bytes(), b"\x04", &cols.to_le_bytes()].concat();
    [head, vec![0; 4 * (rows * cols) as usize]].concat()
}

#[test]
fn a_value_that_needs_more_memory_is_an_error_for_itself() {
    let scratch = data();
    let lattice = |words: usize| -> String {
        let arcs: String = (0..words).map(|state| format!("{state} {} 5 1,2,1\n", state + 1)).collect();
        arcs + &format!("{words}\n\n")
    };
    let rows = "0.125 1 2 3 4 5 6 7 8 9\n".repeat(250_000);
    let posteriors = "[ 1 1 ] ".repeat(750_000);
    let archive = |large: Vec<u8>, small: &[u8]| [b"utt1 ".as_slice(), &large, b"utt2 ", small].concat();
    for (kind, bytes) in [
        // Words are found among all paths: that takes states times words.
        ("lattice", archive([b"\n", lattice(20_000).as_bytes()].concat(), format!("\n{}", lattice(3)).as_bytes())),
        (
            "longer lattice",
            archive([b"\n", lattice(60_000).as_bytes()].concat(), format!("\n{}", lattice(3)).as_bytes()),
        ),
        ("features", archive(zeros(30_000, 100), &zeros(2, 100))),
        ("features in text", archive(format!(" [\n{rows}]\n").into_bytes(), b" [\n 1 2\n 3 4 ]\n")),
        ("posteriors", archive(format!("{posteriors}\n").into_bytes(), b"[ 1 1 ] \n")),
    ] {
        for name in ["x.ark", "x.ark.gz"] {
            scratch.write("x.ark", &bytes);
            scratch.sh("gzip -1 -k -f x.ark").succeeds();
            let viewer = Viewer::start(&scratch, &["--memory=16", "data", &format!("ark:{name}")]);
            no_track_is_shown(&viewer, "utt1", &format!("{kind} in {name}"));
            let others = tracks(&viewer, "utt2");
            assert!(!others.is_empty() && others.iter().all(|(_, error)| error.is_none()), "{kind}: {others:?}");
            assert!(peak(&viewer) < 16 + 190, "{kind} in {name}: {} MB", peak(&viewer));
        }
    }
}

#[test]
fn a_value_is_shown_if_there_is_memory_for_it() {
    let scratch = data();
    scratch.write("x.ark", [b"utt1 ".as_slice(), &zeros(60_000, 100)].concat());
    let viewer = Viewer::start(&scratch, &["--memory=64", "data", "ark:x.ark"]);
    assert!(tracks(&viewer, "utt1").iter().all(|(_, error)| error.is_none()));
    assert!(peak(&viewer) < 64 + 190, "{} MB", peak(&viewer));
}

#[test]
fn a_filter_has_few_words_and_takes_little() {
    let scratch = Scratch::new();
    scratch.sh("mkdir d && seq -f 'utt%06.0f word' 130000 > d/text && sed 's/word/spk/' d/text > d/utt2spk").succeeds();
    let viewer = Viewer::start(&scratch, &["d"]);
    let words = |count: usize| (0..count).map(|word| format!("w{word}")).collect::<Vec<_>>().join("+");
    let reply = viewer.get(&format!("api/rows?filter={}", words(1000)));
    let message: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(reply.status, 400, "{message}");
    assert!(message.to_string().contains("expected at most 100 words and conditions, got more"), "{message}");
    assert!(viewer.keys(&format!("filter={}", words(100))).is_empty());
    let not = (0..98).map(|word| format!("-w{word}")).collect::<Vec<_>>().join("+");
    assert_eq!(viewer.keys(&format!("filter=word+utt1234+{not}")).len(), 100);
    assert!(peak(&viewer) < 150, "{} MB", peak(&viewer));
}

//! Texts inside of JSON in shards.

use super::corpus::{corpus, fed};
use crate::support::tar::tar;

/// Text in an entry of a member in JSON.
#[test]
fn text_may_be_inside_of_json() {
    let scratch = corpus();
    let mut members = Vec::new();
    for line in String::from_utf8(scratch.read("text")).unwrap().lines() {
        let (key, words) = line.split_once(' ').unwrap();
        members
            .push((format!("{key}.json"), format!("{{\"info\": {{\"words\": \"{words}\"}}, \"n\": 1}}").into_bytes()));
        members.push((format!("{key}.wav"), scratch.read(&format!("wav/{key}.wav"))));
    }
    let members: Vec<_> = members.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    scratch.write("json.tar", tar(&members));
    let shard = "--conf=plain.yaml --symbols=units.txt --data-type=shard";
    assert!(
        fed(&scratch, "--conf=plain.yaml --symbols=units.txt data.list")
            == fed(&scratch, &format!("{shard} --text-field=json.info.words json.tar"))
    );
    // A bad sample each.
    for (field, message) in [
        ("json.text", "u00: json.tar: expected an entry \"text\" for json.text, got \"info\", \"n\""),
        ("json.info", "u00: json.tar: expected text as json.info, got an object"),
        ("lab", "expected a text, got none"),
    ] {
        scratch
            .sh(&format!("feed-batches {shard} --text-field={field} --on-error=fail json.tar -"))
            .fails_with(255)
            .stderr_has(message);
    }
    scratch
        .sh("feed-batches --conf=plain.yaml --symbols=units.txt --text-field=json.x data.list -")
        .fails_with(255)
        .stderr_has("expected --text-field with --data-type=shard or --data-type=shar only");
}

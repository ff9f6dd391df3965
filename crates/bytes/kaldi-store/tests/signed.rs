//! Stores that check the signature of every request, reading and writing: OSS and Azure; Google's checks a token.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::Mutex;

use crate::support::{Answer, Asked, Server, fail, noise, scratch, store, succeed};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use hmac::{Hmac, Mac};
use sha1::Sha1;
use sha2::Sha256;

/// The secret of both stores; Azure's are bytes in base 64.
const SECRET: &str = "S0VZS0VZS0VZ";

/// More than one part of an upload, which has 16 MB.
const LENGTH: usize = (16 << 20) + 12_345;

/// What a store keeps: objects, and parts that are no objects yet.
#[derive(Default)]
struct Kept {
    objects: BTreeMap<String, Vec<u8>>,
    parts: BTreeMap<String, Vec<u8>>,
}

fn query(asked: &Asked) -> Vec<(String, String)> {
    let query = asked.path.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut pairs: Vec<_> = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
    pairs.sort();
    pairs
}

/// Takes `%3D` and similar ones apart.
fn decoded(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut bytes = pieces.next().unwrap().as_bytes().to_vec();
    for piece in pieces {
        bytes.push(u8::from_str_radix(&piece[..2], 16).unwrap());
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

fn parameter(asked: &Asked, name: &str) -> Option<String> {
    query(asked).into_iter().find(|(other, _)| other == name).map(|(_, value)| value)
}

fn path(asked: &Asked) -> &str {
    asked.path.split('?').next().unwrap()
}

/// The headers that start so, as both stores sign them.
fn own_headers(asked: &Asked, prefix: &str) -> String {
    let own = asked.headers.iter().filter(|(name, _)| name.starts_with(prefix));
    own.map(|(name, value)| format!("{name}:{value}\n")).collect()
}

/// The authorization that Alibaba's documentation tells: "Include a V1 signature in the Authorization header".
fn oss_authorization(asked: &Asked) -> String {
    const SIGNED: [&str; 4] = ["partNumber", "uploadId", "uploads", "acl"];
    let signed = query(asked).into_iter().filter(|(name, _)| SIGNED.contains(&name.as_str()));
    let signed = signed.map(|(name, value)| if value.is_empty() { name } else { format!("{name}={value}") });
    let signed = signed.collect::<Vec<_>>().join("&");
    let mark = if signed.is_empty() { "" } else { "?" };
    let text = format!(
        "{}\n{}\n{}\n{}\n{}{}{mark}{signed}",
        asked.method,
        asked.header("content-md5"),
        asked.header("content-type"),
        asked.header("date"),
        own_headers(asked, "x-oss-"),
        path(asked),
    );
    let mut sum = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes()).unwrap();
    sum.update(text.as_bytes());
    format!("OSS AKID:{}", BASE64_STANDARD.encode(sum.finalize().into_bytes()))
}

/// The authorization that Microsoft's documentation tells: "Authorize with Shared Key".
fn azure_authorization(asked: &Asked) -> String {
    const HEADERS: [&str; 11] = [
        "content-encoding",
        "content-language",
        "content-length",
        "content-md5",
        "content-type",
        "date",
        "if-modified-since",
        "if-match",
        "if-none-match",
        "if-unmodified-since",
        "range",
    ];
    let mut text = format!("{}\n", asked.method);
    for name in HEADERS {
        let value = asked.header(name);
        // An empty body has no length there.
        text += if name == "content-length" && value == "0" { "" } else { value };
        text.push('\n');
    }
    text += &own_headers(asked, "x-ms-");
    text += &format!("/account{}", path(asked));
    text.extend(query(asked).iter().map(|(name, value)| format!("\n{name}:{value}")));
    let mut sum = Hmac::<Sha256>::new_from_slice(&BASE64_STANDARD.decode(SECRET).unwrap()).unwrap();
    sum.update(text.as_bytes());
    format!("SharedKey account:{}", BASE64_STANDARD.encode(sum.finalize().into_bytes()))
}

fn object(kept: &Kept, asked: &Asked) -> Answer {
    let Some(bytes) = kept.objects.get(path(asked)) else { return Answer::new(404) };
    Answer::object(asked, bytes, "\"1\"").with("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
}

/// What OSS and Google's store do with parts: answers of both are XML. Other requests are not answered here.
fn upload_in_parts(kept: &mut Kept, asked: &Asked) -> Option<Answer> {
    let xml = |body: &str| Answer { body: body.as_bytes().to_vec(), ..Answer::new(200) };
    let (upload, part) = (parameter(asked, "uploadId"), parameter(asked, "partNumber"));
    match (asked.method.as_str(), upload, part) {
        ("POST", None, None) if parameter(asked, "uploads").is_some() => {
            Some(xml("<InitiateMultipartUploadResult><UploadId>U1</UploadId></InitiateMultipartUploadResult>"))
        }
        ("PUT", Some(_), Some(number)) => {
            kept.parts.insert(format!("{number:0>5}"), asked.body.clone());
            Some(Answer::new(200).with("ETag", &format!("\"{number}\"")))
        }
        ("POST", Some(_), None) => {
            let parts = std::mem::take(&mut kept.parts);
            kept.objects.insert(decoded(path(asked)), parts.into_values().flatten().collect());
            Some(xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"))
        }
        ("DELETE", Some(_), None) => {
            kept.parts.clear();
            Some(Answer::new(204))
        }
        _ => None,
    }
}

fn oss(kept: &Mutex<Kept>, asked: &Asked) -> Answer {
    if asked.header("authorization") != oss_authorization(asked) {
        return Answer::new(403);
    }
    let kept = &mut *kept.lock().unwrap();
    if let Some(answer) = upload_in_parts(kept, asked) {
        return answer;
    }
    match asked.method.as_str() {
        "PUT" => {
            kept.objects.insert(path(asked).to_owned(), asked.body.clone());
            Answer::new(200).with("ETag", "\"1\"")
        }
        "DELETE" => {
            kept.objects.remove(path(asked));
            Answer::new(204)
        }
        _ => object(kept, asked),
    }
}

fn google(kept: &Mutex<Kept>, asked: &Asked) -> Answer {
    if asked.header("authorization") != format!("Bearer {SECRET}") {
        return Answer::new(401);
    }
    let kept = &mut *kept.lock().unwrap();
    if let Some(answer) = upload_in_parts(kept, asked) {
        return answer;
    }
    let json = |length: usize| {
        let text = format!(
            "{{\"etag\":\"1\",\"size\":\"{length}\",\"updated\":\"2026-01-01T00:00:00.000Z\",\"md5Hash\":\"\","
        );
        let text = text + "\"contentType\":\"x\",\"generation\":\"1\",\"metadata\":{}}";
        Answer { body: text.into_bytes(), ..Answer::new(200) }
    };
    if path(asked).starts_with("/upload/") {
        let key = format!("/bucket/{}", parameter(asked, "name").unwrap());
        kept.objects.insert(key, asked.body.clone());
        return json(asked.body.len());
    }
    let key = format!("/bucket/{}", decoded(path(asked).strip_prefix("/storage/v1/b/bucket/o/").unwrap()));
    let Some(bytes) = kept.objects.get(&key) else { return Answer::new(404) };
    match (asked.method.as_str(), parameter(asked, "alt")) {
        ("DELETE", _) => {
            kept.objects.remove(&key);
            Answer::new(204)
        }
        (_, Some(_)) => Answer::object(asked, bytes, "\"1\""),
        _ => json(bytes.len()),
    }
}

fn azure(kept: &Mutex<Kept>, asked: &Asked) -> Answer {
    if asked.header("authorization") != azure_authorization(asked) {
        return Answer::new(403);
    }
    let kept = &mut *kept.lock().unwrap();
    let key = path(asked).to_owned();
    let created = || Answer::new(201).with("ETag", "\"1\"");
    match (asked.method.as_str(), parameter(asked, "comp").as_deref()) {
        ("PUT", Some("block")) => {
            kept.parts.insert(parameter(asked, "blockid").unwrap(), asked.body.clone());
            created()
        }
        ("PUT", Some("blocklist")) => {
            let list = String::from_utf8_lossy(&asked.body).into_owned();
            let blocks = list.split("<Latest>").skip(1).map(|rest| rest.split('<').next().unwrap());
            let bytes = blocks.flat_map(|block| kept.parts.remove(block).unwrap()).collect();
            kept.objects.insert(key, bytes);
            created()
        }
        ("PUT", None) => {
            kept.objects.insert(key, asked.body.clone());
            created()
        }
        ("DELETE", None) => {
            kept.objects.remove(&key);
            Answer::new(202)
        }
        _ => object(kept, asked),
    }
}

/// Writes, reads, lists nothing of, and removes objects; then does it with a wrong secret.
fn round(name: &str, store_with: impl Fn(&[&str], &str) -> Command) {
    let (_folder, local) = scratch("local");
    let local = local.to_str().unwrap();
    let [large, small] = [format!("{name}/large.ark"), format!("{name}/small.ark")];
    for (length, object) in [(LENGTH, &large), (5, &small), (0, &small)] {
        let bytes = noise(length);
        fs::write(local, bytes).unwrap();
        succeed(&mut store_with(&["cp", local, object], SECRET));
        assert!(succeed(&mut store_with(&["cat", object], SECRET)) == bytes, "{object} of {length} bytes");
    }
    let tail = succeed(&mut store_with(&["cat", &format!("{large}:{}", LENGTH - 3)], SECRET));
    assert_eq!(tail, noise(LENGTH)[LENGTH - 3..]);

    let other = format!("{name}/other.ark");
    for words in [&["cat", &large][..], &["cp", local, &other]] {
        let line = fail(&mut store_with(words, "QkFEQkFE"));
        assert!(line.contains(words[words.len() - 1]) && line.contains("refuse"), "{line}");
        assert!(!line.contains("QkFEQkFE"), "{line}");
    }
    succeed(&mut store_with(&["rm", &large], SECRET));
    for gone in [&large, &other] {
        assert!(fail(&mut store_with(&["cat", gone], SECRET)).contains("there is no such object"));
    }
}

#[test]
fn oss_takes_what_is_signed_with_its_secret() {
    let kept = Mutex::<Kept>::default();
    let server = Server::start(move |asked| oss(&kept, asked));
    round("oss://bucket/dir", |words, secret| {
        let mut command = store(words);
        let variables =
            [("OSS_ENDPOINT", server.url.as_str()), ("OSS_ACCESS_KEY_ID", "AKID"), ("OSS_ACCESS_KEY_SECRET", secret)];
        command.envs(variables);
        command
    });
    let has_parts = server.asked().iter().any(|asked| asked.path.contains("partNumber=2"));
    assert!(has_parts, "the large object came in one piece");
}

#[test]
fn azure_takes_what_is_signed_with_the_key_of_the_account() {
    let kept = Mutex::<Kept>::default();
    let server = Server::start(move |asked| azure(&kept, asked));
    let endpoint = format!("{}/account", server.url);
    round("azblob://container/dir", |words, secret| {
        let mut command = store(words);
        let variables = [
            ("AZURE_STORAGE_ENDPOINT", endpoint.as_str()),
            ("AZURE_STORAGE_ACCOUNT", "account"),
            ("AZURE_STORAGE_KEY", secret),
        ];
        command.envs(variables);
        command
    });
    let has_parts = server.asked().iter().any(|asked| asked.path.contains("comp=blocklist"));
    assert!(has_parts, "the large object came in one piece");
}

#[test]
fn googles_store_takes_what_comes_with_its_token() {
    let kept = Mutex::<Kept>::default();
    let server = Server::start(move |asked| google(&kept, asked));
    round("gs://bucket/dir", |words, token| {
        let mut command = store(words);
        command.envs([("STORAGE_EMULATOR_HOST", server.url.as_str()), ("GOOGLE_OAUTH_ACCESS_TOKEN", token)]);
        command
    });
    let has_parts = server.asked().iter().any(|asked| asked.path.contains("partNumber=2"));
    assert!(has_parts, "the large object came in one piece");
}

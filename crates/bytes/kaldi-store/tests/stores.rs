//! The other stores, from servers that speak as they do.

use std::fs;
use std::process::Command;

use crate::support::{Answer, Asked, Server, fail, scratch, store, succeed};

const BYTES: &[u8] = b"0123456789";

/// `kaldi-store` with these variables, and without those of the machine.
fn with(words: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = store(words);
    command.envs(variables.iter().copied());
    command
}

/// What WebHDFS answers: the name node knows the file and sends to the data node, which has its bytes.
fn hdfs(asked: &Asked) -> Answer {
    let host = asked.header("host");
    let query = |name: &str| {
        let (_, rest) = asked.path.split_once(&format!("{name}="))?;
        Some(rest.split('&').next().unwrap_or_default().to_owned())
    };
    let status = format!(
        "{{\"FileStatus\":{{\"length\":{},\"modificationTime\":1700000000000,\"type\":\"FILE\",\"pathSuffix\":\"\",\
         \"permission\":\"644\",\"owner\":\"me\",\"group\":\"me\",\"blockSize\":1,\"replication\":1,\"accessTime\":0}}}}",
        BYTES.len()
    );
    match (asked.path.split('?').next().unwrap(), query("op").as_deref()) {
        ("/webhdfs/v1/dir/a.ark", Some("GETFILESTATUS")) => Answer { body: status.into_bytes(), ..Answer::new(200) },
        // Neither is asked for the root folder, nor is anything created.
        ("/webhdfs/v1/", _) | (_, Some("MKDIRS")) => panic!("{}", asked.path),
        ("/webhdfs/v1/dir/a.ark", Some("OPEN")) => {
            assert!(asked.path.contains("user.name=somebody"), "{}", asked.path);
            let (_, query) = asked.path.split_once('?').unwrap();
            Answer::new(307).with("Location", &format!("http://{host}/data?{query}"))
        }
        ("/data", _) => {
            let number = |name: &str| query(name).map(|text| text.parse::<usize>().unwrap());
            let start = number("offset").unwrap_or(0);
            let end = number("length").map_or(BYTES.len(), |length| (start + length).min(BYTES.len()));
            let cut = (asked.before == 0).then_some(1);
            Answer { body: BYTES[start..end].to_vec(), cut, ..Answer::new(200) }
        }
        _ => Answer {
            body: b"{\"RemoteException\":{\"exception\":\"FileNotFoundException\",\"message\":\"File does not exist\",\
                   \"javaClassName\":\"x\"}}"
                .to_vec(),
            ..Answer::new(404)
        },
    }
}

#[test]
fn hdfs_is_read_through_redirections() {
    let server = Server::start(hdfs);
    let port = server.url.rsplit(':').next().unwrap();
    let variables = [("HADOOP_USER_NAME", "somebody"), ("KALDI_STORE_WEBHDFS_PORT", port)];
    for name in [format!("webhdfs://127.0.0.1:{port}/dir/a.ark"), "hdfs://127.0.0.1:8020/dir/a.ark".to_owned()] {
        assert_eq!(succeed(&mut with(&["cat", &name], &variables)), BYTES);
        assert_eq!(succeed(&mut with(&["cat", &format!("{name}:7")], &variables)), b"789");
    }
    let line = fail(&mut with(&["cat", "hdfs://127.0.0.1/none"], &variables));
    assert!(line.contains("there is no such object"), "{line}");
    let (_folder, local) = scratch("local");
    fs::write(&local, "x").unwrap();
    let line = fail(&mut with(&["cp", local.to_str().unwrap(), "hdfs://127.0.0.1/new"], &variables));
    assert!(line.ends_with("objects of HDFS can only be read"), "{line}");
}

/// An object that needs an authorization, under this path.
fn guarded(path: &'static str, authorization: &'static str) -> Server {
    Server::start(move |asked| match asked.path.split('?').next() == Some(path) {
        true if asked.header("authorization").starts_with(authorization) => {
            Answer::object(asked, BYTES, "\"1\"").with("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        }
        true => Answer::new(403),
        false => Answer::new(404),
    })
}

#[test]
fn oss_is_read_with_the_bucket_in_the_path() {
    let server = guarded("/bucket/dir/a.ark", "OSS AKID:");
    let variables =
        [("OSS_ENDPOINT", server.url.as_str()), ("OSS_ACCESS_KEY_ID", "AKID"), ("OSS_ACCESS_KEY_SECRET", "S3CR3T")];
    assert_eq!(succeed(&mut with(&["cat", "oss://bucket/dir/a.ark:3"], &variables)), b"3456789");
    let line = fail(&mut with(&["cat", "oss://bucket/dir/none"], &variables));
    assert!(line.contains("oss://bucket/dir/none: there is no such object") && !line.contains("S3CR3T"), "{line}");
    let line = fail(&mut with(&["cat", "oss://bucket/dir/a.ark"], &[]));
    assert!(line.contains("OSS needs its endpoint"), "{line}");
}

#[test]
fn azure_is_read_with_the_key_of_an_account() {
    let server = guarded("/account/container/dir/a.ark", "SharedKey account:");
    let endpoint = format!("{}/account", server.url);
    let variables = [
        ("AZURE_STORAGE_ENDPOINT", endpoint.as_str()),
        ("AZURE_STORAGE_ACCOUNT", "account"),
        ("AZURE_STORAGE_KEY", "S0VZS0VZ"),
    ];
    assert_eq!(succeed(&mut with(&["cat", "azblob://container/dir/a.ark:3"], &variables)), b"3456789");
    let line = fail(&mut with(&["cat", "azblob://container/dir/a.ark"], &[]));
    assert!(line.contains("Azure needs an account"), "{line}");
}

#[test]
fn googles_store_is_read_with_a_token() {
    let server = Server::start(|asked| {
        if asked.header("authorization") != "Bearer T0K3N" {
            return Answer::new(401);
        }
        if asked.path.contains("alt=media") {
            return Answer::object(asked, BYTES, "\"1\"");
        }
        let body = format!(
            "{{\"etag\":\"\\\"1\\\"\",\"size\":\"{}\",\"updated\":\"2026-01-01T00:00:00.000Z\",\"md5Hash\":\"\",\
             \"contentType\":\"x\",\"generation\":\"1\",\"metadata\":{{}}}}",
            BYTES.len()
        );
        Answer { body: body.into_bytes(), ..Answer::new(200) }
    });
    let variables = [("STORAGE_EMULATOR_HOST", server.url.as_str()), ("GOOGLE_OAUTH_ACCESS_TOKEN", "T0K3N")];
    assert_eq!(succeed(&mut with(&["cat", "gs://bucket/dir/a.ark:3"], &variables)), b"3456789");
}

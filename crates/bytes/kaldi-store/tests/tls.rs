//! Objects behind TLS, with certificates that are trusted and others.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use crate::support::{Answer, Asked, Server, fail, scratch, store, succeed};
use rustls::pki_types::PrivateKeyDer;

const BYTES: &[u8] = b"0123456789";

/// A certificate for `localhost` that signs itself: its text, and the settings of a server that shows it.
fn certificate() -> (String, Arc<rustls::ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let settings = settings.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
    (made.cert.pem(), Arc::new(settings))
}

/// A server of one object whose first answer ends too early.
fn server() -> (String, Server) {
    let (text, settings) = certificate();
    let answer = |asked: &Asked| Answer {
        cut: (asked.before == 0 && asked.method == "GET").then_some(4),
        ..Answer::object(asked, BYTES, "\"1\"")
    };
    (text, Server::start_secure(answer, settings))
}

fn cat(url: &str, trusted: &str) -> (tempfile::TempDir, Command) {
    let (folder, file) = scratch("trusted.pem");
    fs::write(&file, trusted).unwrap();
    let mut command = store(&["cat", url]);
    command.env("SSL_CERT_FILE", &file).env_remove("SSL_CERT_DIR").env("KALDI_STORE_RETRIES", "2");
    (folder, command)
}

#[test]
fn an_object_comes_whole_behind_a_trusted_certificate() {
    let (certificate, server) = server();
    let (_folder, mut command) = cat(&format!("{}/a.ark", server.url), &certificate);
    assert_eq!(succeed(&mut command), BYTES);
    let (_folder, mut command) = cat(&format!("{}/b.ark:7", server.url), &certificate);
    assert_eq!(succeed(&mut command), b"789");
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_an_error_at_once() {
    let (_, server) = server();
    let (other, _) = certificate();
    let (_folder, mut command) = cat(&format!("{}/a.ark", server.url), &other);
    let line = fail(&mut command);
    assert!(line.contains("/a.ark") && line.contains("certificate"), "{line}");
    assert!(!line.contains("times"), "it was tried again: {line}");
    assert!(server.asked().is_empty());
}

#[test]
fn a_certificate_of_another_host_is_an_error() {
    let (certificate, server) = server();
    let url = server.url.replace("localhost", "127.0.0.1");
    let (_folder, mut command) = cat(&format!("{url}/a.ark"), &certificate);
    let line = fail(&mut command);
    assert!(line.contains("certificate"), "{line}");
    assert!(server.asked().is_empty());
}

#[test]
fn a_server_without_tls_is_an_error() {
    let server = Server::of_object(BYTES);
    let url = server.url.replace("http:", "https:");
    let (_folder, mut command) = cat(&format!("{url}/a.ark"), &certificate().0);
    let line = fail(&mut command);
    assert!(line.contains("/a.ark: ") && line.contains("cannot connect"), "{line}");
}

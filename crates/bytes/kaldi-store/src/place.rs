//! Names of objects, and their stores.

use std::net::IpAddr;

use bstr::{BStr, ByteSlice};
use opendal::Operator;
use opendal::layers::HttpClientLayer;
use opendal::raw::HttpClient;
#[cfg(feature = "gcs")]
use opendal::services::Gcs;
use opendal::services::{Azblob, Oss, S3, Webhdfs};
use reqwest::Url;

use crate::fault::Fault;
use crate::settings::{first_variable, variable};
use crate::transport::Transport;

/// The default port of a name node's web server.
const WEBHDFS_PORT: &str = "9870";

/// The place of an object.
#[derive(Clone, Debug)]
pub enum ObjectPlace {
    /// On the web.
    Web(Url),
    /// In a store.
    Stored {
        /// The scheme of the name.
        scheme: String,
        /// The bucket, the container, or the host.
        bucket: String,
        /// The name in it.
        key: String,
    },
}

/// Parameters of presigned addresses, which do not identify the object.
const SIGNATURES: [&str; 7] =
    ["awsaccesskeyid", "expires", "googleaccessid", "ossaccesskeyid", "security-token", "signature", "sig"];

/// Variables that direct names to other servers.
const ENDPOINTS: [&str; 14] = [
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT",
    "OSS_ENDPOINT",
    "ALIBABA_CLOUD_OSS_ENDPOINT",
    "STORAGE_EMULATOR_HOST",
    "GCS_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ENDPOINT",
    "AZURE_STORAGE_BLOB_ENDPOINT",
    "KALDI_STORE_WEBHDFS_PORT",
    "KALDI_STORE_WEBHDFS_SCHEME",
];

impl ObjectPlace {
    /// The text that identifies the object: its address without signatures, and in a store also its server.
    pub fn address(&self) -> String {
        match self {
            Self::Web(url) => {
                let is_signature = |name: &str| {
                    let name = name.to_ascii_lowercase();
                    SIGNATURES.contains(&name.as_str()) || name.starts_with("x-amz-") || name.starts_with("x-goog-")
                };
                let kept: Vec<&str> = url.query().into_iter().flat_map(|query| query.split('&')).collect();
                let kept = kept.into_iter().filter(|kept| !is_signature(kept.split('=').next().unwrap_or_default()));
                let mut address = url.clone();
                address.set_query(Some(&kept.collect::<Vec<_>>().join("&")));
                address.to_string()
            }
            Self::Stored { scheme, bucket, key } => {
                let mut address = format!("{scheme}://{bucket}/{key}");
                for name in ENDPOINTS {
                    address += &format!("\n{}", variable(name).unwrap_or_default());
                }
                address
            }
        }
    }

    /// Reads a name.
    ///
    /// # Errors
    /// If it is not the name of an object.
    pub fn parse(name: &BStr) -> Result<Self, Fault> {
        let invalid = |why: &str| Fault::new(std::io::ErrorKind::InvalidInput, why.to_owned());
        let name = name.to_str().map_err(|_| invalid("names of objects are UTF-8"))?;
        let (scheme, rest) = name.split_once("://").ok_or_else(|| invalid("this is no name of an object"))?;
        let scheme = scheme.to_ascii_lowercase();
        // Addresses are resolved before they are requested: `bucket/../other` would be another bucket.
        let path = rest.split(['?', '#']).next().unwrap_or_default();
        let is_web = matches!(scheme.as_str(), "http" | "https");
        if if is_web { path } else { rest }.split(['/', '\\']).any(|part| is_dots(part, is_web)) {
            return Err(invalid(
                "a name with the part \".\" or \"..\" may lead out of its folder or bucket; write it without",
            ));
        }
        if is_web {
            let url = Url::parse(name).map_err(|error| invalid(&format!("this is no address: {error}")))?;
            return Ok(Self::Web(url));
        }
        if !matches!(scheme.as_str(), "s3" | "oss" | "gs" | "azblob" | "hdfs" | "webhdfs") {
            return Err(invalid("no store has names that start like this"));
        }
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(invalid("the name has no bucket or host after ://"));
        }
        let is_named = |letter: char| letter.is_ascii_alphanumeric() || "-_.$".contains(letter);
        let is_host = |letter: char| scheme.ends_with("hdfs") && ":[]".contains(letter);
        if !bucket.chars().all(|letter| is_named(letter) || is_host(letter)) {
            return Err(invalid("expected a bucket or host of letters, digits, and \"-_.$\" after ://"));
        }
        // The library would request another name.
        if key.starts_with('/') || key.contains("//") || key.trim() != key {
            return Err(invalid("names of objects with //, or with white space at an end, cannot be read"));
        }
        Ok(Self::Stored { scheme, bucket: bucket.to_owned(), key: key.to_owned() })
    }
}

/// Whether a part of a path stands for a folder above or for the same one. In addresses, dots may be encoded.
fn is_dots(part: &str, is_web: bool) -> bool {
    let part = if is_web { part.to_ascii_lowercase().replace("%2e", ".") } else { part.to_owned() };
    matches!(part.as_str(), "." | "..")
}

/// Opens the store of a bucket, with settings from the environment and from the files of the store's own tools.
///
/// # Errors
/// If settings are missing.
pub fn operator(scheme: &str, bucket: &str, mut transport: Transport) -> Result<Operator, Fault> {
    let built = match scheme {
        "s3" => Operator::new(s3(bucket)).map(|builder| builder.finish()),
        "oss" => Operator::new(oss(bucket, &mut transport)?).map(|builder| builder.finish()),
        #[cfg(feature = "gcs")]
        "gs" => Operator::new(gcs(bucket)).map(|builder| builder.finish()),
        #[cfg(not(feature = "gcs"))]
        "gs" => {
            let message = "what opens names of Google's store is not in this build, which lacks the feature gcs";
            return Err(Fault::other(kaldi_io::Lack::Feature("gcs").explain(message)));
        }
        "azblob" => Operator::new(azblob(bucket)?).map(|builder| builder.finish()),
        _ => Operator::new(webhdfs(scheme, bucket)).map(|builder| builder.finish()),
    };
    let operator = built.map_err(|error| match error.to_string().contains("region is missing") {
        true => Fault::other("S3 needs a region, such as AWS_REGION=eu-west-1"),
        false => Fault::of_store(&error),
    })?;
    Ok(operator.layer(HttpClientLayer::new(HttpClient::with(transport))))
}

fn s3(bucket: &str) -> S3 {
    let mut builder = S3::default().bucket(bucket).allow_anonymous();
    let endpoint = first_variable(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]);
    let region = first_variable(&["AWS_REGION", "AWS_DEFAULT_REGION"]);
    let uses_path = endpoint.as_deref().is_some_and(is_address) || bucket.contains('.');
    if let Some(region) = region.or_else(|| endpoint.is_some().then(|| "us-east-1".to_owned())) {
        builder = builder.region(&region);
    }
    if let Some(endpoint) = endpoint {
        builder = builder.endpoint(&endpoint);
    }
    if variable("AWS_EC2_METADATA_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        builder = builder.disable_ec2_metadata();
    }
    if uses_path { builder } else { builder.enable_virtual_host_style() }
}

fn oss(bucket: &str, transport: &mut Transport) -> Result<Oss, Fault> {
    let endpoint = first_variable(&["OSS_ENDPOINT", "ALIBABA_CLOUD_OSS_ENDPOINT"]).ok_or_else(|| {
        Fault::other("OSS needs its endpoint, such as OSS_ENDPOINT=https://oss-cn-hangzhou.aliyuncs.com")
    })?;
    // The library puts the bucket of a path into signatures twice, which servers refuse.
    transport.bucket = is_address(&endpoint).then(|| bucket.to_owned());
    let style = if transport.bucket.is_some() { "cname" } else { "virtual" };
    let mut builder = Oss::default().bucket(bucket).endpoint(&endpoint).addressing_style(style);
    if let Some(id) = first_variable(&["OSS_ACCESS_KEY_ID", "ALIBABA_CLOUD_ACCESS_KEY_ID"]) {
        builder = builder.access_key_id(&id);
    }
    if let Some(secret) = first_variable(&["OSS_ACCESS_KEY_SECRET", "ALIBABA_CLOUD_ACCESS_KEY_SECRET"]) {
        builder = builder.access_key_secret(&secret);
    }
    if let Some(token) = first_variable(&["OSS_SESSION_TOKEN", "ALIBABA_CLOUD_SECURITY_TOKEN"]) {
        builder = builder.security_token(&token);
    }
    Ok(builder)
}

#[cfg(feature = "gcs")]
fn gcs(bucket: &str) -> Gcs {
    let mut builder = Gcs::default().bucket(bucket);
    if let Some(endpoint) = first_variable(&["STORAGE_EMULATOR_HOST", "GCS_ENDPOINT"]) {
        builder = builder.endpoint(&with_scheme(&endpoint, "http")).disable_vm_metadata().allow_anonymous();
    }
    if let Some(token) = first_variable(&["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"]) {
        builder = builder.token(token);
    }
    builder
}

fn azblob(container: &str) -> Result<Azblob, Fault> {
    if let Some(connection) = variable("AZURE_STORAGE_CONNECTION_STRING") {
        let builder = Azblob::from_connection_string(&connection).map_err(|error| Fault::of_store(&error))?;
        return Ok(builder.container(container));
    }
    let account = first_variable(&["AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"]);
    let endpoint = first_variable(&["AZURE_STORAGE_ENDPOINT", "AZURE_STORAGE_BLOB_ENDPOINT"])
        .or_else(|| account.as_ref().map(|account| format!("https://{account}.blob.core.windows.net")))
        .ok_or_else(|| Fault::other("Azure needs an account: set AZURE_STORAGE_ACCOUNT"))?;
    let mut builder = Azblob::default().container(container).endpoint(&endpoint);
    if let Some(account) = account {
        builder = builder.account_name(&account);
    }
    if let Some(key) = first_variable(&["AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"]) {
        builder = builder.account_key(&key);
    }
    if let Some(token) = variable("AZURE_STORAGE_SAS_TOKEN") {
        builder = builder.sas_token(token.trim_start_matches('?'));
    }
    Ok(builder)
}

fn webhdfs(scheme: &str, host: &str) -> Webhdfs {
    let port = variable("KALDI_STORE_WEBHDFS_PORT").unwrap_or_else(|| WEBHDFS_PORT.to_owned());
    // The port of `hdfs://host:8020` is one of another protocol.
    let (name, own_port) = host.rsplit_once(':').unwrap_or((host, ""));
    let port = if scheme == "webhdfs" && !own_port.is_empty() { own_port } else { &port };
    let protocol = variable("KALDI_STORE_WEBHDFS_SCHEME").unwrap_or_else(|| "http".to_owned());
    let mut builder = Webhdfs::default().endpoint(&format!("{protocol}://{name}:{port}"));
    if let Some(token) = variable("KALDI_STORE_WEBHDFS_DELEGATION") {
        builder = builder.delegation(&token);
    } else if let Some(user) = first_variable(&["HADOOP_USER_NAME", "USER"]) {
        builder = builder.user_name(&user);
    }
    builder
}

/// Whether the endpoint is an address or a name without a domain. Buckets there have no host names of their own.
fn is_address(endpoint: &str) -> bool {
    let Ok(url) = Url::parse(&with_scheme(endpoint, "https")) else { return false };
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().is_ok() || !host.contains('.') || url.port().is_some()
}

fn with_scheme(endpoint: &str, scheme: &str) -> String {
    if endpoint.contains("://") { endpoint.to_owned() } else { format!("{scheme}://{endpoint}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_places() {
        let t = |name: &str, expected: &str| {
            let place = match ObjectPlace::parse(name.into()) {
                Ok(ObjectPlace::Web(url)) => format!("web {url}"),
                Ok(ObjectPlace::Stored { scheme, bucket, key }) => format!("{scheme} {bucket} {key}"),
                Err(fault) => fault.message,
            };
            assert!(place.contains(expected), "{place}");
        };
        t("http://h/a b?x=1&y=2", "web http://h/a%20b?x=1&y=2");
        t("S3://bucket/dir/a b.ark", "s3 bucket dir/a b.ark");
        t("s3://bucket", "s3 bucket ");
        t("s3://", "no bucket");
        t("s3://b//k", "with //");
        t("ftp://h/a", "no store");
        for name in [
            "s3://b/../evil/k",
            "s3://b/a/..",
            "s3://b/./k",
            "s3://../k",
            "gs://b/a/../k",
            "oss://b/..\\evil/k",
            "azblob://c/..",
            "hdfs://n/../k",
            "webhdfs://n:9870/a/./b",
            "http://h/a/../b",
            "http://h/%2e%2E/b",
            "https://h/.",
            "http://h/a/.%2e?x",
        ] {
            t(name, "may lead out of");
        }
        t("s3://b/a..b/...", "s3 b a..b/...");
        t("s3://b/%2e%2e/k", "s3 b %2e%2e/k");
        t("http://h/a?x=/../y", "web http://h/a?x=/../y");
        for bucket in ["evil.com#", "a?b", "u@h", "h:80", "a b", "a%2fb", "\u{e4}"] {
            t(&format!("s3://{bucket}/k"), "expected a bucket");
        }
        t("webhdfs://n:9870/k", "webhdfs n:9870 k");
        t("http://", "no address");
        t("a", "no name of an object");
    }

    #[test]
    fn hosts_have_names_in_any_script() {
        for (name, expected) in [
            ("http://b\u{fc}cher.example/a", Some("http://xn--bcher-kva.example/a")),
            ("http://B\u{dc}CHER.example/a", Some("http://xn--bcher-kva.example/a")),
            ("http://xn--bcher-kva.example/a", Some("http://xn--bcher-kva.example/a")),
            ("http://\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}/a", Some("http://xn--r8jz45g.xn--zckzah/a")),
            ("http://\u{645}\u{62b}\u{627}\u{644}.example/a", Some("http://xn--mgbh0fb.example/a")),
            // Letters of both directions in one name.
            ("http://a\u{627}.example/a", None),
            ("http://a\u{fdd0}.example/a", None),
        ] {
            match (ObjectPlace::parse(name.into()), expected) {
                (Ok(ObjectPlace::Web(url)), Some(expected)) => assert_eq!(url.as_str(), expected),
                (Err(fault), None) => {
                    assert_eq!(fault.message, "this is no address: invalid international domain name", "{name}");
                }
                (place, _) => panic!("{name}: {place:?}"),
            }
        }
    }

    #[test]
    fn a_signature_makes_no_other_object() {
        let t = |one: &str, other: &str| {
            let [one, other] = [one, other].map(|name| ObjectPlace::parse(name.into()).unwrap().address());
            one == other
        };
        assert!(t("http://h/a?X-Amz-Signature=1&v=2&X-Amz-Date=3", "http://h/a?v=2&X-Amz-Date=4&Signature=5"));
        assert!(t("http://h/a", "http://h/a?sig=abc"));
        for other in ["http://h/a?v=3", "http://h/b?v=2", "http://i/a?v=2", "https://h/a?v=2", "s3://h/a?v=2"] {
            assert!(!t("http://h/a?v=2", other), "{other}");
        }
        assert!(!t("s3://b/k", "s3://b/l") && !t("s3://b/k", "oss://b/k"));
    }

    #[test]
    fn buckets_are_parts_of_paths_where_the_host_has_no_names() {
        for endpoint in ["http://127.0.0.1:9000", "10.0.0.1", "http://[::1]:80", "http://minio:9000", "localhost"] {
            assert!(is_address(endpoint), "{endpoint}");
        }
        for endpoint in ["https://s3.eu-west-1.amazonaws.com", "oss-cn-hangzhou.aliyuncs.com"] {
            assert!(!is_address(endpoint), "{endpoint}");
        }
    }
}

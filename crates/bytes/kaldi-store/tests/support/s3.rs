//! An S3 server, which checks signatures.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::tool;

pub const KEY: &str = "AKIDTESTTEST";
pub const SECRET: &str = "s3cr3ts3cr3t";

/// A server of the bucket `bucket`, whose objects are files of a folder.
pub struct S3 {
    folder: TempDir,
    pub endpoint: String,
    has_ended: Arc<AtomicBool>,
}

impl S3 {
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("bucket")).unwrap();
        let files = FileSystem::new(folder.path()).unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let has_ended = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&has_ended);
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let mut builder = S3ServiceBuilder::new(files);
                builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
                let service = builder.build().into_shared();
                let listener = TcpListener::from_std(listener).unwrap();
                while !ended.load(Ordering::Relaxed) {
                    let accepted = tokio::time::timeout(Duration::from_millis(100), listener.accept()).await;
                    let Ok(Ok((stream, _))) = accepted else { continue };
                    let service = service.clone();
                    tokio::spawn(async move {
                        let builder = Builder::new(TokioExecutor::new());
                        let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                    });
                }
            });
        });
        Self { folder, endpoint, has_ended }
    }

    /// A tool with the settings of this server.
    pub fn tool(&self, name: &str, words: &[&str]) -> Command {
        let mut command = tool(name);
        command.args(words);
        settings(&mut command, &self.endpoint, SECRET);
        command
    }

    pub fn store(&self, words: &[&str]) -> Command {
        self.tool("kaldi-store", words)
    }

    pub fn object(&self, key: &str) -> PathBuf {
        self.folder.path().join("bucket").join(key)
    }

    /// The objects of the bucket.
    pub fn objects(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path().join("bucket")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with('.')).collect()
    }

    /// The parts of objects that are not complete.
    pub fn parts(&self) -> Vec<String> {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with(".upload_id-")).collect()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }
}

/// The settings of a server at this endpoint, as variables.
pub fn variables<'a>(endpoint: &'a str, secret: &'a str) -> [(&'static str, &'a str); 5] {
    [
        ("AWS_ACCESS_KEY_ID", KEY),
        ("AWS_SECRET_ACCESS_KEY", secret),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ENDPOINT_URL", endpoint),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ]
}

/// Gives a command the settings of a server at this endpoint.
pub fn settings(command: &mut Command, endpoint: &str, secret: &str) {
    command.envs(variables(endpoint, secret));
}

#![doc = include_str!("../README.md")]
//! A session that has [`store`] reads and writes all remote names. Nothing happens before the first remote
//! name: then the settings are read, and one thread starts, which waits for the network. All work for the network is
//! async code on that thread; readers and writers of objects wait for it. So remote names must not be opened in async
//! code.
//!
//! ```text
//! copy-feats ──▶ kaldi_io::Input, Output ──▶ Stores (Store) ──▶ RemoteSource, RemoteUpload     threads of the tool
//!                                                                     │
//!                    Engine: tries, cache, parts side by side ◀───────┘                        thread "stores"
//!                      ├── web.rs        http, https                  reqwest
//!                      └── transport.rs  s3, oss, gs, azblob, hdfs    opendal, by the same connections
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod ahead;
mod attempts;
mod cache;
mod cached;
mod client;
pub mod commands;
mod copying;
mod engine;
mod error;
mod fault;
mod lru_map;
mod metadata;
mod place;
mod prefetch_queue;
mod reader;
mod running;
mod settings;
mod side_by_side;
mod signals;
mod source;
mod stores;
mod transfer;
mod transport;
mod upload;
mod web;
mod whole_objects;

pub use error::{Error, Result};
pub use stores::store;

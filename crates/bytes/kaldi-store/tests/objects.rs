//! Objects in stores and on the web, read and written by the built tools.

#![allow(clippy::unwrap_used)]

mod cache;
mod copies;
mod folders;
mod hostile;
mod jobs;
mod process;
mod s3;
mod signed;
mod stores;
mod support;
mod tls;
mod tokens;
mod traffic;
mod values;
mod web;

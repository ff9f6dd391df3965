//! Containers: which packets a file has, and which of their samples count.

pub(crate) mod adts;
pub(crate) mod aiff;
pub(crate) mod au;
pub(crate) mod caf;
pub(crate) mod matroska;
pub(crate) mod mp4;
pub(crate) mod mpeg;
pub(crate) mod ogg;
mod pcm;
pub(crate) mod sphere;

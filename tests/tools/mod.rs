pub mod audio;
pub mod cmvn;
pub mod features;
pub mod posteriors;
pub mod scoring;
pub mod tables;
pub mod transforms;
pub mod vectors;

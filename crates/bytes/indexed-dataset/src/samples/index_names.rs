//! The names of the files.

use super::options::SplitName;

/// The names of the files.
#[derive(Clone, Debug)]
pub struct IndexNames {
    start: String,
    pub(super) description: Option<Vec<u8>>,
}

impl IndexNames {
    /// `document_index.npy` and so on.
    pub fn plain() -> Self {
        Self { start: String::new(), description: None }
    }

    /// Megatron's names: the MD5 sum of the description, the name of the class, that of the part.
    pub fn described(description: Vec<u8>, class: &str, split: SplitName) -> Self {
        let sum = md5::compute(&description);
        Self { start: format!("{sum:x}-{class}-{}-", split.name()), description: Some(description) }
    }

    /// The name of the file of `what`, such as `document_index.npy`.
    pub fn of(&self, what: &str) -> String {
        format!("{}{what}", self.start)
    }
}

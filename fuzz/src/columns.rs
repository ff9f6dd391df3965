//! Files of columns: Parquet and Arrow.

use std::fs;

use column_files::ColumnFile;

/// A file of columns, which is read to its end. A fault has one line, which names the file.
pub fn columns(bytes: &[u8]) {
    super::with_folder(|folder| {
        let path = folder.join("columns");
        fs::write(&path, bytes).expect("a file can be written");
        let name = path.to_str().expect("temporary folders have names in UTF-8");
        if let Err(error) = ColumnFile::open(name.into()).and_then(|file| file.check()) {
            let text = error.to_string();
            assert!(text.contains(name) && !text.contains('\n'), "{text}");
        }
    });
}

pub mod table_export;
pub mod table_import;

mod data_directories;
mod every_row;
mod going_on;
mod mended;
mod table_jobs;

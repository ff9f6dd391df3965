mod every_row;
mod table_jobs;

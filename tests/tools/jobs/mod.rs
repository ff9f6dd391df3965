mod every_row;
mod going_on;
mod table_jobs;

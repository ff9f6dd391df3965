//! Types of the standard library as values: they are here because an implementation stands with its trait or its type.

mod int_vector;
mod int_vectors;
mod pairs;
mod scalar;

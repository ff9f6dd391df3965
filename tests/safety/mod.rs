//! What happens to data when things go wrong: archives cut or damaged anywhere, full disks, dying children, few
//! files, large keys and claims.

/// Values of another type than a tool reads.
mod advice;

/// Archives cut and damaged, as `table-check` sees them.
mod checked_archives;

/// Archives of every value type, cut at every byte.
mod cut_archives;

/// Training examples, damaged at every byte.
mod damaged_examples;

/// Every byte of a header, damaged.
mod damaged_headers;

/// Files of models, cut and damaged at every byte.
mod damaged_models;

/// Full disks, closed streams, dying children.
mod endings;

/// Files of other programs, and Kaldi's own in each other's place.
mod foreign;

/// How the program is linked.
mod hardening;

/// Many entries, few open files, long keys, huge claims.
mod limits;

/// Lattices and FSTs, damaged and huge.
mod lattices;

/// Archives of types that have to be found, cut and damaged.
mod scanned_archives;

/// Little memory, and inputs that never end.
mod memory;

/// Script files in other places than their archives.
mod moved;

/// Parts of long values, by ranges.
mod ranges;

/// What outputs may cost: other outputs, inputs, owners and names.
mod outputs;

/// Several outputs of one run.
mod output_sets;

/// Samples of every value type.
pub mod values;

/// Waveforms, cut and damaged.
mod waves;

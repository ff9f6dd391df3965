//! Damage in one of several entries.

use super::*;

#[test]
fn a_damaged_count_is_that_of_its_entry() {
    for values in 1..6 {
        for (count, found) in
            [(-3, "utt3: a.ark:"), (2_000_000_000, "utt3: a.ark:"), (0, "expected a key after utt3, got ")]
        {
            let mut bytes = Vec::new();
            for (number, key) in ["utt0", "utt1", "utt2", "utt3", "utt4"].into_iter().enumerate() {
                let at = bytes.len() + key.len() + 4;
                let numbers: Vec<i32> = (0..values).map(|value| 5 * value + 7).collect();
                bytes.extend(ints(key, &[&[values][..], &numbers].concat()));
                if number == 3 {
                    bytes[at..at + 4].copy_from_slice(&i32::to_le_bytes(count));
                }
            }
            let archives = Archives::new();
            let (entries, types, error) = scan(&archives.write("a.ark", &bytes), None);
            let error = error.unwrap_or_default();
            let whole = if count == 0 { 4 } else { 3 };
            assert!(
                error.contains(found) && entries.len() == whole,
                "{values} {count}: {types} {} {error}",
                entries.len()
            );
        }
    }
}

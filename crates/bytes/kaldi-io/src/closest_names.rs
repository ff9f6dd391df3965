//! Names that were probably meant.

/// At most this many names are proposed.
const MOST_NAMES: usize = 3;

/// A shorter word is in too many names.
const LEAST_PART: usize = 3;

/// The edit distance (Damerau-Levenshtein) of a word from a name, in letters of any case; `None` if it is far from it.
pub fn name_distance(word: &str, name: &str) -> Option<usize> {
    let distance = strsim::damerau_levenshtein(&word.to_lowercase(), &name.to_lowercase());
    Some(distance).filter(|distance| *distance <= 1 + word.len() / 5)
}

/// The names that are most like `word`, the best first, at most three: those that are near it, or else those that are a part of
/// it or that it is a part of, unless there are too many.
pub fn closest_names<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let names: Vec<&str> = names.into_iter().collect();
    let near = |name: &&'n str| name_distance(word, name).map(|distance| (distance, *name));
    let mut near: Vec<(usize, &str)> = names.iter().filter_map(near).collect();
    near.sort_unstable();
    near.dedup();
    if !near.is_empty() {
        return near.into_iter().take(MOST_NAMES).map(|(_, name)| name).collect();
    }
    let is_part = |part: &str, name: &str| part.len() >= LEAST_PART && name.contains(part);
    let word = word.to_lowercase();
    let is_like = |name: &&str| {
        let name = name.to_lowercase();
        is_part(&word, &name) || is_part(&name, &word)
    };
    let mut like: Vec<&str> = names.into_iter().filter(is_like).collect();
    like.sort_unstable();
    like.dedup();
    if like.len() > MOST_NAMES { Vec::new() } else { like }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_parts_of_names_where_there_are_none() {
        let names = ["copy-feats", "copy-matrix", "copy-vector", "copy-tree", "table-info", "sort", "ali"];
        let closest = |word| closest_names(word, names);
        assert_eq!(closest("copy-feets"), ["copy-feats"]);
        assert_eq!(closest("COPY-TREE"), ["copy-tree"]);
        assert_eq!(closest("sotr"), ["sort"]);
        assert_eq!(closest("table"), ["table-info"]);
        assert_eq!(closest("sorting"), ["sort"]);
        // In too many names, too short, or in none.
        for word in ["copy", "in", "lattice"] {
            assert!(closest(word).is_empty(), "{word}");
        }
        assert_eq!(closest_names("utt", ["utt3", "utt2", "utt2", "utt4", "utt1"]), ["utt1", "utt2", "utt3"]);
    }
}

//! Sets of phones that sound alike.

use std::collections::BTreeMap;

use kaldi_io::ParseError;
use kaldi_io::log::{log, warning};
use kaldi_value::Cursor;
use kaldi_value::number::general;
use kaldi_value::random::Random;

use super::gauss_stats::sum_of_counts;
use super::k_means::{KMeans, cluster_tree};
use super::{GaussStats, PDF_CLASS, TreeError, TreeStats};

/// Sets of phones whose statistics are clustered.
pub struct PhoneClusterer<'a> {
    /// The statistics of events.
    pub stats: &'a TreeStats,
    /// The sets, which stay together.
    pub sets: &'a [Vec<i32>],
    /// The pdf classes whose statistics count.
    pub pdf_classes: &'a [i32],
    /// The key of the phone itself.
    pub central_position: i32,
}

/// Reads sets of integers, one a line.
///
/// # Errors
/// If a word is no integer.
pub fn read_phone_sets(bytes: &[u8]) -> Result<Vec<Vec<i32>>, ParseError> {
    let mut sets = Vec::new();
    let mut cursor = Cursor::new(bytes);
    while !cursor.rest().is_empty() {
        let start = cursor.offset();
        let line = String::from_utf8_lossy(cursor.read_line()?);
        let integer = |word: &str| {
            let error = |_| format!("line {}: expected integers, got \"{word}\"", sets.len() + 1);
            word.parse::<i32>().map_err(error)
        };
        let words = line.split([' ', '\t', '\r']).filter(|word| !word.is_empty());
        let set = words.map(integer).collect::<Result<Vec<i32>, String>>();
        let set = set.map_err(|message| ParseError::new(start, message))?;
        sets.push(set);
    }
    Ok(sets)
}

impl PhoneClusterer<'_> {
    /// Finds sets of phones that are worth a question: the clusters of a tree except its root, the largest first;
    /// and the original sets.
    ///
    /// # Errors
    /// If a set is empty, a phone is in two sets, or the statistics lack a key.
    pub fn questions(&self) -> Result<Vec<Vec<i32>>, TreeError> {
        let (sets, sums) = self.sums()?;
        let points: Vec<&GaussStats> = sums.iter().collect();
        let tree = cluster_tree(&points, &mut Random::default())?;
        let mut clusters = vec![Vec::new(); tree.parents.len()];
        for (set, &leaf) in sets.iter().zip(&tree.assignments) {
            clusters[leaf].extend_from_slice(set);
        }
        for cluster in 0..clusters.len() {
            clusters[cluster].sort_unstable();
            let parent = tree.parents[cluster];
            // The root stays empty: no set asks for all phones.
            if parent + 1 < tree.parents.len() {
                let phones = clusters[cluster].clone();
                clusters[parent].extend(phones);
            }
        }
        let mut found = Vec::new();
        for set in clusters.into_iter().rev().chain(sets).filter(|set| !set.is_empty()) {
            if !found.contains(&set) {
                found.push(set);
            }
        }
        Ok(found)
    }

    /// Clusters the sets into `num_classes` larger ones.
    ///
    /// # Errors
    /// As [`PhoneClusterer::questions`], or if there are fewer sets than classes.
    pub fn classes(&self, num_classes: usize) -> Result<Vec<Vec<i32>>, TreeError> {
        if num_classes < 2 || num_classes > self.sets.len() {
            let message = format!(
                "expected a number of classes from 2 to {} (all phone sets), got {num_classes}",
                self.sets.len()
            );
            return Err(TreeError::Options(message));
        }
        let (sets, sums) = self.sums()?;
        let points: Vec<&GaussStats> = sums.iter().collect();
        let kmeans = KMeans { num_tries: 2, verbose: true };
        let clustering = kmeans.cluster(&points, num_classes, &mut Random::default())?;
        let count = sum_of_counts(points.iter().copied().map(Some));
        log!(
            "ClusterKMeans: objf change from clustering [versus single set] is {} over {} frames.",
            general(f64::from(clustering.gain / count)),
            general(f64::from(count))
        );
        let mut classes = vec![Vec::new(); num_classes];
        for (set, &class) in sets.iter().zip(&clustering.assignments) {
            classes[class].extend_from_slice(set);
        }
        classes.iter_mut().for_each(|class| class.sort_unstable());
        Ok(classes)
    }

    /// The sets with their phones in ascending order, and the sum of the statistics of each.
    fn sums(&self) -> Result<(Vec<Vec<i32>>, Vec<GaussStats>), TreeError> {
        self.stats.check()?;
        let sets = checked(self.sets)?;
        let by_phone = self.sums_by_phone()?;
        for phone in by_phone.keys().filter(|phone| !sets.iter().any(|set| set.binary_search(phone).is_ok())) {
            warning!("Phone {phone} is present in stats but is not in phone list [make sure you intended this].");
        }
        let Some(mut empty) = by_phone.values().next().cloned() else { return Err(TreeError::NoStats) };
        let example = empty.clone();
        empty.subtract(&example);
        let mut sums = Vec::new();
        for set in &sets {
            let of_phone = |phone: &i32| by_phone.get(phone).unwrap_or(&empty);
            let mut sum = of_phone(&set[0]).clone();
            set[1..].iter().for_each(|phone| sum.add(of_phone(phone)));
            if sum.count() as f32 == 0.0 {
                let phones: Vec<String> = set.iter().map(i32::to_string).collect();
                warning!("no stats available for phone set: {}", phones.join(" "));
            }
            sums.push(sum);
        }
        if sums.iter().filter(|sum| sum.count() as f32 == 0.0).count() + 1 >= sums.len() {
            warning!(
                "All or all but one of your classes of phones had no data; `pdf_class_list` says which pdf classes count"
            );
        }
        Ok((sets, sums))
    }

    fn sums_by_phone(&self) -> Result<BTreeMap<i32, GaussStats>, TreeError> {
        let mut by_phone: BTreeMap<i32, GaussStats> = BTreeMap::new();
        let mut num_retained = 0;
        for (event, stats) in self.stats.iter() {
            let get = |key: i32| event.get(key).ok_or_else(|| TreeError::NoKey { event: event.clone(), key });
            if !self.pdf_classes.contains(&get(PDF_CLASS)?) {
                continue;
            }
            num_retained += 1;
            let phone = get(self.central_position)?;
            let Some(stats) = stats else { continue };
            match by_phone.get_mut(&phone) {
                Some(sum) => sum.add(stats),
                None => drop(by_phone.insert(phone, stats.clone())),
            }
        }
        if num_retained * 10 < self.stats.len() {
            warning!(
                "only {num_retained} of {} statistics are of the pdf classes that `pdf_class_list` names; a topology of \
                 one state needs `pdf_class_list = 0`",
                self.stats.len()
            );
        }
        Ok(by_phone)
    }
}

/// The sets with their phones in ascending order; each phone must be in one set only.
fn checked(sets: &[Vec<i32>]) -> Result<Vec<Vec<i32>>, TreeError> {
    let mut sets = sets.to_vec();
    let mut phones = Vec::new();
    for (number, set) in sets.iter_mut().enumerate() {
        set.sort_unstable();
        if set.is_empty() {
            return Err(TreeError::PhoneSets(format!("phone set {} is empty", number + 1)));
        }
        phones.extend_from_slice(set);
    }
    phones.sort_unstable();
    match phones.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(TreeError::PhoneSets(format!("phone {} is in phone sets twice", pair[0]))),
        None => Ok(sets),
    }
}

#[cfg(test)]
mod tests {
    use kaldi_io::log::capture;

    use super::*;
    use crate::tree::Event;

    fn stats() -> TreeStats {
        let entry = |(phone, value): (i32, f32)| {
            let mut stats = GaussStats::new(1, 0.01);
            [value, value + 1.0].iter().for_each(|&frame| stats.add_frame(&[frame]));
            (Event::new(vec![(PDF_CLASS, 1), (0, phone)]), stats)
        };
        [(1, 0.0), (2, 20.0), (3, 0.5), (4, 20.5)].into_iter().map(entry).collect()
    }

    fn clusterer<'a>(stats: &'a TreeStats, sets: &'a [Vec<i32>]) -> PhoneClusterer<'a> {
        PhoneClusterer { stats, sets, pdf_classes: &[1], central_position: 0 }
    }

    #[test]
    fn questions_ask_for_clusters_of_phones() {
        let (stats, sets) = (stats(), [vec![1], vec![2], vec![3], vec![4]]);
        let mut found = clusterer(&stats, &sets).questions().unwrap();
        assert_eq!(found[0].len(), 2);
        found.sort();
        assert_eq!(found, [vec![1], vec![1, 3], vec![2], vec![2, 4], vec![3], vec![4]]);
    }

    #[test]
    fn classes_are_as_many_as_wanted() {
        let (stats, sets) = (stats(), [vec![1], vec![2], vec![4, 3], vec![5]]);
        let classes = |sets, count| {
            let (classes, lines) = capture(|| clusterer(&stats, sets).classes(count));
            (classes, String::from_utf8(lines).unwrap())
        };
        let (found, lines) = classes(&sets[..2], 2);
        let mut found = found.unwrap();
        found.sort();
        assert_eq!(found, [[1], [2]]);
        assert!(lines.contains("Phone 3 is present in stats but is not in phone list [make sure you intended this]."));
        let error = classes(&sets[..2], 3).0.unwrap_err().to_string();
        assert_eq!(error, "expected a number of classes from 2 to 2 (all phone sets), got 3");
        assert!(classes(&sets, 2).1.contains("no stats available for phone set: 5"));
    }

    #[test]
    fn sets_are_lines_of_integers() {
        assert_eq!(read_phone_sets(b"1 2\n\n 3\t4\r\n5").unwrap(), [vec![1, 2], vec![], vec![3, 4], vec![5]]);
        let error = read_phone_sets(b"1\na b\n").unwrap_err();
        assert_eq!((error.offset, error.to_string().as_str()), (2, "line 2: expected integers, got \"a\""));
    }

    #[test]
    fn a_phone_is_in_one_set() {
        let stats = stats();
        let error = |sets: &[Vec<i32>]| clusterer(&stats, sets).questions().unwrap_err().to_string();
        assert_eq!(error(&[vec![1, 2], vec![2]]), "phone 2 is in phone sets twice");
        assert_eq!(error(&[vec![1, 2], vec![]]), "phone set 2 is empty");
    }
}

//! The questions that a tree may ask.

use std::collections::BTreeMap;

use kaldi_io::{ParseError, excerpt};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_int_vector, write_token};

const BEGIN: &str = "<Questions>";
const END: &str = "</Questions>";

/// The questions that a tree may ask, for each key (Kaldi's `Questions`, the files of `compile-questions`). As text, for
/// key 0, the questions whether the phone is 1, or one of 1 and 2:
///
/// ```text
/// <Questions> <Key> 0 <QuestionsForKey> 2 [ 1 ]
/// [ 1 2 ]
/// <RefineClustersOptions> 0 2 </RefineClustersOptions> </QuestionsForKey> </Questions>
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    by_key: BTreeMap<i32, KeyQuestions>,
}

/// The questions about one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyQuestions {
    /// The sets of values that a question may ask for, each in ascending order.
    pub sets: Vec<Vec<i32>>,
    /// How a question is refined for its place in the tree.
    pub refinement: Refinement,
}

/// How clusters are refined: points move to a better cluster, as long as that helps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// How often all points are looked at, at most; 0 does not refine anything.
    pub num_iters: i32,
    /// How many clusters are looked at for each point, at least 2.
    pub num_clusters: i32,
}

impl Default for Refinement {
    fn default() -> Self {
        Self { num_iters: 0, num_clusters: 2 }
    }
}

impl Questions {
    /// Sets the questions about a key.
    pub fn insert(&mut self, key: i32, questions: KeyQuestions) {
        self.by_key.insert(key, questions);
    }

    /// The questions about a key; `None` if it must not be asked for.
    pub fn get(&self, key: i32) -> Option<&KeyQuestions> {
        self.by_key.get(&key)
    }

    /// The keys with their questions, by key.
    pub fn iter(&self) -> impl Iterator<Item = (i32, &KeyQuestions)> {
        self.by_key.iter().map(|(&key, questions)| (key, questions))
    }
}

impl KaldiObject for Questions {
    const NAME: &'static str = "questions";
    const TOKENS: Option<[&'static str; 2]> = Some([BEGIN, END]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token(BEGIN)?;
        let mut questions = Self::default();
        loop {
            cursor.skip_space();
            let start = cursor.offset();
            match cursor.read_token()? {
                token if token == END.as_bytes() => return Ok(questions),
                b"<Key>" => {
                    let key = cursor.read_basic()?;
                    questions.insert(key, KeyQuestions::read_part(cursor)?);
                }
                token => {
                    let message = format!("expected token \"<Key>\" or \"{END}\", got \"{}\"", excerpt(token));
                    return Err(ParseError::new(start, message));
                }
            }
        }
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, BEGIN.as_bytes());
        for (key, questions) in self.iter() {
            write_token(out, b"<Key>");
            write_basic(out, format, key);
            questions.write_part(out, format);
        }
        write_token(out, END.as_bytes());
    }
}

impl KeyQuestions {
    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<QuestionsForKey>")?;
        let start = cursor.offset();
        let count: i32 = cursor.read_basic()?;
        if count < 0 {
            return Err(ParseError::new(start, format!("expected a number of questions, got {count}")));
        }
        let mut sets = Vec::new();
        for _ in 0..count {
            if !cursor.is_binary() {
                cursor.skip_space();
            }
            let start = cursor.offset();
            let set = cursor.read_int_vector()?;
            if !set.is_sorted() || set.first().is_some_and(|&first| first < 0) {
                let message = "expected a question with values of 0 or more in ascending order";
                return Err(ParseError::new(start, message));
            }
            sets.push(set);
        }
        cursor.expect_token("<RefineClustersOptions>")?;
        let refinement = Refinement { num_iters: cursor.read_basic()?, num_clusters: cursor.read_basic()? };
        cursor.expect_token("</RefineClustersOptions>")?;
        cursor.expect_token("</QuestionsForKey>")?;
        Ok(Self { sets, refinement })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<QuestionsForKey>");
        write_basic(out, format, self.sets.len() as i32);
        self.sets.iter().for_each(|set| write_int_vector(out, format, set));
        write_token(out, b"<RefineClustersOptions>");
        write_basic(out, format, self.refinement.num_iters);
        write_basic(out, format, self.refinement.num_clusters);
        write_token(out, b"</RefineClustersOptions>");
        write_token(out, b"</QuestionsForKey>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::Value;
    use kaldi_value::testing::{keeps_the_contract_of_parsed, refuses};

    fn questions() -> Questions {
        let mut questions = Questions::default();
        questions.insert(0, KeyQuestions { sets: vec![vec![1], vec![1, 2]], ..KeyQuestions::default() });
        questions.insert(-1, KeyQuestions::default());
        questions
    }

    #[test]
    fn questions_keep_the_contract() {
        keeps_the_contract_of_parsed(|random| {
            let mut questions = Questions::default();
            for _ in 0..random.below(3) {
                let sets = random.many(3, |random| {
                    let mut set = random.many(3, |random| random.integer().max(0));
                    set.sort_unstable();
                    set
                });
                let refinement = Refinement { num_iters: random.integer(), num_clusters: random.integer() };
                questions.insert(random.integer(), KeyQuestions { sets, refinement });
            }
            questions
        });
    }

    #[test]
    fn questions_are_written_by_key() {
        let text = "<Questions> <Key> -1 <QuestionsForKey> 0 <RefineClustersOptions> 0 2 </RefineClustersOptions> \
                    </QuestionsForKey> <Key> 0 <QuestionsForKey> 2 [ 1 ]\n[ 1 2 ]\n<RefineClustersOptions> 0 2 \
                    </RefineClustersOptions> </QuestionsForKey> </Questions> ";
        assert_eq!(String::from_utf8(questions().to_bytes(Format::Text)).unwrap(), text);
    }

    #[test]
    fn damaged_questions_are_refused() {
        refuses::<Questions>(b"<Questions> <Kei> ", 12, "expected token \"<Key>\" or \"</Questions>\", got \"<Kei>\"");
        let message = "expected a question with values of 0 or more in ascending order";
        refuses::<Questions>(b"<Questions> <Key> 0 <QuestionsForKey> 1 [ 2 1 ]\n", 40, message);
        let message = "expected a number of questions, got -1";
        refuses::<Questions>(b"<Questions> <Key> 0 <QuestionsForKey> -1 [ 2 1 ]\n", 38, message);
    }
}

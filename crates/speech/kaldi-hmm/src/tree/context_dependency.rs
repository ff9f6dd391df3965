//! The tree of a model: from a window of phones and a pdf class to a pdf.

use std::collections::BTreeSet;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use super::{Event, EventMap, PDF_CLASS};

const BEGIN: &str = "ContextDependency";
const END: &str = "EndContextDependency";

/// A tree: it gives the pdf of a state from the phones around it (Kaldi's `ContextDependency`, the file `tree`).
///
/// Its keys are the positions 0 … N−1 in a window of N phones, and [`PDF_CLASS`]. Phone 0 stands for the places before
/// the first phone and after the last one. As text, a tree of one phone in the window (position 0), with phone 1 of
/// two classes:
///
/// ```text
/// ContextDependency 1 0 ToPdf TE 0 2 ( NULL TE -1 2 ( CE 0 CE 1 )
/// )
/// EndContextDependency
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextDependency {
    context_width: i32,
    central_position: i32,
    to_pdf: EventMap,
}

impl ContextDependency {
    /// A tree for windows of `context_width` phones, in which `central_position` is that of the phone itself.
    pub fn new(context_width: i32, central_position: i32, to_pdf: EventMap) -> Self {
        Self { context_width, central_position, to_pdf }
    }

    /// The number of phones in a window (N). A file may claim anything.
    pub fn context_width(&self) -> i32 {
        self.context_width
    }

    /// The position of the phone itself in the window (P). A file may claim anything.
    pub fn central_position(&self) -> i32 {
        self.central_position
    }

    /// The map from events to pdfs.
    pub fn to_pdf(&self) -> &EventMap {
        &self.to_pdf
    }

    /// The number of pdfs: the largest answer and one. A file may claim anything.
    pub fn num_pdfs(&self) -> usize {
        self.to_pdf.largest_answer().map_or(0, |largest| (i64::from(largest) + 1).max(0) as usize)
    }

    /// The pdf of a state of this class in a window of phones; `None` if the tree has none.
    pub fn pdf(&self, window: &[i32], pdf_class: i32) -> Option<i32> {
        self.to_pdf.answer(&Event::of_state(window, pdf_class))
    }

    /// The pdfs that a class of a phone may have in any context, in ascending order.
    pub fn possible_pdfs(&self, phone: i32, pdf_class: i32) -> Vec<i32> {
        self.to_pdf.possible_answers(&Event::new(vec![(self.central_position, phone), (PDF_CLASS, pdf_class)]))
    }

    /// The pairs of a forward pdf and a self-loop pdf that a state of a phone may have in any context of `phones`, in
    /// ascending order. `self_loop_class` is `None` if the state has no self-loop; then the second of each pair is −1.
    pub fn possible_pdf_pairs(
        &self,
        phone: i32,
        forward_class: i32,
        self_loop_class: Option<i32>,
        phones: &[i32],
    ) -> Vec<(i32, i32)> {
        let Some(self_loop_class) = self_loop_class else {
            return self.possible_pdfs(phone, forward_class).into_iter().map(|pdf| (pdf, -1)).collect();
        };
        let positions = self.asked_positions();
        let pdfs = |window: &[(i32, i32)], pdf_class: i32| {
            self.to_pdf.possible_answers(&Event::new([window, &[(PDF_CLASS, pdf_class)]].concat()))
        };
        let mut pairs = BTreeSet::new();
        let mut windows = vec![vec![(self.central_position, phone)]];
        while let Some(window) = windows.pop() {
            let (forward, self_loop) = (pdfs(&window, forward_class), pdfs(&window, self_loop_class));
            match positions.get(window.len() - 1) {
                // More phones of the window decide which of the pdfs belong together.
                Some(&position) if forward.len() > 1 && self_loop.len() > 1 => {
                    let neighbours = [0].iter().chain(phones);
                    windows.extend(neighbours.map(|&neighbour| [&window[..], &[(position, neighbour)]].concat()));
                }
                _ => {
                    let both = |forward: i32| self_loop.iter().map(move |&self_loop| (forward, self_loop));
                    pairs.extend(forward.into_iter().flat_map(both));
                }
            }
        }
        pairs.into_iter().collect()
    }

    /// The positions in the window that make a difference, except that of the phone itself; the nearest to it first.
    fn asked_positions(&self) -> Vec<i32> {
        let mut positions = self.to_pdf.keys();
        positions.retain(|&key| (0..self.context_width).contains(&key) && key != self.central_position);
        positions.sort_by_key(|&position| (i64::from(position) - i64::from(self.central_position)).abs());
        positions
    }
}

impl KaldiObject for ContextDependency {
    const NAME: &'static str = "tree";
    const TOKENS: Option<[&'static str; 2]> = Some([BEGIN, END]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token(BEGIN)?;
        let (context_width, central_position) = (cursor.read_basic()?, cursor.read_basic()?);
        if cursor.is_before("ToLength") {
            // Old trees also have the number of classes of each phone, which is that of the topology.
            cursor.expect_token("ToLength")?;
            EventMap::read_part(cursor)?;
        }
        cursor.expect_token("ToPdf")?;
        let start = cursor.offset();
        let Some(to_pdf) = EventMap::read_part(cursor)? else {
            return Err(ParseError::new(start, "expected a map to pdfs, got NULL"));
        };
        cursor.expect_token(END)?;
        Ok(Self { context_width, central_position, to_pdf })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, BEGIN.as_bytes());
        write_basic(out, format, self.context_width);
        write_basic(out, format, self.central_position);
        write_token(out, b"ToPdf");
        self.to_pdf.write_part(out, format);
        write_token(out, END.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::Value;
    use kaldi_value::testing::{keeps_the_contract_of_parsed, reads_before, refuses};

    fn tree(text: &str) -> ContextDependency {
        ContextDependency::read(&mut Cursor::new(text.as_bytes())).unwrap()
    }

    #[test]
    fn trees_keep_the_contract() {
        keeps_the_contract_of_parsed(|random| {
            let mut map = EventMap::leaf(random.integer());
            for _ in 0..random.below(5) {
                map = match random.below(2) {
                    0 => EventMap::split(random.integer(), random.many(4, |random| random.integer()), map.clone(), map),
                    _ => EventMap::table(random.integer(), vec![None, Some(map)]),
                };
            }
            ContextDependency::new(random.integer(), random.integer(), map)
        });
    }

    #[test]
    fn trees_are_written_as_kaldi_does() {
        let text = "ContextDependency 1 0 ToPdf TE 0 2 ( NULL TE -1 2 ( CE 0 CE 1 ) \n) \nEndContextDependency ";
        let tree = tree(text);
        assert_eq!(String::from_utf8(tree.to_bytes(Format::Text)).unwrap(), text);
        assert_eq!((tree.context_width(), tree.central_position(), tree.num_pdfs()), (1, 0, 2));
        assert_eq!((tree.pdf(&[1], 1), tree.pdf(&[0], 1), tree.pdf(&[2], 1)), (Some(1), None, None));
        assert_eq!(tree.possible_pdfs(1, 0), [0]);
        let binary = b"\0BContextDependency \x04\x01\0\0\0\x04\0\0\0\0ToPdf TE \x04\0\0\0\0\xfc\x01\0\0\0( CE \
                       \x04\x05\0\0\0) EndContextDependency ";
        let map = EventMap::table(0, vec![Some(EventMap::leaf(5))]);
        assert_eq!(ContextDependency::new(1, 0, map).to_bytes(Format::Binary), binary);
    }

    #[test]
    fn the_number_of_classes_in_old_trees_is_dropped() {
        let old = b"ContextDependency 1 0 ToLength TE 0 2 ( NULL CE 3 ) \nToPdf CE 4 EndContextDependency ";
        reads_before(old, b"", ContextDependency::new(1, 0, EventMap::leaf(4)));
    }

    #[test]
    fn there_are_no_pdfs_without_answers() {
        assert_eq!(tree("ContextDependency 1 0 ToPdf TE 0 2 ( NULL NULL ) EndContextDependency ").num_pdfs(), 0);
        assert_eq!(tree("ContextDependency 1 0 ToPdf CE -5 EndContextDependency ").num_pdfs(), 0);
        assert_eq!(tree("ContextDependency 1 0 ToPdf CE 2147483647 EndContextDependency ").num_pdfs(), 1 << 31);
    }

    #[test]
    fn damaged_trees_are_refused() {
        type Tree = ContextDependency;
        refuses::<Tree>(
            b"ContextDependency 1 0 ToPdf NULL EndContextDependency ",
            28,
            "expected a map to pdfs, got NULL",
        );
        refuses::<Tree>(b"ContextDependency 1 0 ToLeaf CE 0 ", 22, "expected token \"ToPdf\", got \"ToLeaf\"");
        let message = "expected token \"EndContextDependency\", got the end of the input";
        refuses::<Tree>(b"ContextDependency 1 0 ToPdf CE 0 EndContextDependency", 53, message);
    }

    /// In a window of two phones, the left one decides on both pdfs.
    #[test]
    fn pairs_of_pdfs_belong_to_the_same_context() {
        let by_left = |yes, no| EventMap::split(0, vec![0, 1], EventMap::leaf(yes), EventMap::leaf(no));
        let map = EventMap::table(PDF_CLASS, vec![Some(by_left(0, 1)), Some(by_left(2, 3))]);
        let tree = ContextDependency::new(2, 1, map);
        assert_eq!(tree.possible_pdf_pairs(1, 0, Some(1), &[1, 2]), [(0, 2), (1, 3)]);
        assert_eq!(tree.possible_pdf_pairs(1, 0, Some(1), &[1]), [(0, 2)]);
        assert_eq!(tree.possible_pdf_pairs(1, 0, None, &[1, 2]), [(0, -1), (1, -1)]);
        // The phone itself may be at an end of a longer window: the farthest position counts too.
        let tree = ContextDependency::new(3, 2, tree.to_pdf);
        assert_eq!(tree.possible_pdf_pairs(1, 0, Some(1), &[1, 2]), [(0, 2), (1, 3)]);
    }
}

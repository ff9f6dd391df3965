//! Changes of examples that are copied: one frame of several, less context, other times, names and weights.

use bstr::{BStr, BString};
use kaldi_value::random::Random;

use crate::{Error, Index, NnetChainExample, NnetExample, NnetIo, Result};

/// The input that context belongs to.
const INPUT: &str = "input";
/// The output that is renamed, weighted, and cut to a frame.
const OUTPUT: &str = "output";
/// The input whose times are never shifted.
const IVECTOR: &str = "ivector";

/// Which labelled frame of an example is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameChoice {
    /// The one with this t.
    At(i32),
    /// A random one from the first to the last.
    Random,
}

/// How examples are cut and shifted while they are copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameSelection {
    /// The labelled frame to keep; `None` keeps all.
    pub frame: Option<FrameChoice>,
    /// The most frames of `input` before the first labelled one; `None` keeps all.
    pub left_context: Option<i32>,
    /// The most frames of `input` after the last labelled one; `None` keeps all.
    pub right_context: Option<i32>,
    /// Added to all times but those of `ivector`.
    pub frame_shift: i32,
    /// Whether missing context was reported, on the left and on the right: it is, once.
    pub has_warned: [bool; 2],
}

/// The first and the last frame of something.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: i32,
    last: i32,
}

impl Span {
    fn of(indexes: &[Index], name: &BStr) -> Result<Self> {
        let frames = || indexes.iter().map(|index| index.t);
        match (frames().min(), frames().max()) {
            (Some(first), Some(last)) => Ok(Self { first, last }),
            _ => Err(Error::NoRows { name: name.into() }),
        }
    }

    fn contains(self, t: i32) -> bool {
        (self.first..=self.last).contains(&t)
    }
}

/// The spans of `input` and `output`, after a check that all are of one sequence.
#[derive(Default)]
struct Spans {
    input: Option<Span>,
    output: Option<Span>,
}

impl Spans {
    /// Looks at one input or output.
    fn add(&mut self, name: &BStr, indexes: &[Index]) -> Result<()> {
        let span = Span::of(indexes, name)?;
        if let Some(index) = indexes.iter().find(|index| index.n != 0) {
            return Err(Error::Merged { name: name.into(), n: index.n });
        }
        if name == INPUT {
            self.input = Some(span);
        } else if name == OUTPUT {
            self.output = Some(span);
        }
        Ok(())
    }

    fn both(self) -> Result<(Span, Span)> {
        let input = self.input.ok_or(Error::NoIo { name: INPUT })?;
        Ok((input, self.output.ok_or(Error::NoIo { name: OUTPUT })?))
    }
}

impl FrameSelection {
    /// Whether an example of nnet3 has to be looked at.
    pub fn is_needed(&self) -> bool {
        self.frame.is_some() || self.frame_shift != 0 || self.cuts_context()
    }

    fn cuts_context(&self) -> bool {
        self.left_context.is_some() || self.right_context.is_some()
    }

    /// Cuts and shifts an example; `None` if the frame that is wanted is before the first labelled one or after the last.
    /// Missing context is handed to `warn`, once for each side.
    ///
    /// # Errors
    /// If the example has several sequences, or no `input` or `output`, or the frame has no row.
    pub fn select(
        &mut self,
        example: &NnetExample,
        random: &mut Random,
        warn: impl FnMut(String),
    ) -> Result<Option<NnetExample>> {
        let mut spans = Spans::default();
        for io in &example.io {
            spans.add(io.name.as_ref(), &io.indexes)?;
        }
        let (input, mut output) = spans.both()?;
        if let Some(choice) = self.frame {
            let frame = match choice {
                FrameChoice::At(frame) => frame,
                FrameChoice::Random => draw_frame(output, random)?,
            };
            if !output.contains(frame) {
                return Ok(None);
            }
            output = Span { first: frame, last: frame };
        }
        let input = self.with_context(input, output, warn);
        let mut kept = Vec::with_capacity(example.io.len());
        for io in &example.io {
            kept.push(match &io.name {
                name if name == INPUT => filtered(io, input)?,
                name if name == OUTPUT => filtered(io, output)?,
                _ => io.clone(),
            });
        }
        shift_inputs(&mut kept, self.frame_shift)?;
        Ok(Some(NnetExample { io: kept }))
    }

    /// Cuts and shifts an example of a chain model. Outputs are shifted by the nearest multiple of their step.
    ///
    /// # Errors
    /// As [`FrameSelection::select`], and if an output has no step.
    pub fn select_chain(&mut self, example: &mut NnetChainExample, warn: impl FnMut(String)) -> Result<()> {
        if self.frame_shift != 0 {
            shift_inputs(&mut example.inputs, self.frame_shift)?;
            for output in &mut example.outputs {
                let step = step_of(&output.indexes).ok_or_else(|| Error::NoStep { name: output.name.clone() })?;
                let steps = (0.5 + f64::from(self.frame_shift) / f64::from(step)).floor();
                shift(&mut output.indexes, steps as i64 * i64::from(step))?;
            }
        }
        if self.cuts_context() {
            let mut spans = Spans::default();
            for input in &example.inputs {
                spans.add(input.name.as_ref(), &input.indexes)?;
            }
            for output in &example.outputs {
                spans.add(output.name.as_ref(), &output.indexes)?;
            }
            let (input, output) = spans.both()?;
            let span = self.with_context(input, output, warn);
            for input in example.inputs.iter_mut().filter(|input| input.name == INPUT) {
                *input = filtered(input, span)?;
            }
        }
        Ok(())
    }

    /// The frames of `input` that stay.
    fn with_context(&mut self, input: Span, output: Span, mut warn: impl FnMut(String)) -> Span {
        let mut span = input;
        let mut report = |side: usize, wanted: i32, got: i64| {
            let is_first = !std::mem::replace(&mut self.has_warned[side], true);
            let name = ["left", "right"][side];
            if is_first {
                warn(format!(
                    "You requested `{name}_context = {wanted}`, but example only has {name}-context of {got} (this warning \
                     comes only once; it may be harmless at the start or end of utterances)"
                ));
            }
        };
        if let Some(context) = self.left_context {
            let got = i64::from(output.first) - i64::from(input.first);
            if got < context.into() {
                report(0, context, got);
            }
            span.first = input.first.max(output.first.saturating_sub(context));
        }
        if let Some(context) = self.right_context {
            let got = i64::from(input.last) - i64::from(output.last);
            if got < context.into() {
                report(1, context, got);
            }
            span.last = input.last.min(output.last.saturating_add(context));
        }
        span
    }
}

/// What is changed by name in a training example of either kind.
pub trait ExampleOutput {
    /// Multiplies what has the name `output` by a weight: the matrices of nnet3, the weights of supervisions of chain models. A weight of 1
    /// needs no such output.
    ///
    /// # Errors
    /// If there is none.
    fn scale_output(&mut self, weight: f32) -> Result<()>;

    /// Gives another name to what has the name `output`.
    ///
    /// # Errors
    /// If there is none.
    fn rename_output(&mut self, name: &BStr) -> Result<()>;
}

/// Does something to each of `outputs`.
///
/// # Errors
/// If there is none.
fn for_each_output<'a, T: 'a>(outputs: impl Iterator<Item = &'a mut T>, work: impl FnMut(&'a mut T)) -> Result<()> {
    let mut outputs = outputs.peekable();
    outputs.peek().ok_or(Error::NoIo { name: OUTPUT })?;
    outputs.for_each(work);
    Ok(())
}

impl ExampleOutput for NnetExample {
    fn scale_output(&mut self, weight: f32) -> Result<()> {
        if weight == 1.0 {
            return Ok(());
        }
        for_each_output(self.io.iter_mut().filter(|io| io.name == OUTPUT), |io| io.matrix.scale(weight))
    }

    fn rename_output(&mut self, name: &BStr) -> Result<()> {
        for_each_output(self.io.iter_mut().filter(|io| io.name == OUTPUT), |io| io.name = BString::from(name))
    }
}

impl ExampleOutput for NnetChainExample {
    fn scale_output(&mut self, weight: f32) -> Result<()> {
        if weight == 1.0 {
            return Ok(());
        }
        let outputs = self.outputs.iter_mut().filter(|output| output.name == OUTPUT);
        for_each_output(outputs, |output| output.supervision.weight *= weight)
    }

    fn rename_output(&mut self, name: &BStr) -> Result<()> {
        let outputs = self.outputs.iter_mut().filter(|output| output.name == OUTPUT);
        for_each_output(outputs, |output| output.name = BString::from(name))
    }
}

/// Draws a frame as Kaldi's `RandInt` does.
fn draw_frame(span: Span, random: &mut Random) -> Result<i32> {
    let count = u32::try_from(i64::from(span.last) - i64::from(span.first) + 1).map_err(|_| Error::OutOfRange)?;
    Ok((i64::from(span.first) + i64::from(random.below(count))) as i32)
}

/// Keeps the rows within a span.
fn filtered(io: &NnetIo, span: Span) -> Result<NnetIo> {
    let keep: Vec<bool> = io.indexes.iter().map(|index| span.contains(index.t)).collect();
    let indexes: Vec<Index> = io.indexes.iter().copied().filter(|index| span.contains(index.t)).collect();
    if indexes.is_empty() {
        return Err(Error::NothingKept { name: io.name.clone(), first: span.first, last: span.last });
    }
    Ok(NnetIo { name: io.name.clone(), indexes, matrix: io.matrix.kept_rows(&keep) })
}

fn shift_inputs(inputs: &mut [NnetIo], frames: i32) -> Result<()> {
    inputs.iter_mut().filter(|io| io.name != IVECTOR).try_for_each(|io| shift(&mut io.indexes, frames.into()))
}

fn shift(indexes: &mut [Index], frames: i64) -> Result<()> {
    for index in indexes {
        index.t = i32::try_from(i64::from(index.t) + frames).map_err(|_| Error::OutOfRange)?;
    }
    Ok(())
}

/// The difference of the first two frames, which must ascend.
fn step_of(indexes: &[Index]) -> Option<i32> {
    let first = indexes.first()?.t;
    let step = indexes.iter().map(|index| index.t).find(|&t| t != first)?.checked_sub(first)?;
    (step > 0).then_some(step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IoMatrix, SparseRows};
    use kaldi_matrix::Matrix;

    /// Eight labelled frames with a context of 2 and 1.
    fn example() -> NnetExample {
        let matrix = Matrix::from_vec(11, 1, (0..11).map(|row| row as f32).collect());
        let mut labels = SparseRows::default();
        (0..8).for_each(|label| labels.push_labels(9, &[(label, 1.0)]).unwrap());
        let ivector = IoMatrix::Full(Matrix::from_vec(1, 1, vec![5.0]));
        NnetExample {
            io: vec![
                NnetIo::new("input", -2, 1, IoMatrix::Full(matrix)),
                NnetIo::new("ivector", 0, 1, ivector),
                NnetIo::new("output", 0, 1, IoMatrix::Sparse(labels)),
            ],
        }
    }

    fn frames(example: &NnetExample, name: &str) -> Vec<i32> {
        example.named(name).unwrap().indexes.iter().map(|index| index.t).collect()
    }

    #[test]
    fn a_frame_keeps_its_context() {
        let mut selection = FrameSelection { frame: Some(FrameChoice::At(3)), ..FrameSelection::default() };
        (selection.left_context, selection.right_context) = (Some(2), Some(0));
        let mut warnings = Vec::new();
        let cut =
            selection.select(&example(), &mut Random::default(), |warning| warnings.push(warning)).unwrap().unwrap();
        assert_eq!((frames(&cut, "input"), frames(&cut, "output")), (vec![1, 2, 3], vec![3]));
        assert_eq!(cut.named("input").unwrap().matrix.to_matrix().unwrap().as_slice(), [3.0, 4.0, 5.0]);
        assert_eq!(warnings, Vec::<String>::new());
    }

    #[test]
    fn a_frame_out_of_range_is_none_and_one_without_a_row_an_error() {
        let mut selection = FrameSelection { frame: Some(FrameChoice::At(8)), ..FrameSelection::default() };
        let select = |selection: &mut FrameSelection, example: &NnetExample| {
            selection.select(example, &mut Random::default(), |_| {})
        };
        assert_eq!(select(&mut selection, &example()).unwrap(), None);
        let mut thirds = example();
        thirds.io[2] = NnetIo::new("output", 0, 3, thirds.io[2].matrix.clone());
        let error = select(&mut selection, &thirds).unwrap_err();
        assert_eq!(error.to_string(), "\"output\" has no row with a frame from 8 to 8");
    }

    #[test]
    fn missing_context_is_reported_once_for_each_side() {
        let (mut selection, mut warnings) = (FrameSelection::default(), Vec::new());
        (selection.left_context, selection.right_context) = (Some(9), Some(9));
        for _ in 0..2 {
            let all = selection.select(&example(), &mut Random::default(), |warning| warnings.push(warning)).unwrap();
            assert_eq!(all.unwrap(), example());
        }
        assert!(
            matches!(&warnings[..], [left, right] if left.contains("left-context of 2") && right.contains("right-context of 1"))
        );
    }

    #[test]
    fn times_are_shifted_but_not_those_of_ivectors() {
        let mut selection = FrameSelection { frame_shift: -3, ..FrameSelection::default() };
        let shifted = selection.select(&example(), &mut Random::default(), |_| {}).unwrap().unwrap();
        assert_eq!(
            (frames(&shifted, "input")[0], frames(&shifted, "output")[0], frames(&shifted, "ivector")[0]),
            (-5, -3, 0)
        );
        selection.frame_shift = i32::MAX;
        assert!(matches!(selection.select(&example(), &mut Random::default(), |_| {}), Err(Error::OutOfRange)));
    }

    #[test]
    fn merged_examples_and_missing_names_are_errors() {
        let mut selection = FrameSelection { left_context: Some(0), ..FrameSelection::default() };
        let mut merged = example();
        merged.io[1].indexes[0].n = 2;
        let error = selection.select(&merged, &mut Random::default(), |_| {}).unwrap_err();
        assert!(error.to_string().contains("n = 2 in \"ivector\""), "{error}");
        let mut other = example();
        other.io[2].name = "output-0".into();
        assert!(matches!(
            selection.select(&other, &mut Random::default(), |_| {}),
            Err(Error::NoIo { name: "output" })
        ));
        assert!(other.scale_output(1.0).is_ok() && other.scale_output(2.0).is_err());
        assert!(other.rename_output("x".into()).is_err());
    }
}

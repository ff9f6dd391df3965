//! Lattices and FSTs: as arrays of Python, and what is computed from lattices.

use kaldi_any::ValueType;
use kaldi_lattice::{
    BayesRiskOptions, CompactLattice, Fst, Graph, GraphArrays, GraphForm, GraphValue, Lattice, Scale, to_compact,
};
use numpy::{Element, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::{Class, Failure, wrong_type, wrong_value};
use crate::interrupt::without_interpreter;
use crate::values::PythonValue;
use crate::values::class::{Class as PythonClass, LATTICE};
use crate::write::wrong;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(lattice_best_path, module)?)?;
    module.add_function(wrap_pyfunction!(lattice_words, module)?)
}

/// A lattice or an FST. (Functions over all types of a trait of another crate would rule out those over single types.)
pub trait Graphs: GraphValue {}

impl Graphs for Lattice {}
impl Graphs for CompactLattice {}
impl Graphs for Fst {}

impl<T: Graphs> PythonValue for T {
    const CLASS: Option<&'static PythonClass> = Some(&LATTICE);

    fn is_class(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(LATTICE.has(object)? && type_of(object)? == ValueType::of_graph(T::FORM))
    }

    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !Self::is_class(object)? {
            let value_type = ValueType::of_graph(T::FORM);
            return Err(wrong(&format!("a Lattice of the type {value_type}"), object));
        }
        Ok(of_python(object)?.0.into())
    }

    fn size(&self) -> usize {
        64 * (self.num_states() + self.num_arcs())
    }
}

/// A graph as an object of `kaldi_tables.Lattice`.
pub fn to_python<'py>(py: Python<'py>, graph: &Graph, form: GraphForm) -> PyResult<Bound<'py, PyAny>> {
    let arrays = GraphArrays::of(graph, form);
    let name = ValueType::of_graph(form).name();
    let ends = arrays.lengths.iter().scan(0, |end, &length| {
        *end += i64::from(length);
        Some(*end)
    });
    let offsets = PyArray1::from_vec(py, std::iter::once(0).chain(ends).collect());
    let (ints, floats) =
        (|values: &[i32]| PyArray1::from_slice(py, values), |values: &[f32]| PyArray1::from_slice(py, values));
    LATTICE.get(py)?.call1((
        name,
        arrays.start,
        ints(&arrays.from),
        ints(&arrays.to),
        ints(&arrays.input),
        ints(&arrays.output),
        floats(&arrays.graph),
        floats(&arrays.final_graph),
        floats(&arrays.acoustic),
        floats(&arrays.final_acoustic),
        offsets,
        ints(&arrays.ids),
    ))
}

/// The type of an object of `kaldi_tables.Lattice`.
fn type_of(value: &Bound<'_, PyAny>) -> PyResult<ValueType> {
    let name: String = value.getattr("type")?.extract()?;
    let known = name.parse().ok().filter(|value_type: &ValueType| value_type.graph_form().is_some());
    known.ok_or_else(|| wrong_value(format!("no type of lattices is {name:?}")))
}

/// The graph of an object of `kaldi_tables.Lattice`, which may have been changed.
fn of_python(value: &Bound<'_, PyAny>) -> PyResult<(Graph, GraphForm)> {
    let value_type = type_of(value)?;
    let form = value_type.graph_form().unwrap_or(GraphForm::Standard);
    let offsets: Vec<i64> = column(value, "offsets")?;
    let lengths = offsets.windows(2).map(|pair| i32::try_from(pair[1] - pair[0]).unwrap_or(-1)).collect();
    let arrays = GraphArrays {
        start: value.getattr("start")?.extract()?,
        from: column(value, "sources")?,
        to: column(value, "targets")?,
        input: column(value, "inputs")?,
        output: column(value, "outputs")?,
        graph: column(value, "graph_costs")?,
        acoustic: column(value, "acoustic_costs")?,
        final_graph: column(value, "final_graph_costs")?,
        final_acoustic: column(value, "final_acoustic_costs")?,
        lengths,
        ids: column(value, "ids")?,
    };
    Ok((arrays.into_graph(form).map_err(wrong_value)?, form))
}

fn column<T: Element + Copy>(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let array = value.getattr(name)?;
    let array: PyReadonlyArray1<'_, T> = array.extract().map_err(|_| {
        let types = if matches!(name, "offsets") {
            "int64"
        } else if name.ends_with("costs") {
            "float32"
        } else {
            "int32"
        };
        wrong_type(format!("expected {name} to be an array of {types} in one dimension"))
    })?;
    Ok(array.as_array().iter().copied().collect())
}

/// The lattice in compact form with scaled costs.
fn compact(value: &Bound<'_, PyAny>, acoustic_scale: f64, lm_scale: f64) -> PyResult<CompactLattice> {
    let (graph, form) = of_python(value)?;
    let mut lattice = match form {
        GraphForm::Plain => to_compact(&Lattice(graph)),
        GraphForm::Compact => CompactLattice(graph),
        GraphForm::Standard => return Err(wrong_type("expected a lattice, got an fst, which has no acoustic costs")),
    };
    lattice.scale(&Scale::new(lm_scale, acoustic_scale));
    Ok(lattice)
}

fn failed(error: kaldi_lattice::Error) -> Failure {
    Failure::new(Class::Data, error.to_string())
}

type Path<'py> = (Bound<'py, PyArray1<i32>>, Bound<'py, PyArray1<i32>>, f32, f32);

/// Words, transition-ids and both costs of the best path; None if there is none.
#[pyfunction]
fn lattice_best_path<'py>(
    py: Python<'py>,
    lattice: &Bound<'py, PyAny>,
    acoustic_scale: f64,
    lm_scale: f64,
) -> PyResult<Option<Path<'py>>> {
    let lattice = compact(lattice, acoustic_scale, lm_scale)?;
    let path = without_interpreter(py, || {
        let path = lattice.best_path().map_err(failed)?;
        Ok(path.and_then(|path| path.linear()))
    })?;
    Ok(path.map(|path| {
        let ints = |values: &[i32]| PyArray1::from_slice(py, values);
        (ints(&path.words), ints(&path.ids), path.cost.graph, path.cost.acoustic)
    }))
}

/// For each word its begin and end in frames, the word, and its confidence, by minimum Bayes risk.
#[pyfunction]
fn lattice_words(
    py: Python<'_>,
    lattice: &Bound<'_, PyAny>,
    acoustic_scale: f64,
    lm_scale: f64,
    decode_mbr: bool,
) -> PyResult<Vec<(f32, f32, i32, f32)>> {
    let lattice = compact(lattice, acoustic_scale, lm_scale)?;
    without_interpreter(py, || {
        let mut options = BayesRiskOptions::default();
        options.decode_mbr = decode_mbr;
        let found = lattice.bayes_risk(None, options).map_err(failed)?;
        let words = found.words.iter().zip(&found.times).zip(&found.confidences);
        Ok(words.map(|((&word, &(begin, end)), &confidence)| (begin, end, word, confidence)).collect())
    })
}

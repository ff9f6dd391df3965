//! Types of values that can be exported.

use array_files::DType;
use bstr::BStr;
use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_inspect::{Layout, Named, Numbers};
use kaldi_lattice::{CompactLattice, Fst, GraphForm, Lattice};
use kaldi_matrix::{HtkFeatures, SphinxFeatures};
use kaldi_table::{Entry, Erased, SequentialReader, WorkError};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;

use crate::array::Array;
use crate::item::Item;

/// A type of values that can be exported: how a table of them is opened, and how one is read. What is done with them is compiled once for
/// all types.
#[derive(Clone, Copy, Debug)]
pub struct ExportedType {
    open: fn(&BStr) -> kaldi_inspect::Result<SequentialReader<Erased>>,
    read: fn(&Entry<'_, Erased>) -> Result<Item, WorkError>,
}

impl ExportedType {
    /// That of a type of values; `None` if they are not exported. Vectors and matrices of all numbers are read as [`Numbers`].
    pub fn of(value_type: ValueType) -> Option<Self> {
        Some(match value_type {
            ValueType::Matrix | ValueType::Vector | ValueType::Int32Vector => Self::new::<Numbers>(),
            ValueType::Wave => Self::new::<Wave>(),
            ValueType::Int32 => Self::new::<i32>(),
            ValueType::Float => Self::new::<f32>(),
            ValueType::Double => Self::new::<f64>(),
            ValueType::Bool => Self::new::<bool>(),
            ValueType::Int32Matrix => Self::new::<IntMatrix>(),
            ValueType::Int32VectorVector => Self::new::<Vec<Vec<i32>>>(),
            ValueType::Int32Pairs => Self::new::<Vec<(i32, i32)>>(),
            ValueType::FloatPairs => Self::new::<Vec<(f32, f32)>>(),
            ValueType::Posterior => Self::new::<Posterior>(),
            ValueType::GaussPost => Self::new::<GaussPost>(),
            ValueType::Token => Self::new::<Token>(),
            ValueType::TokenVector => Self::new::<Tokens>(),
            ValueType::Htk => Self::new::<HtkFeatures>(),
            ValueType::Sphinx => Self::new::<SphinxFeatures>(),
            ValueType::Nnet3Example => Self::new::<NnetExample>(),
            ValueType::Nnet3ChainExample => Self::new::<NnetChainExample>(),
            ValueType::Lattice => Self::new::<Lattice>(),
            ValueType::CompactLattice => Self::new::<CompactLattice>(),
            ValueType::Fst => Self::new::<Fst>(),
            _ => return None,
        })
    }

    const fn new<T: Export>() -> Self {
        Self { open: |name| Ok(Named::open::<T>(name)?.erased()), read: T::read_item }
    }

    /// Opens a table of such values, or a single value; see [`Named::open`].
    ///
    /// # Errors
    /// As [`Named::open`].
    pub fn open(self, name: &BStr) -> kaldi_inspect::Result<SequentialReader<Erased>> {
        (self.open)(name)
    }

    /// Reads the value of an entry.
    pub(crate) fn read(self, entry: &Entry<'_, Erased>) -> Result<Item, WorkError> {
        (self.read)(entry)
    }
}

/// A value that becomes an item.
trait Export: Value + Sized + 'static {
    /// Gives the value away.
    fn into_item(self) -> Item;

    /// Reads the value of an entry.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read_item(entry: &Entry<'_, Erased>) -> Result<Item, WorkError> {
        Ok(entry.read_as::<Self>()?.into_item())
    }
}

impl Export for Numbers {
    fn into_item(self) -> Item {
        Item::Array(self.into())
    }

    /// Bytes stay where they are if possible.
    fn read_item(entry: &Entry<'_, Erased>) -> Result<Item, WorkError> {
        let lies_there = entry.bytes().and_then(Layout::find).zip(entry.shared_bytes());
        if let Some((Layout { dims, is_double, header }, mut data)) = lies_there {
            data.skip(header);
            let dtype = if is_double { DType::Float64 } else { DType::Float32 };
            return Ok(Item::Array(Array { dtype, dims, data }));
        }
        Ok(entry.read_as::<Self>()?.into_item())
    }
}

impl Export for i32 {
    fn into_item(self) -> Item {
        Item::Array(Array::from_i32(&[], &[self]))
    }
}

impl Export for f32 {
    fn into_item(self) -> Item {
        Item::Array(Array::from_f32(&[], &[self]))
    }
}

impl Export for f64 {
    fn into_item(self) -> Item {
        Item::Array(Array::from_f64(&[], &[self]))
    }
}

impl Export for bool {
    fn into_item(self) -> Item {
        Item::Array(Array::new(DType::Bool, &[], vec![u8::from(self)]))
    }
}

impl Export for Vec<(i32, i32)> {
    fn into_item(self) -> Item {
        let values: Vec<i32> = self.iter().flat_map(|&(first, second)| [first, second]).collect();
        Item::Array(Array::from_i32(&[self.len(), 2], &values))
    }
}

impl Export for Vec<(f32, f32)> {
    fn into_item(self) -> Item {
        let values: Vec<f32> = self.iter().flat_map(|&(first, second)| [first, second]).collect();
        Item::Array(Array::from_f32(&[self.len(), 2], &values))
    }
}

impl Export for IntMatrix {
    fn into_item(self) -> Item {
        Item::Array(Array::from_i32(&[self.num_rows(), self.num_cols()], self.as_slice()))
    }
}

impl Export for Vec<Vec<i32>> {
    fn into_item(self) -> Item {
        Item::Lists(self)
    }
}

impl Export for Posterior {
    fn into_item(self) -> Item {
        Item::Posterior(self.0)
    }
}

impl Export for GaussPost {
    fn into_item(self) -> Item {
        Item::GaussPost(self.0)
    }
}

impl Export for Token {
    fn into_item(self) -> Item {
        Item::Word(self.into_inner())
    }
}

impl Export for Tokens {
    fn into_item(self) -> Item {
        Item::Words(self.iter().map(ToOwned::to_owned).collect())
    }
}

impl Export for Wave {
    fn into_item(self) -> Item {
        Item::Wave(self)
    }
}

impl Export for NnetExample {
    fn into_item(self) -> Item {
        Item::Example(self)
    }
}

impl Export for NnetChainExample {
    fn into_item(self) -> Item {
        Item::ChainExample(self)
    }
}

impl Export for Lattice {
    fn into_item(self) -> Item {
        Item::Graph(self.0, GraphForm::Plain)
    }
}

impl Export for CompactLattice {
    fn into_item(self) -> Item {
        Item::Graph(self.0, GraphForm::Compact)
    }
}

impl Export for Fst {
    fn into_item(self) -> Item {
        Item::Graph(self.0, GraphForm::Standard)
    }
}

impl Export for HtkFeatures {
    fn into_item(self) -> Item {
        Item::Array(Numbers::from(self.into_feats()).into())
    }
}

impl Export for SphinxFeatures {
    fn into_item(self) -> Item {
        Item::Array(Numbers::from(self.into_feats()).into())
    }
}

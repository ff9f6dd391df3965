//! The values of shards: one field of each sample.

use std::fmt;

use bstr::{BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_corpus::shard::is_sound;
use kaldi_io::Rspecifier;
use kaldi_table::{Reader, SequentialReader, Session};
use kaldi_value::{Token, Tokens, Value};
use kaldi_wave::Wave;

use super::stream::Options;
use super::{Delivers, Item};
use crate::errors::{Class, Failure, Result};
use crate::values::{Precision, PythonValue};

/// The samples of shards in order.
pub trait Shards: fmt::Debug + Send {
    /// The next sample's value; `None` at the end.
    fn next_value(&mut self) -> Result<Option<(BString, Item)>>;
}

struct Typed<T: Value> {
    reader: SequentialReader<T>,
    delivers: Delivers,
    dtype: Option<Precision>,
}

impl<T: Value> fmt::Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Typed").finish_non_exhaustive()
    }
}

impl<T: PythonValue> Shards for Typed<T> {
    fn next_value(&mut self) -> Result<Option<(BString, Item)>> {
        let Some((key, value)) = self.reader.next()? else {
            self.reader.finish()?;
            return Ok(None);
        };
        let value = value.with_precision(self.dtype);
        let item = match self.delivers {
            Delivers::Keys => Item::Key,
            Delivers::Values => Item::Value(value),
            Delivers::Shapes => Item::Shape(value.shape()),
        };
        Ok(Some((key, item)))
    }
}

/// Opens shards (`shard:`, `shar:`). Without a type, the values are waveforms, or words if another field than one of sound is named. Such
/// a field may have numbers, too.
pub fn open(name: &BString, options: Options) -> Result<Box<dyn Shards>> {
    fn typed<T: PythonValue>(name: &BString, options: Options) -> Result<Box<dyn Shards>> {
        let reader = SequentialReader::<T>::open_with(name, Session::current().threads(1))?;
        Ok(Box::new(Typed { reader, delivers: options.delivers, dtype: options.dtype }))
    }
    let field = Rspecifier::parse(name.as_bstr()).and_then(|specifier| specifier.field);
    let is_other = field.is_some_and(|field| !is_sound(field.as_bstr()) && field != "recording");
    match options.wanted.value_type() {
        None if is_other => typed::<Tokens>(name, options),
        None | Some(ValueType::Wave) => typed::<Wave>(name, options),
        Some(ValueType::TokenVector) => typed::<Tokens>(name, options),
        // What a field has may be a number, or one word.
        Some(ValueType::Token) if is_other => typed::<Token>(name, options),
        Some(ValueType::Int32) if is_other => typed::<i32>(name, options),
        Some(ValueType::Float) if is_other => typed::<f32>(name, options),
        Some(ValueType::Double) if is_other => typed::<f64>(name, options),
        Some(ValueType::Bool) if is_other => typed::<bool>(name, options),
        Some(ValueType::Int32Vector) if is_other => typed::<Vec<i32>>(name, options),
        Some(other) => {
            let message = format!("shards hold values of type wave and token-vector, got type {other}");
            Err(Failure::new(Class::Specifier, message))
        }
    }
}

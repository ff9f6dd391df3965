//! The reader of one file.

use std::fmt;

use crate::{Error, Reader, Shape};

/// Reads one file, which `open` opens when the first value is requested.
///
/// `file` is its name, in any form that `open` takes.
pub fn file_reader<N, R, O>(file: N, open: O) -> FileReader<N, R, O>
where
    R: Reader,
    O: FnMut(&N) -> Result<R, R::Error>,
{
    FileReader { file, open, reader: None, ended: false, number: 0, shape: None }
}

/// The reader that [`file_reader`] makes.
pub struct FileReader<N, R: Reader, O> {
    file: N,
    open: O,
    reader: Option<R>,
    ended: bool,
    /// The number of values delivered.
    number: u64,
    shape: Option<Declared<N, R>>,
}

/// A shape that values must have.
struct Declared<N, R: Reader> {
    shape: Shape,
    dims: fn(&R::Item) -> Vec<usize>,
    refuse: fn(Error) -> R::Error,
    name: fn(&N) -> String,
}

impl<N, R: Reader, O> FileReader<N, R, O> {
    /// Returns an error for values whose dimensions, according to `dims`, are not those of `shape`.
    pub fn with_shape(self, shape: Shape, dims: fn(&R::Item) -> Vec<usize>) -> Self
    where
        N: fmt::Display,
        R::Error: From<Error>,
    {
        let declared = Declared { shape, dims, refuse: R::Error::from, name: N::to_string };
        Self { shape: Some(declared), ..self }
    }

    /// The name of the file.
    pub fn file(&self) -> &N {
        &self.file
    }
}

impl<N, R: Reader, O: FnMut(&N) -> Result<R, R::Error>> FileReader<N, R, O> {
    fn try_next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            closed => closed.insert((self.open)(&self.file)?),
        };
        let Some(value) = reader.next()? else { return Ok(None) };
        if let Some(declared) = &self.shape {
            let found = (declared.dims)(&value);
            if !declared.shape.matches(&found) {
                let (file, expected) = ((declared.name)(&self.file), declared.shape.clone());
                let error = Error::Shape { file, value: self.number, expected, found };
                return Err((declared.refuse)(error));
            }
        }
        self.number += 1;
        Ok(Some(value))
    }
}

impl<N, R: Reader, O: FnMut(&N) -> Result<R, R::Error>> Reader for FileReader<N, R, O> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        if self.ended {
            return Ok(None);
        }
        let next = self.try_next();
        self.ended = !matches!(next, Ok(Some(_)));
        next
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.number = 0;
        let restarted = self.reader.as_mut().map_or(Ok(()), Reader::restart);
        self.ended = restarted.is_err();
        restarted
    }

    /// Closes the file; a restart opens it again.
    fn finish(&mut self) -> Result<(), R::Error> {
        self.ended = true;
        self.reader.take().map_or(Ok(()), |mut reader| reader.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_fn};

    /// Vectors of these lengths.
    fn vectors(lengths: &'static [usize]) -> impl Reader<Item = Vec<u8>, Error = Error> {
        let mut next = 0;
        from_fn(move |_| {
            next += 1;
            Ok(lengths.get(next - 1).map(|&length| vec![0; length]))
        })
    }

    #[test]
    fn values_of_another_shape_are_refused_with_their_place() {
        let open = |_: &&str| Ok(vectors(&[3, 3, 4, 3]));
        let mut reader = file_reader("a.ark", open).with_shape(Shape::new(&[3]), |vector| vec![vector.len()]);
        assert_eq!([reader.next().unwrap(), reader.next().unwrap()], [Some(vec![0; 3]), Some(vec![0; 3])]);
        let error = reader.next().unwrap_err().to_string();
        assert_eq!(error, "a.ark: value 2: expected the shape [3], got [4]");
        assert_eq!(reader.next(), Ok(None));
        let mut free = file_reader("a.ark", open).with_shape(Shape::new(&[-1]), |vector| vec![vector.len()]);
        assert_eq!(free.read_all().unwrap().len(), 4);
    }

    #[test]
    fn a_file_is_opened_when_it_is_read() {
        let mut opened = 0;
        let mut reader = file_reader((), |()| {
            opened += 1;
            Ok(vectors(&[1]))
        });
        reader.finish().unwrap();
        assert_eq!(reader.next(), Ok(None));
        drop(reader);
        assert_eq!(opened, 0);
    }
}

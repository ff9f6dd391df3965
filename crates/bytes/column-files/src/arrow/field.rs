//! The fields of a schema: what values are, and which buffers they have.

use array_files::DType;

use super::flat::{Looked, Table};
use crate::{Leaf, LeafType};

/// The deepest and the most fields: a few bytes of metadata may repeat one as often as they like.
const DEEPEST: usize = 32;
const MOST: usize = 1 << 16;

/// What the values of a field are, and how they lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing at all, in no buffer.
    Null,
    Truth,
    Number(DType),
    Bytes {
        is_text: bool,
        is_large: bool,
    },
    /// So many bytes each.
    Fixed(usize),
    Struct,
    List {
        is_large: bool,
    },
    /// So many values each.
    FixedList(usize),
    /// Something that is not read.
    Other {
        name: &'static str,
        buffers: usize,
        /// Whether a batch says how many buffers more it has.
        is_view: bool,
    },
}

/// A column, or what is inside of one.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The number of the dictionary that has the values, and the type of the indices into it.
    pub(super) dictionary: Option<(i64, DType)>,
    pub(super) children: Vec<Field>,
    /// The index of its node.
    pub(super) node: usize,
    /// The index of its first buffer, if views before it had none more.
    pub(super) buffer: usize,
    /// Views before it.
    pub(super) num_views: usize,
}

/// Counts nodes, buffers and views.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) nodes: usize,
    pub(super) buffers: usize,
    pub(super) views: usize,
    fields: usize,
}

/// A schema.
#[derive(Clone, Debug, Default)]
pub(super) struct Schema {
    pub(super) fields: Vec<Field>,
    /// What it says of itself.
    pub(super) notes: Vec<(String, String)>,
    pub(super) counts: Counts,
}

impl Schema {
    /// Reads a schema, in messages of this version.
    pub(super) fn read(schema: &Table<'_>, version: i16) -> Looked<Self> {
        if schema.i16(0)? != 0 {
            return Err("expected numbers with their lowest byte first, got the other order".to_owned());
        }
        let mut counts = Counts::default();
        let fields = schema.tables(1)?.into_iter().map(|field| Field::read(&field, version, 0, &mut counts));
        let fields = fields.collect::<Looked<_>>()?;
        let notes = schema.tables(2)?.into_iter().map(|note| Ok((note.text(0)?.to_owned(), note.text(1)?.to_owned())));
        Ok(Self { fields, notes: notes.collect::<Looked<_>>()?, counts })
    }

    /// The columns and members of structs, each with the indices of the fields that lead to it.
    pub(super) fn leaves(&self) -> (Vec<Leaf>, Vec<Vec<usize>>) {
        let (mut leaves, mut paths) = (Vec::new(), Vec::new());
        for (index, field) in self.fields.iter().enumerate() {
            field.leaves(&field.name, &[index], &mut |leaf, path| {
                leaves.push(leaf);
                paths.push(path);
            });
        }
        (leaves, paths)
    }
}

impl Field {
    fn read(field: &Table<'_>, version: i16, depth: usize, counts: &mut Counts) -> Looked<Self> {
        counts.fields += 1;
        if depth > DEEPEST || counts.fields > MOST {
            return Err(format!("expected at most {MOST} columns, {DEEPEST} deep, got more"));
        }
        let (node, buffer, num_views) = (counts.nodes, counts.buffers, counts.views);
        let details = field.table(3)?;
        let kind = Kind::read(field.u8(2)?, details.as_ref(), version)?;
        let dictionary = match field.table(4)? {
            None => None,
            Some(dictionary) => {
                let indices = dictionary.table(1)?;
                let indices = indices.map_or(Ok(DType::Int32), |indices| integer(&indices))?;
                Some((dictionary.i64(0)?, indices))
            }
        };
        counts.nodes += 1;
        counts.buffers += if dictionary.is_some() { 2 } else { kind.num_buffers() };
        counts.views += usize::from(dictionary.is_none() && matches!(kind, Kind::Other { is_view: true, .. }));
        // What is below a dictionary is in its own batches.
        let mut apart = Counts { fields: counts.fields, ..Counts::default() };
        let below = if dictionary.is_some() { &mut apart } else { &mut *counts };
        let children = field.tables(5)?.into_iter().map(|child| Self::read(&child, version, depth + 1, below));
        let children = children.collect::<Looked<Vec<_>>>()?;
        counts.fields = counts.fields.max(apart.fields);
        if matches!(kind, Kind::List { .. } | Kind::FixedList(_)) && children.len() != 1 {
            return Err(format!("expected lists of one kind of values, got {}", children.len()));
        }
        Ok(Self { name: field.text(0)?.to_owned(), kind, dictionary, children, node, buffer, num_views })
    }

    /// The values of a dictionary, which are the only column of its batches.
    pub(super) fn values(&self) -> Self {
        Self { dictionary: None, node: 0, buffer: 0, num_views: 0, ..self.clone() }
    }

    fn leaves(&self, name: &str, path: &[usize], each: &mut impl FnMut(Leaf, Vec<usize>)) {
        if self.kind == Kind::Struct && self.dictionary.is_none() {
            for (index, child) in self.children.iter().enumerate() {
                child.leaves(&format!("{name}.{}", child.name), &[path, &[index]].concat(), each);
            }
            return;
        }
        let (mut value, mut num_lists) = (self, 0);
        while let (Kind::List { .. } | Kind::FixedList(_), [child], None) =
            (value.kind, value.children.as_slice(), value.dictionary)
        {
            (value, num_lists) = (child, num_lists + 1);
        }
        let element = value.leaf_type(num_lists);
        let dtype = if let Kind::Number(dtype) = value.kind { Some(dtype) } else { None };
        each(Leaf::new(name.to_owned(), element, num_lists, path.len() > 1, dtype), path.to_vec());
    }

    /// The type of its values, or of those in lists.
    fn leaf_type(&self, num_lists: usize) -> LeafType {
        match self.kind {
            // A column without any value could be text as well as anything else.
            Kind::Null if num_lists == 0 && self.dictionary.is_none() => LeafType::Text,
            Kind::Null => LeafType::Other("null"),
            Kind::Truth => LeafType::Truth,
            Kind::Number(dtype) if dtype.is_float() => LeafType::Real,
            Kind::Number(_) => LeafType::Integer,
            Kind::Bytes { is_text: true, .. } => LeafType::Text,
            Kind::Bytes { .. } | Kind::Fixed(_) => LeafType::Bytes,
            Kind::Struct => LeafType::Other("structs"),
            Kind::List { .. } | Kind::FixedList(_) => LeafType::Other("lists"),
            Kind::Other { name, .. } => LeafType::Other(name),
        }
    }
}

/// The type of integers.
fn integer(details: &Table<'_>) -> Looked<DType> {
    Ok(match (details.i32(0)?, details.u8(1)? != 0) {
        (8, true) => DType::Int8,
        (8, false) => DType::Uint8,
        (16, true) => DType::Int16,
        (16, false) => DType::Uint16,
        (32, true) => DType::Int32,
        (32, false) => DType::Uint32,
        (64, true) => DType::Int64,
        (64, false) => DType::Uint64,
        (bits, _) => return Err(format!("expected integers of 8, 16, 32 or 64 bits, got {bits}")),
    })
}

impl Kind {
    fn read(kind: u8, details: Option<&Table<'_>>, version: i16) -> Looked<Self> {
        let other = |name, buffers| Ok(Self::Other { name, buffers, is_view: false });
        let view = |name| Ok(Self::Other { name, buffers: 2, is_view: true });
        let size = || match details {
            Some(details) => details.i32(0).map(|size| usize::try_from(size).unwrap_or_default()),
            None => Ok(0),
        };
        // Version 4 (3 here) of the format had validity in unions, too.
        let validity = usize::from(version < 4);
        match kind {
            1 => Ok(Self::Null),
            2 => details.map_or(Ok(Self::Number(DType::Int32)), |it| integer(it).map(Self::Number)),
            3 => match details.map_or(Ok(0), |details| details.i16(0))? {
                0 => Ok(Self::Number(DType::Float16)),
                1 => Ok(Self::Number(DType::Float32)),
                2 => Ok(Self::Number(DType::Float64)),
                other => Err(format!("expected numbers of half, single or double precision, got {other}")),
            },
            4 => Ok(Self::Bytes { is_text: false, is_large: false }),
            5 => Ok(Self::Bytes { is_text: true, is_large: false }),
            6 => Ok(Self::Truth),
            7 => other("decimal number", 2),
            8 => other("date", 2),
            9 => other("time", 2),
            10 => other("timestamp", 2),
            11 => other("interval", 2),
            12 => Ok(Self::List { is_large: false }),
            13 => Ok(Self::Struct),
            14 => match details.map_or(Ok(0), |details| details.i16(0))? {
                0 => other("union", 1 + validity),
                _ => other("union", 2 + validity),
            },
            // Values without bytes could be as many as they like.
            15 => Ok(match size()? {
                0 => Self::Other { name: "values without bytes", buffers: 2, is_view: false },
                width => Self::Fixed(width),
            }),
            16 => Ok(match size()? {
                0 => Self::Other { name: "empty lists", buffers: 1, is_view: false },
                size => Self::FixedList(size),
            }),
            17 => other("map", 2),
            18 => other("duration", 2),
            19 => Ok(Self::Bytes { is_text: false, is_large: true }),
            20 => Ok(Self::Bytes { is_text: true, is_large: true }),
            21 => Ok(Self::List { is_large: true }),
            22 => other("values with lengths of runs", 0),
            23 => view("views of bytes"),
            24 => view("views of strings"),
            25 | 26 => other("views of lists", 3),
            unknown => Err(format!("expected a type of Arrow from 1 to 26, got {unknown}")),
        }
    }

    fn num_buffers(self) -> usize {
        match self {
            Self::Null => 0,
            Self::Struct | Self::FixedList(_) => 1,
            Self::Truth | Self::Number(_) | Self::Fixed(_) | Self::List { .. } => 2,
            Self::Bytes { .. } => 3,
            Self::Other { buffers, .. } => buffers,
        }
    }
}

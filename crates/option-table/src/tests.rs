//! Tables of derived structs, and values that become structs.

use bstr::BString;

use crate::{FieldValue, OptionKind, OptionRow, Options, Role, TableRow, Values};

const WORDS: [(&str, char); 2] = [("train", 't'), ("valid", 'v')];

/// A name of an input.
#[derive(Debug, PartialEq)]
struct Name(Vec<u8>);

impl FieldValue for Name {
    const ROLE: Option<Role> = Some(Role::Input);

    fn parse(text: &bstr::BStr) -> Result<Self, crate::Cause> {
        Ok(Self(text.to_vec()))
    }
}

#[derive(Debug, PartialEq, Options)]
struct All {
    /// Take logarithms.
    ///
    /// This paragraph is not a part of the help.
    #[option]
    apply_log: bool,
    /// The part
    /// of the data ...
    #[option(old_name = "split", default = "train", one_of = &WORDS, renamed = &[("dev", "valid")])]
    part: char,
    #[flatten]
    group: Group,
    /// Names
    #[option(name = "file_names", also = "names", also = "files", heading = "Files")]
    all: Vec<Name>,
    /// A rule
    #[option(parse = rule)]
    r#type: Option<u8>,
    first: Name,
    second: Option<String>,
    #[argument(required)]
    others: Vec<String>,
}

#[derive(Debug, PartialEq, Options)]
struct Group {
    /// Factor
    #[option(default = 0.5 + 0.25)]
    scale: f32,
}

/// Its defaults are those of the struct, and all its fields are options.
#[derive(Debug, PartialEq, Options)]
#[options(default)]
struct Library {
    /// Number of bins; 1 is for `cut`, and `part = valid`, not `Part`.
    #[option(min = 1)]
    num_bins: usize,
    /// Cut here.
    cut: Option<u32>,
    /// Channel.
    #[option(min = -1, max = 9, none = "-1")]
    channel: Option<u8>,
    /// Lifter.
    #[option(kind = i32)]
    lifter: f32,
    #[option(skip)]
    mode: bool,
    /// The part.
    #[option(one_of = &WORDS)]
    part: char,
}

impl Default for Library {
    fn default() -> Self {
        Self { num_bins: 23, cut: Some(3), channel: None, lifter: 22.0, mode: true, part: 'v' }
    }
}

fn rule(text: &str) -> Result<u8, String> {
    text.strip_prefix("n").and_then(|number| number.parse().ok()).ok_or_else(|| "expected n and a number".to_owned())
}

fn options(table: &'static [TableRow]) -> Vec<&'static OptionRow> {
    let mut options = Vec::new();
    TableRow::visit(table, &mut |row| {
        if let TableRow::Option(row) = row {
            options.push(row);
        }
    });
    options
}

/// The values of fields in the order of the table, each with spaces between its values.
fn values<O: Options>(texts: &[&str]) -> crate::Result<O> {
    let mut values = Values::default();
    let mut texts = texts.iter().map(|text| text.split_whitespace().map(BString::from).collect());
    TableRow::visit(O::TABLE, &mut |row| match row {
        TableRow::Option(row) => values.push_option(row, texts.next().unwrap()),
        TableRow::Argument(row) => values.push_argument(row, texts.next().unwrap()),
        TableRow::Group(_) => unreachable!(),
    });
    O::take(&mut values)
}

#[test]
fn rows_tell_what_the_fields_are() {
    let rows = options(All::TABLE);
    let names: Vec<_> = rows.iter().map(|row| (row.field, row.name)).collect();
    let expected =
        [("apply_log", "apply-log"), ("part", "part"), ("scale", "scale"), ("all", "file_names"), ("type", "type")];
    assert_eq!(names, expected);
    let helps: Vec<_> = rows.iter().map(|row| row.help).collect();
    assert_eq!(helps, ["Take logarithms", "The part of the data ...", "Factor", "Names", "A rule"]);
    let defaults: Vec<_> = rows.iter().map(|row| (row.default)().unwrap_or_default()).collect();
    assert_eq!(defaults, ["false", "train", "0.75", "", ""]);
    let kinds: Vec<_> = rows.iter().map(|row| row.kind()).collect();
    let text = OptionKind::Text;
    assert_eq!(kinds, [OptionKind::Bool, text, OptionKind::Float, text, text]);
    assert_eq!(((rows[1].choices)(), rows[1].old_choices), (vec!["train", "valid"], &[("dev", "valid")][..]));
    assert_eq!((rows[1].old_names, rows[3].aliases), (&["split"][..], &["names", "files"][..]));
    assert_eq!((rows[3].heading, rows[3].role, rows[3].repeats), (Some("Files"), Some(Role::Input), true));
    let arguments: Vec<_> = All::TABLE
        .iter()
        .filter_map(|row| match row {
            TableRow::Argument(row) => Some((row.field, row.role.is_some(), row.required, row.many)),
            _ => None,
        })
        .collect();
    assert_eq!(
        arguments,
        [("first", true, true, false), ("second", false, false, false), ("others", false, true, true)]
    );
}

#[test]
fn values_become_fields() {
    let name = |text: &str| Name(text.into());
    let left_out = values::<All>(&["", "", "", "", "", "x", "", "y"]).unwrap();
    let group = Group { scale: 0.75 };
    let expected = All {
        apply_log: false,
        part: 't',
        group,
        all: vec![],
        r#type: None,
        first: name("x"),
        second: None,
        others: vec!["y".to_owned()],
    };
    assert_eq!(left_out, expected);
    let given = values::<All>(&["true", "valid", "2", "a b", "n3", "x", "y", "z u"]).unwrap();
    assert!(given.apply_log && given.part == 'v' && given.group.scale == 2.0 && given.r#type == Some(3));
    assert_eq!((given.all, given.second.as_deref()), (vec![name("a"), name("b")], Some("y")));
    assert_eq!(given.others, ["z", "u"]);
}

#[test]
fn what_a_type_refuses_is_named() {
    for (texts, expected) in [
        (["", "", "", "", "x", "x", "", ""], "Invalid option --type=x: expected n and a number"),
        (["", "test", "", "", "", "x", "", ""], "Invalid option --part=test: expected train or valid"),
        (["", "", "x", "", "", "x", "", ""], "Invalid option --scale=x: invalid float literal"),
        (["", "", "", "", "", "", "", ""], "expected an argument: first"),
    ] {
        assert_eq!(values::<All>(&texts).unwrap_err().to_string(), expected);
    }
    let mut values = Values::default();
    let TableRow::Argument(row) = &All::TABLE[6] else { panic!() };
    values.push_argument(row, vec![BString::from(b"\xff".to_vec())]);
    let error = values.optional(<String as FieldValue>::parse).unwrap_err().to_string();
    assert_eq!(error, "invalid second \"\u{fffd}\": expected UTF-8");
}

#[test]
fn a_struct_may_have_the_defaults() {
    let rows = options(Library::TABLE);
    let defaults: Vec<_> = rows.iter().map(|row| (row.default)().unwrap()).collect();
    assert_eq!(defaults.join(" "), "23 3 -1 22 valid");
    assert_eq!(rows[0].help, "Number of bins; 1 is for --cut, and --part=valid, not `Part`");
    let kinds: Vec<_> = rows.iter().map(|row| row.kind().to_string()).collect();
    assert_eq!(kinds.join(" "), "int uint int int string");
    assert_eq!(rows[2].kind(), OptionKind::Int { min: -1, max: 9 });
    assert_eq!(values::<Library>(&["", "", "", "", ""]).unwrap(), Library::default());
    let given = values::<Library>(&["4", "5", "7", "3", "train"]).unwrap();
    let expected = Library { num_bins: 4, cut: Some(5), channel: Some(7), lifter: 3.0, mode: true, part: 't' };
    assert_eq!(given, expected);
    assert_eq!(values::<Library>(&["", "", "-1", "", ""]).unwrap().channel, None);
    crate::testing::keeps_its_defaults::<Library>();
}

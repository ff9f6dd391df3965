//! A field of a struct of options: its row, and how its value is taken.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Error, GenericArgument, LitStr, PathArguments, Result, Type};

use crate::attributes::{OptionAttribute, has, has_word, help};

/// How many values a field has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    One,
    /// The type is an `Option`.
    Optional,
    /// The type is a `Vec`.
    Many,
}

/// A field.
pub struct Field<'a> {
    ident: &'a Ident,
    /// The type of a value.
    value: &'a Type,
    role: FieldRole,
}

enum FieldRole {
    /// It has the default of the struct.
    Skipped,
    /// The rows of another struct.
    Group,
    Argument {
        number: Number,
        required: bool,
    },
    Option {
        number: Number,
        help: String,
        attribute: Box<OptionAttribute>,
        /// Whether the struct implements `Default`, which has the default of this option.
        of_struct: bool,
    },
}

impl<'a> Field<'a> {
    /// Reads a field; `has_default` if the struct has the defaults.
    pub fn of(field: &'a syn::Field, has_default: bool) -> Result<Self> {
        let Some(ident) = &field.ident else { return Err(Error::new_spanned(field, "expected a name")) };
        let attribute = OptionAttribute::of(&field.attrs)?;
        let (number, value) = number(&field.ty);
        let role = match attribute {
            _ if has(&field.attrs, "flatten") => {
                return Ok(Self { ident, value: &field.ty, role: FieldRole::Group });
            }
            Some(attribute) if attribute.skip => FieldRole::Skipped,
            None if !has_default => {
                let required = has_word(&field.attrs, "argument", "required")?;
                FieldRole::Argument { number, required: required || number == Number::One }
            }
            attribute => {
                let attribute = Box::new(attribute.unwrap_or_default());
                let of_struct = has_default && attribute.default.is_none();
                FieldRole::Option { number, help: help(&field.attrs), attribute, of_struct }
            }
        };
        let this = Self { ident, value, role };
        this.check()?;
        Ok(this)
    }

    fn check(&self) -> Result<()> {
        let FieldRole::Option { number, attribute, of_struct, help } = &self.role else { return Ok(()) };
        let refuse = |why| Err(Error::new(self.ident.span(), why));
        if help.is_empty() {
            return refuse("expected a doc comment, which is the help of the option");
        }
        if *number == Number::One && attribute.default.is_none() && !of_struct && !is_bool(self.value) {
            return refuse("expected default = ..., or an Option");
        }
        if *number != Number::One && attribute.default.is_some() {
            return refuse("an Option or a Vec has no default");
        }
        if attribute.renamed.is_some() && attribute.one_of.is_none() {
            return refuse("expected one_of = ... beside renamed");
        }
        if attribute.parse.is_some() && attribute.one_of.is_some() {
            return refuse("expected one of parse and one_of");
        }
        if attribute.none.is_some() && *number != Number::Optional {
            return refuse("expected an Option with none = ...");
        }
        Ok(())
    }

    /// The row of the table; empty if there is none.
    pub fn row(&self) -> TokenStream {
        let value = self.value;
        let name = self.ident.unraw().to_string();
        match &self.role {
            FieldRole::Skipped => TokenStream::new(),
            FieldRole::Group => quote_spanned! {value.span()=>
                ::option_table::TableRow::Group(<#value as ::option_table::Options>::TABLE)
            },
            FieldRole::Argument { number, required } => {
                let many = *number == Number::Many;
                quote_spanned! {value.span()=>
                    ::option_table::TableRow::Argument(::option_table::ArgumentRow {
                        field: #name,
                        role: <#value as ::option_table::FieldValue>::ROLE,
                        required: #required,
                        many: #many,
                    })
                }
            }
            FieldRole::Option { number, help, attribute, .. } => {
                let dashed = LitStr::new(&name.replace('_', "-"), Span::call_site());
                let option_name = attribute.name.clone().unwrap_or_else(|| quote!(#dashed));
                let (aliases, old_names) = (&attribute.aliases, &attribute.old_names);
                let heading = optional(attribute.heading.as_ref());
                let default = self.default_text();
                let many = *number == Number::Many;
                let choices = attribute
                    .one_of
                    .as_ref()
                    .map_or_else(|| quote!(::std::vec::Vec::new), |words| quote!(|| ::option_table::words(#words)));
                let old_choices = attribute.renamed.clone().unwrap_or_else(|| quote!(&[]));
                let role = match attribute.one_of.is_some() || attribute.parse.is_some() {
                    true => quote!(::core::option::Option::None),
                    false => quote_spanned!(value.span()=> <#value as ::option_table::FieldValue>::ROLE),
                };
                let kind = self.kind(attribute);
                quote! {
                    ::option_table::TableRow::Option(::option_table::OptionRow {
                        field: #name,
                        name: #option_name,
                        aliases: &[#(#aliases),*],
                        old_names: &[#(#old_names),*],
                        help: #help,
                        heading: #heading,
                        kind: #kind,
                        role: #role,
                        default: #default,
                        choices: #choices,
                        old_choices: #old_choices,
                        repeats: #many,
                    })
                }
            }
        }
    }

    /// The function that returns the kind of an option.
    fn kind(&self, attribute: &OptionAttribute) -> TokenStream {
        let value = self.value;
        if let Some(kind) = &attribute.kind {
            return quote!(::option_table::OptionKind::of::<#kind>);
        }
        if attribute.min.is_some() || attribute.max.is_some() {
            let min = attribute.min.clone().unwrap_or_else(|| quote!(::core::primitive::i32::MIN as i64));
            let max = attribute.max.clone().unwrap_or_else(|| quote!(::core::primitive::i32::MAX as i64));
            return quote!(|| ::option_table::OptionKind::Int { min: #min, max: #max });
        }
        if attribute.one_of.is_some() || attribute.parse.is_some() {
            return quote!(|| ::option_table::OptionKind::Text);
        }
        quote_spanned!(value.span()=> <#value as ::option_table::FieldValue>::kind)
    }

    /// The function that returns the text of the default.
    fn default_text(&self) -> TokenStream {
        let (ident, value) = (self.ident, self.value);
        let FieldRole::Option { number, attribute, of_struct, .. } = &self.role else { return TokenStream::new() };
        let some = |text: TokenStream| quote!(|| ::core::option::Option::Some(#text));
        let text_of = |shown: &TokenStream| match &attribute.one_of {
            Some(words) => quote!(::option_table::word_of(#words, #shown)),
            None => quote!(::std::string::ToString::to_string(#shown)),
        };
        match &attribute.default {
            Some(text) if is_text(text) => some(quote!(::std::borrow::ToOwned::to_owned(#text))),
            Some(default) => {
                let text = text_of(&quote!(&default));
                some(quote!({ let default: #value = #default; #text }))
            }
            None if *of_struct => {
                let default = quote!(<Self as ::core::default::Default>::default().#ident);
                match number {
                    Number::One => some(text_of(&quote!(&#default))),
                    Number::Optional => {
                        let text = text_of(&quote!(value));
                        let text = quote!(#default.as_ref().map(|value| #text));
                        match &attribute.none {
                            Some(none) => some(quote!(#text.unwrap_or_else(|| ::std::string::String::from(#none)))),
                            None => quote!(|| #text),
                        }
                    }
                    Number::Many => quote!(|| ::core::option::Option::None),
                }
            }
            None if *number == Number::One => some(quote!(::std::string::String::from("false"))),
            None => quote!(|| ::core::option::Option::None),
        }
    }

    /// The field in the expression of the struct.
    pub fn value(&self) -> TokenStream {
        let (ident, value) = (self.ident, self.value);
        let taken = match &self.role {
            FieldRole::Skipped => quote!(<Self as ::core::default::Default>::default().#ident),
            FieldRole::Group => quote_spanned!(value.span()=> <#value as ::option_table::Options>::take(values)?),
            FieldRole::Argument { number, .. } => {
                let parse = quote_spanned!(value.span()=> <#value as ::option_table::FieldValue>::parse);
                match number {
                    Number::One => quote!(values.one(#parse)?),
                    Number::Optional => quote!(values.optional(#parse)?),
                    Number::Many => quote!(values.many(#parse)?),
                }
            }
            FieldRole::Option { number, attribute, of_struct, .. } => {
                let parse = match (&attribute.one_of, &attribute.parse) {
                    (Some(words), _) => quote!(|text| ::option_table::one_of::<#value>(text, #words)),
                    (None, Some(parse)) => quote!(|text| ::option_table::parse_with(text, #parse)),
                    (None, None) => quote_spanned!(value.span()=> <#value as ::option_table::FieldValue>::parse),
                };
                match (number, &attribute.default) {
                    (Number::Many, _) => quote!(values.many(#parse)?),
                    (Number::Optional, _) if *of_struct => {
                        let given = match &attribute.none {
                            Some(none) => quote!(values.optional(::option_table::none_or(#none, #parse))?),
                            None => quote!(values.optional(#parse)?.map(::core::option::Option::Some)),
                        };
                        quote!(#given.unwrap_or_else(|| <Self as ::core::default::Default>::default().#ident))
                    }
                    (Number::Optional, _) => quote!(values.optional(#parse)?),
                    (Number::One, Some(text)) if is_text(text) => quote!(values.or_text(#text, #parse)?),
                    (Number::One, Some(default)) => quote!(match values.optional(#parse)? {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => #default,
                    }),
                    (Number::One, None) if *of_struct => quote!(match values.optional(#parse)? {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => <Self as ::core::default::Default>::default().#ident,
                    }),
                    (Number::One, None) => quote!(values.optional(#parse)?.unwrap_or_default()),
                }
            }
        };
        quote!(#ident: #taken)
    }
}

fn optional(value: Option<&TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Whether an expression is a literal string.
fn is_text(value: &TokenStream) -> bool {
    syn::parse2::<LitStr>(value.clone()).is_ok()
}

fn is_bool(value: &Type) -> bool {
    matches!(value, Type::Path(path) if path.path.is_ident("bool"))
}

/// How many values a type has, and the type of each.
fn number(ty: &Type) -> (Number, &Type) {
    let Type::Path(path) = ty else { return (Number::One, ty) };
    let Some(last) = path.path.segments.last() else { return (Number::One, ty) };
    let number = match last.ident.to_string().as_str() {
        "Option" => Number::Optional,
        "Vec" => Number::Many,
        _ => return (Number::One, ty),
    };
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(value)) => (number, value),
            _ => (Number::One, ty),
        },
        _ => (Number::One, ty),
    }
}

#![doc = include_str!("../README.md")]

mod attributes;
mod field;

use proc_macro::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

use attributes::has_word;
use field::Field;

/// Makes a table of the fields of a struct, and reads their values; the crate `option-table` describes the attributes.
#[proc_macro_derive(Options, attributes(options, option, argument, flatten))]
pub fn derive_options(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(input: &DeriveInput) -> Result<proc_macro2::TokenStream> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "expected a struct"));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "expected fields with names"));
    };
    let has_default = has_word(&input.attrs, "options", "default")?;
    let fields = fields.named.iter().map(|field| Field::of(field, has_default)).collect::<Result<Vec<_>>>()?;
    let rows = fields.iter().map(Field::row).filter(|row| !row.is_empty());
    let values = fields.iter().map(Field::value);
    let name = &input.ident;
    let (for_impl, of_type, with) = input.generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #for_impl ::option_table::Options for #name #of_type #with {
            const TABLE: &'static [::option_table::TableRow] = &[#(#rows),*];

            fn take(values: &mut ::option_table::Values) -> ::option_table::Result<Self> {
                let _ = &values;
                Ok(Self { #(#values),* })
            }
        }
    })
}

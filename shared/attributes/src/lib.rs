//! `#[derive(Attributes)]` gives a stored item a typed constant for each attribute, from the struct that serde reads and writes:
//!
//! ```ignore
//! #[derive(Serialize, Deserialize, Attributes)]
//! struct WorkItem {
//!     pk: String,
//!     sk: String,
//!     due_at: Time,
//!     #[serde(rename = "progress", skip_serializing_if = "Option::is_none")]
//!     last_notified: Option<String>,
//! }
//! // WorkItem::DUE_AT: Attribute<Time>, named `due_at`
//! // WorkItem::LAST_NOTIFIED: Attribute<String>, named `progress`
//! ```
//!
//! - A name follows serde's `rename`. No item uses `rename_all`, so it is refused.
//! - An optional field that serde skips is an attribute that may be absent: its type is that of the value. Another optional
//!   field is stored as null, and keeps its type.
//! - `pk` and `sk` have no constants, because they are the same in each item.
//! - A field with `flatten` has no constant, because its fields are the attributes.
//!
//! The derive also adds a test: the item reads what earlier versions stored, and what they stored has its attributes (see
//! `store/stored_items`). A generic item has no such test, because only its uses have a type.

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{
    Attribute, Data, DeriveInput, Error, Field, Fields, GenericArgument, LitStr, PathArguments, Result, Token, Type,
};

/// The attributes of the primary key.
const KEY: [&str; 2] = ["pk", "sk"];

#[proc_macro_derive(Attributes, attributes(serde))]
pub fn derive_attributes(input: TokenStream) -> TokenStream {
    let item = syn::parse_macro_input!(input as DeriveInput);
    expand(&item).unwrap_or_else(Error::into_compile_error).into()
}

fn expand(item: &DeriveInput) -> Result<proc_macro2::TokenStream> {
    let (Data::Struct(data), name) = (&item.data, &item.ident) else {
        return Err(Error::new_spanned(
            item,
            "only a struct has attributes; derive them for the struct that is stored",
        ));
    };
    let Fields::Named(fields) = &data.fields else {
        return Err(Error::new_spanned(item, "attributes need names; give each field one"));
    };
    if options(&item.attrs)?.iter().any(|(option, _)| option == "rename_all") {
        return Err(Error::new_spanned(item, "`rename_all` is not supported; rename each field"));
    }
    let constants = fields.named.iter().map(constant).collect::<Result<Vec<_>>>()?;
    let (constants, names): (Vec<_>, Vec<_>) = constants.into_iter().flatten().unzip();
    let (generics, arguments, conditions) = item.generics.split_for_impl();
    let test = format_ident!("reads_stored_{}", name.to_string().to_lowercase());
    let test = item.generics.params.is_empty().then(|| {
        quote! {
            #[cfg(test)]
            #[test]
            fn #test() {
                let path = concat!(module_path!(), "::", stringify!(#name));
                crate::stored_items::check::<#name>(path, #name::ATTRIBUTES);
            }
        }
    });
    Ok(quote! {
        #[allow(dead_code)]
        impl #generics #name #arguments #conditions {
            #(#constants)*

            /// The names of all attributes.
            pub const ATTRIBUTES: &'static [&'static str] = &[#(#names),*];
        }

        #test
    })
}

/// The constant of a field and its name in storage. None if the field has no constant.
fn constant(field: &Field) -> Result<Option<(proc_macro2::TokenStream, String)>> {
    let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    let ident = ident.trim_start_matches("r#");
    let (mut name, mut is_flattened, mut may_be_absent) = (ident.to_owned(), false, false);
    for (option, value) in options(&field.attrs)? {
        match (option.as_str(), value) {
            ("rename", Some(renamed)) => name = renamed,
            ("flatten", _) => is_flattened = true,
            ("skip_serializing_if", Some(condition)) => may_be_absent = condition == "Option::is_none",
            _ => {}
        }
    }
    if is_flattened || KEY.contains(&ident) {
        return Ok(None);
    }
    let value = Some(&field.ty).filter(|_| may_be_absent).and_then(inside_option).unwrap_or(&field.ty);
    let constant = format_ident!("{}", ident.to_uppercase());
    let doc = format!("The attribute `{name}`.");
    let tokens = quote! {
        #[doc = #doc]
        pub const #constant: crate::attribute::Attribute<#value> = crate::attribute::Attribute::new(#name);
    };
    Ok(Some((tokens, name)))
}

/// The options in `#[serde(…)]`, each with its value.
fn options(attributes: &[Attribute]) -> Result<Vec<(String, Option<String>)>> {
    let mut options = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        attribute.parse_nested_meta(|option| {
            let value =
                if option.input.peek(Token![=]) { Some(option.value()?.parse::<LitStr>()?.value()) } else { None };
            options.push((option.path.get_ident().map(ToString::to_string).unwrap_or_default(), value));
            Ok(())
        })?;
    }
    Ok(options)
}

/// The type `T` of `Option<T>`.
fn inside_option(option: &Type) -> Option<&Type> {
    let Type::Path(path) = option else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(value) => Some(value),
        _ => None,
    }
}

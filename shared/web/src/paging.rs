//! Page-number pagination: the query parameters and the `meta` object of lists.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use domain::page::{Order, Page, PageRequest};
use domain::{Error, Result};

/// The position of a page in its list.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageMeta {
    pub page: u32,
    pub per_page: u32,
    /// The number of entries in the whole list
    pub total: u64,
    pub total_pages: u64,
}

impl<T> From<&Page<T>> for PageMeta {
    fn from(page: &Page<T>) -> Self {
        let PageRequest { page: number, per_page } = page.request;
        Self { page: number, per_page, total: page.total, total_pages: page.total_pages() }
    }
}

/// The sort order
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum OrderIn {
    Asc,
    #[default]
    Desc,
}

impl From<OrderIn> for Order {
    fn from(order: OrderIn) -> Self {
        match order {
            OrderIn::Asc => Self::Asc,
            OrderIn::Desc => Self::Desc,
        }
    }
}

/// The maximum length of the text of a search.
const MAX_SEARCH_CHARS: usize = 200;

/// Checks the query parameter `search`.
pub fn check_search(search: Option<&str>) -> Result<()> {
    if search.is_some_and(|search| search.chars().count() > MAX_SEARCH_CHARS) {
        return Err(Error::invalid_query("search", format!("at most {MAX_SEARCH_CHARS} characters")));
    }
    Ok(())
}

pub fn first_page() -> u32 {
    1
}

pub fn default_per_page() -> u32 {
    PageRequest::DEFAULT_PER_PAGE
}

/// Reads `page`: from 1 to the largest signed 32-bit integer.
pub fn page_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    number(deserializer, 1, i32::MAX.unsigned_abs())
}

/// Reads `perPage`: from 1 to 100.
pub fn per_page<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    number(deserializer, 1, PageRequest::MAX_PER_PAGE)
}

/// Reads a whole number from `least` to `most`.
pub fn number<'de, D: Deserializer<'de>>(deserializer: D, least: u32, most: u32) -> Result<u32, D::Error> {
    let refused = || D::Error::custom(format_args!("a whole number from {least} to {most}"));
    let text = String::deserialize(deserializer)?;
    // Rust parses `+1` as a number, but the API does not accept it.
    let digits = text.bytes().all(|c| c.is_ascii_digit());
    let number = text.parse().ok().filter(|number| digits && (least..=most).contains(number));
    number.ok_or_else(refused)
}

/// A comma-separated list (`a,b,c`); an entry matches if it has any of the values.
#[derive(Clone, Debug)]
pub struct CommaList<T>(pub Vec<T>);

impl<T> Default for CommaList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: DeserializeOwned + PartialEq> Deserialize<'de> for CommaList<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);

        impl<T: DeserializeOwned + PartialEq> serde::de::Visitor<'_> for Visitor<T> {
            type Value = CommaList<T>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a comma-separated list")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                let words = text.split(',').map(str::trim);
                let mut values = Vec::new();
                for word in words {
                    let value = T::deserialize(word.into_deserializer())?;
                    // Duplicates are dropped. That also limits the number of values in the database query.
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                Ok(CommaList(values))
            }
        }

        deserializer.deserialize_str(Visitor(PhantomData))
    }
}

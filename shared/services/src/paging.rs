//! How further pages of a list are requested.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the next page of a list is requested. Paths such as `response_metadata.next_cursor` are those of the answer's body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Paging {
    /// The answer has a cursor, which is the value of a parameter of the next request
    Cursor {
        parameter: String,
        /// The path of the cursor. It is missing, null or empty on the last page
        next: String,
    },
    /// The parameter is the number of items to skip
    Offset {
        parameter: String,
        /// The parameter with the number of items on a page
        size: String,
    },
    /// The parameter is the number of the page
    Page {
        parameter: String,
        /// The parameter with the number of items on a page, if it can be chosen
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        size: Option<String>,
        /// The number of the first page
        #[serde(default = "first_page")]
        first: u32,
    },
    /// The parameter is the id of the last item of the page before
    LastItem {
        parameter: String,
        /// The path of the id in an item
        id: String,
        /// The path of the field that says whether there is another page. Without it, an empty page is the last one
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        more: Option<String>,
    },
    /// The answer has the URL of the next page, which may be relative
    Url {
        /// The path of the URL. It is missing, null or empty on the last page
        next: String,
    },
    /// The header `Link` has the URL of the next page, with `rel="next"`
    LinkHeader,
}

fn first_page() -> u32 {
    1
}

impl Paging {
    /// The parameters of the operation that it names.
    #[cfg(test)]
    pub(crate) fn parameters(&self) -> Vec<&str> {
        match self {
            Self::Cursor { parameter, .. } | Self::LastItem { parameter, .. } => vec![parameter],
            Self::Offset { parameter, size } => vec![parameter, size],
            Self::Page { parameter, size, .. } => [parameter].into_iter().chain(size).map(String::as_str).collect(),
            Self::Url { .. } | Self::LinkHeader => Vec::new(),
        }
    }
}

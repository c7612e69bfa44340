//! List responses in the format of OpenAI, with cursor pagination.

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::cursor::Cursors;
use domain::page::Slice;

/// A complete list
#[derive(Serialize, ToSchema)]
pub struct List<T> {
    #[schema(example = "list")]
    object: &'static str,
    pub data: Vec<T>,
}

/// A page of a list with cursor pagination
#[derive(Serialize, ToSchema)]
pub struct CursorList<T> {
    #[schema(example = "list")]
    object: &'static str,
    pub data: Vec<T>,
    has_more: bool,
    /// Send it as `cursor` to get the next page; null on the last page
    #[schema(required)]
    next_cursor: Option<String>,
}

impl<T> List<T> {
    pub fn new(data: impl IntoIterator<Item = T>) -> Self {
        Self { object: "list", data: data.into_iter().collect() }
    }
}

impl<T> CursorList<T> {
    pub fn new<U: Into<T>>(slice: Slice<U>, cursors: Cursors) -> Self {
        let data = slice.items.into_iter().map(U::into).collect();
        let next_cursor = slice.next.map(|place| cursors.write(&place));
        Self { object: "list", data, has_more: next_cursor.is_some(), next_cursor }
    }
}

impl<T: Serialize> IntoResponse for List<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

impl<T: Serialize> IntoResponse for CursorList<T> {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

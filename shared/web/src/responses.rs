//! The OpenAPI descriptions of responses that several envelopes have.

use std::collections::BTreeMap;

use domain::id::PathIds;
use utoipa::ToSchema;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use super::etag::ETag;

/// The description of one response, by its status.
pub(super) type Described = BTreeMap<String, RefOr<Response>>;

/// Describes `201 Created` with the headers `H`. `body` names the schema of the body. The description is the doc comment
/// of `T`.
pub(super) fn created<T: ToSchema, H: ResponseHeaders>(body: String) -> Described {
    [("201".to_owned(), with_headers::<T, H>(body).into())].into()
}

/// Describes `200 OK` with the headers `H`. If the response may be streamed, it has events instead of the body.
pub(super) fn answered<T: ToSchema, H: ResponseHeaders>(may_be_streamed: bool) -> Described {
    let mut response = with_headers::<T, H>(T::name().into_owned());
    if may_be_streamed {
        response = response.content("text/event-stream", Content::new(Some(ObjectBuilder::new())));
    }
    [("200".to_owned(), response.into())].into()
}

/// Describes `200 OK` with a file and the headers `H`.
pub(super) fn file<H: ResponseHeaders>(media_type: &str, description: &str) -> Described {
    let bytes =
        ObjectBuilder::new().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    let response = ResponseBuilder::new().description(description).content(media_type, Content::new(Some(bytes)));
    [("200".to_owned(), add_headers::<H>(response).into())].into()
}

fn with_headers<T: ToSchema, H: ResponseHeaders>(body: String) -> ResponseBuilder {
    add_headers::<H>(with_body(body, doc_comment::<T>().trim_end_matches('.')))
}

fn add_headers<H: ResponseHeaders>(response: ResponseBuilder) -> ResponseBuilder {
    H::headers().into_iter().fold(response, |response, (name, header)| response.header(name, header))
}

/// Describes `404 Not Found`. The text names the resources that `I` identifies, followed by `problem`.
pub(super) fn not_found<I: PathIds>(body: &str, problem: &str) -> Described {
    let kinds = list_alternatives(&I::kinds());
    [("404".to_owned(), with_body(body, &format!("The {kinds} {problem}")).into())].into()
}

fn with_body(body: impl Into<String>, description: &str) -> ResponseBuilder {
    let content = Content::new(Some(Ref::from_schema_name(body)));
    ResponseBuilder::new().description(description).content("application/json", content)
}

/// `a`, `a or b`, or `a, b or c`.
fn list_alternatives(kinds: &[&str]) -> String {
    match kinds {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        _ => kinds.concat(),
    }
}

fn doc_comment<T: ToSchema>() -> String {
    let description = match T::schema() {
        RefOr::T(Schema::Object(object)) => object.description,
        RefOr::T(Schema::AllOf(all_of)) => all_of.description,
        _ => None,
    };
    description.unwrap_or_default()
}

/// The headers of a response.
pub trait ResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)>;
}

/// The header `Idempotent-Replayed`.
pub struct Replayed;

impl ResponseHeaders for () {
    fn headers() -> Vec<(&'static str, Header)> {
        Vec::new()
    }
}

impl ResponseHeaders for ETag {
    fn headers() -> Vec<(&'static str, Header)> {
        vec![("ETag", header(Type::String, "The version, for `If-Match`"))]
    }
}

impl ResponseHeaders for Replayed {
    fn headers() -> Vec<(&'static str, Header)> {
        vec![("Idempotent-Replayed", header(Type::Boolean, "`true` if this is a replayed response"))]
    }
}

impl<A: ResponseHeaders, B: ResponseHeaders> ResponseHeaders for (A, B) {
    fn headers() -> Vec<(&'static str, Header)> {
        A::headers().into_iter().chain(B::headers()).collect()
    }
}

/// Describes a header.
pub fn header(of: Type, description: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(of);
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
}

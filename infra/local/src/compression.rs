//! Compresses responses with gzip, as the deployed API does (`MinimumCompressionSize` of the template): JSON, HTML and
//! JavaScript. Streams of events are never compressed, because their events would wait for each other.

use http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate, SizeAbove};

/// Smaller responses fit in a packet or two anyway.
const MIN_BYTES: u16 = 1_024;
const COMPRESSED: [&str; 4] = ["application/json", "text/html", "text/javascript", "application/javascript"];

type IsText = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

pub fn layer() -> CompressionLayer<And<SizeAbove, IsText>> {
    CompressionLayer::new().gzip(true).compress_when(SizeAbove::new(MIN_BYTES).and(is_text as IsText))
}

fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media_type.is_some_and(|media_type| COMPRESSED.contains(&media_type.split(';').next().unwrap_or_default().trim()))
}

//! Fetches the images and documents that a request names by their URLs, for providers that take only bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::future::try_join_all;
use http::Request;
use http::header::USER_AGENT;

use super::conversation::invalid_request;
use crate::chat::{ChatRequest, ContentPart};
use crate::failure::ProviderFailure;
use domain::image::PictureFormat;
use domain::media_type;
use outbound::{Outbound, RequestTimeouts};

const MAX_FILES: usize = 20;
const MAX_FILE_BYTES: usize = 20 << 20;
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    total: Duration::from_secs(30),
};

/// Whether a part is named by a URL that the provider does not fetch itself.
pub fn is_link(part: &ContentPart) -> bool {
    url(part).is_some_and(|url| !url.starts_with("data:"))
}

fn url(part: &ContentPart) -> Option<&str> {
    match part {
        ContentPart::Image(url) => Some(url),
        ContentPart::File(file) => Some(&file.url),
        _ => None,
    }
}

/// The request with the bytes of the linked parts that `wants` selects. The same guard protects the platform's network as for
/// all calls to other systems.
pub async fn fetch_links<'a>(
    outbound: &Outbound,
    request: &'a ChatRequest,
    wants: impl Fn(&ContentPart) -> bool,
) -> Result<Cow<'a, ChatRequest>, ProviderFailure> {
    let parts = request.messages().iter().flat_map(|message| &message.parts);
    let links: Vec<_> = parts.filter(|part| wants(part) && is_link(part)).filter_map(url).collect();
    if links.is_empty() {
        return Ok(Cow::Borrowed(request));
    }
    if links.len() > MAX_FILES {
        let problem = format_args!("has more than {MAX_FILES} links; send the files as data: URLs");
        return Err(invalid_request("messages", problem));
    }
    let fetched = links.iter().map(|link| async move { Ok(((*link).to_owned(), fetch(outbound, link).await?)) });
    let fetched: BTreeMap<String, String> = try_join_all(fetched).await?.into_iter().collect();
    Ok(Cow::Owned(request.with_urls(&fetched)))
}

async fn fetch(outbound: &Outbound, link: &str) -> Result<String, ProviderFailure> {
    let failed = |why: &dyn std::fmt::Display| {
        invalid_request("messages", format_args!("a linked file could not be fetched: {why}. Send it as a data: URL"))
    };
    let request = Request::builder().uri(link).header(USER_AGENT, "atelier").body(Bytes::new());
    // Hosts of pictures redirect often. The guard checks each destination.
    let answer = outbound.follow(request.map_err(|_| failed(&"its URL is not valid"))?, &TIMEOUTS).await;
    let answer = answer.map_err(|error| failed(&error))?;
    if !answer.status.is_success() {
        return Err(failed(&format_args!("its host answered with status {}", answer.status)));
    }
    let named = media_type::of_headers(&answer.headers);
    let content = answer.body.read_to_end(MAX_FILE_BYTES).await.map_err(|error| failed(&error))?;
    let media_type = shown_type(&content).map_or(named, str::to_owned);
    Ok(format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(&content)))
}

/// The type that the first bytes show. Hosts often name another one.
fn shown_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        content => PictureFormat::of(content).map(PictureFormat::content_type),
    }
}

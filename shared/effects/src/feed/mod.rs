//! Performs `feed` nodes: reads an RSS, Atom or JSON feed. Everything that a feed says is optional, and much of what is
//! published breaks its format. So the readers take what they find, and what they do not find is null.

mod json;
mod text;
mod xml;

use domain::Result;
use engine::drive::{Effect, EffectResult};
use engine::nodes::OUT;
use engine::nodes::feed::FeedNode;
use engine::run::{StepError, StepOutcome};
use http::Uri;
use indexmap::IndexMap;
use outbound::Calls;
use platform::Context;
use platform::offload::offload;
use serde::Serialize;
use serde_json::Value;
use url::Url;

use crate::EffectOwner;
use crate::credentials::CallCredentials;
use crate::errors::{permanent, refused, to_effect_error};
use crate::http::{Caller, EvaluatedNode, Received, build_request};

/// The maximum size of a feed. Those of podcasts are large.
const MAX_FEED_BYTES: usize = 8 * 1024 * 1024;
const DEFAULT_LIMIT: u32 = 50;
/// The maximum number of categories and of attachments of an entry. The rest is left out.
const MAX_LABELS: usize = 100;
const ACCEPTED: &str = "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.1";

/// What a feed says.
#[derive(Debug, Default, PartialEq, Serialize)]
pub struct Feed {
    pub title: Option<String>,
    pub link: Option<String>,
    pub description: Option<String>,
    pub items: Vec<FeedItem>,
}

#[derive(Debug, Default, PartialEq, Serialize)]
pub struct FeedItem {
    pub id: Option<String>,
    pub title: Option<String>,
    pub link: Option<String>,
    pub summary: Option<String>,
    pub content: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
    pub updated: Option<String>,
    pub categories: Vec<String>,
    pub attachments: Vec<Attachment>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    pub url: String,
    pub content_type: Option<String>,
    pub bytes: Option<u64>,
}

pub struct FeedEffects {
    caller: Caller,
    credentials: CallCredentials,
}

impl FeedEffects {
    pub fn new(context: &Context, calls: Calls) -> Result<Self> {
        Ok(Self { caller: Caller::new(context, calls), credentials: CallCredentials::new(context)? })
    }

    /// Performs one attempt of a `feed` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, node: &FeedNode<String>) -> EffectResult {
        let request = build_request(&to_call(&node.url), &effect.idempotency_key).map_err(permanent)?;
        let opened = self.credentials.open(owner, node.credential_id, None, &node.url).await?;
        let credential = opened.as_ref().map(|(id, credential)| (*id, credential));
        let received = self.caller.receive(effect, request, credential, MAX_FEED_BYTES).await?;
        if !received.status.is_success() {
            let message = format!("the feed answered with status {}; check the URL", received.status.as_u16());
            return Err(refused("http_status", &message));
        }
        let limit = node.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let read = offload(move || Ok(read(&received, limit).map(Feed::into_value))).await.map_err(to_effect_error)?;
        Ok(StepOutcome::new(OUT, read.map_err(permanent)?))
    }
}

/// The call of an `http` node that asks for a feed.
fn to_call(url: &str) -> EvaluatedNode {
    EvaluatedNode {
        method: None,
        url: url.to_owned(),
        headers: [("accept".to_owned(), ACCEPTED.to_owned())].into(),
        query: IndexMap::new(),
        body: None,
        credential_id: None,
        response: None,
        fail_on_status: None,
    }
}

/// Reads the first entries of a feed.
fn read(received: &Received, limit: usize) -> Result<Feed, StepError> {
    let text = text::decode(received).ok_or_else(|| invalid("its characters are not those that it declares"))?;
    let text = text.trim_start();
    let mut feed = match text.as_bytes().first() {
        Some(b'{') => json::read(text, limit),
        Some(b'<') => xml::read(text, limit),
        _ => Err(not_a_feed()),
    }?;
    feed.resolve_links(&received.url);
    Ok(feed)
}

fn not_a_feed() -> StepError {
    invalid("it is no RSS, Atom or JSON feed; if the URL is that of a page, use the address of its feed")
}

fn invalid(problem: &str) -> StepError {
    StepError::new("feed_invalid", format!("the feed cannot be read: {problem}"))
}

impl Feed {
    /// Makes relative links absolute.
    fn resolve_links(&mut self, url: &Uri) {
        let Ok(base) = Url::parse(&url.to_string()) else { return };
        let resolve = |link: &mut String| {
            if let Ok(resolved) = base.join(link) {
                *link = resolved.into();
            }
        };
        self.link.iter_mut().for_each(resolve);
        for item in &mut self.items {
            item.link.iter_mut().for_each(resolve);
            item.attachments.iter_mut().for_each(|attachment| resolve(&mut attachment.url));
        }
    }

    fn into_value(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;

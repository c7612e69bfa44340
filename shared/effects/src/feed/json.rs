//! JSON Feed 1.0 and 1.1.

use engine::run::StepError;
use serde_json::Value;

use super::text::{non_blank, time};
use super::{Attachment, Feed, FeedItem, MAX_LABELS, invalid, not_a_feed};

pub fn read(text: &str, limit: usize) -> Result<Feed, StepError> {
    let feed = domain::json::parse_text(text).ok_or_else(|| invalid("it is no valid JSON"))?;
    let is_feed = feed["version"].as_str().is_some_and(|version| version.contains("jsonfeed.org"));
    let items = feed["items"].as_array().filter(|_| is_feed).ok_or_else(not_a_feed)?;
    Ok(Feed {
        title: string(&feed["title"]),
        link: string(&feed["home_page_url"]),
        description: string(&feed["description"]),
        items: items.iter().take(limit).map(read_item).collect(),
    })
}

fn read_item(item: &Value) -> FeedItem {
    let author = [&item["authors"][0]["name"], &item["author"]["name"]].into_iter().find_map(string);
    FeedItem {
        id: string(&item["id"]).or_else(|| item["id"].as_number().map(ToString::to_string)),
        title: string(&item["title"]),
        link: string(&item["url"]).or_else(|| string(&item["external_url"])),
        summary: string(&item["summary"]),
        content: string(&item["content_html"]).or_else(|| string(&item["content_text"])),
        author,
        published: item["date_published"].as_str().and_then(time),
        updated: item["date_modified"].as_str().and_then(time),
        categories: list(&item["tags"]).iter().filter_map(string).take(MAX_LABELS).collect(),
        attachments: list(&item["attachments"]).iter().filter_map(read_attachment).take(MAX_LABELS).collect(),
    }
}

fn read_attachment(attachment: &Value) -> Option<Attachment> {
    Some(Attachment {
        url: string(&attachment["url"])?,
        content_type: string(&attachment["mime_type"]),
        bytes: attachment["size_in_bytes"].as_u64(),
    })
}

fn string(value: &Value) -> Option<String> {
    value.as_str().and_then(non_blank)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

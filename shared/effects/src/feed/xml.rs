//! RSS 0.9, 1.0 and 2.0, and Atom. The elements are known by their usual prefixes, since few feeds use others.

use engine::run::StepError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::text::{non_blank, time};
use super::{Attachment, Feed, FeedItem, MAX_LABELS, invalid, not_a_feed};
use documents::entities;

/// Feeds are flat. A document that is nested deeper is none.
const MAX_DEPTH: usize = 100;

pub fn read(text: &str, limit: usize) -> Result<Feed, StepError> {
    let mut source = Reader::from_str(text);
    source.config_mut().check_end_names = false;
    source.config_mut().allow_unmatched_ends = true;
    let mut reader = FeedReader::default();
    while reader.feed.items.len() < limit {
        let event = source.read_event().map_err(|error| invalid(&format!("its XML is not valid: {error}")))?;
        match event {
            Event::Start(start) => {
                if is_markup(&start) {
                    // The markup is the text.
                    let markup = source.read_text(start.name());
                    let markup = markup.map_err(|error| invalid(&format!("its XML is not valid: {error}")))?;
                    reader.open(&start)?;
                    reader.text.push_str(&markup.decode().unwrap_or_default());
                    reader.close();
                } else {
                    reader.open(&start)?;
                }
            }
            Event::Empty(start) => {
                reader.open(&start)?;
                reader.close();
            }
            Event::End(end) => reader.close_named(&String::from_utf8_lossy(end.name().as_ref())),
            Event::Text(text) => reader.text.push_str(&text.decode().unwrap_or_default()),
            Event::CData(text) => reader.text.push_str(&text.decode().unwrap_or_default()),
            Event::GeneralRef(name) => {
                let reference = format!("&{};", name.decode().unwrap_or_default());
                reader.text.push_str(&entities::decode(&reference));
            }
            Event::Eof if reader.path.is_empty() => break,
            Event::Eof => return Err(invalid("it ends in the middle")),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
        }
    }
    if reader.is_feed { Ok(reader.feed) } else { Err(not_a_feed()) }
}

/// Whether an Atom text contains markup of its own, as XHTML.
fn is_markup(start: &BytesStart) -> bool {
    attribute(start, "type").is_some_and(|kind| kind == "xhtml")
}

fn attribute(start: &BytesStart, name: &str) -> Option<String> {
    let value = start.try_get_attribute(name).ok()??.value;
    non_blank(&entities::decode(&String::from_utf8_lossy(&value)))
}

#[derive(Default)]
struct FeedReader {
    /// The names of the open elements.
    path: Vec<String>,
    /// The text of the innermost element so far.
    text: String,
    feed: Feed,
    item: Option<FeedItem>,
    is_feed: bool,
}

impl FeedReader {
    fn open(&mut self, start: &BytesStart) -> Result<(), StepError> {
        let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
        let name = name.strip_prefix("atom:").map(str::to_owned).unwrap_or(name);
        if self.path.is_empty() {
            self.is_feed = ["rss", "feed", "rdf:RDF"].contains(&name.as_str());
            if !self.is_feed {
                return Err(not_a_feed());
            }
        }
        if self.path.len() == MAX_DEPTH {
            return Err(invalid("its elements are nested too deeply"));
        }
        if self.item.is_none() && ["item", "entry"].contains(&name.as_str()) {
            self.item = Some(FeedItem::default());
        }
        match name.as_str() {
            "link" => self.link(start),
            "enclosure" => self.attach(start, "url"),
            "category" => self.label(attribute(start, "term")),
            _ => {}
        }
        self.text.clear();
        self.path.push(name);
        Ok(())
    }

    /// Closes an element and those that were left open in it. An end without a begin is ignored.
    fn close_named(&mut self, name: &str) {
        let name = name.strip_prefix("atom:").unwrap_or(name);
        let Some(place) = self.path.iter().rposition(|open| open == name) else { return };
        while self.path.len() > place {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(name) = self.path.pop() else { return };
        let text = non_blank(&std::mem::take(&mut self.text));
        let parent = self.path.last().map(String::as_str).unwrap_or_default();
        match parent {
            _ if ["item", "entry"].contains(&name.as_str()) => self.feed.items.extend(self.item.take()),
            "item" | "entry" => self.set_of_item(&name, text),
            // An Atom author has a name, and an address that nobody needs to read.
            "author" if self.item.is_some() && name == "name" => self.set_author(text),
            "channel" | "feed" if self.item.is_none() => self.set_of_feed(&name, text),
            _ => {}
        }
    }

    fn set_of_feed(&mut self, name: &str, text: Option<String>) {
        let Feed { title, link, description, .. } = &mut self.feed;
        match name {
            "title" => set(title, text),
            "link" => set(link, text),
            "description" | "subtitle" => set(description, text),
            _ => {}
        }
    }

    fn set_of_item(&mut self, name: &str, text: Option<String>) {
        let Some(item) = &mut self.item else { return };
        let at = || text.as_deref().and_then(time);
        match name {
            "guid" | "id" => set(&mut item.id, text),
            "title" => set(&mut item.title, text),
            "link" => set(&mut item.link, text),
            "description" | "summary" => set(&mut item.summary, text),
            "content:encoded" | "content" => set(&mut item.content, text),
            "author" | "dc:creator" => self.set_author(text),
            "pubDate" | "published" | "issued" | "dc:date" => set(&mut item.published, at()),
            "updated" | "modified" => set(&mut item.updated, at()),
            "category" | "dc:subject" => self.label(text),
            _ => {}
        }
    }

    fn set_author(&mut self, text: Option<String>) {
        if let Some(item) = &mut self.item {
            set(&mut item.author, text);
        }
    }

    fn label(&mut self, category: Option<String>) {
        if let Some(item) = self.item.as_mut().filter(|item| item.categories.len() < MAX_LABELS) {
            item.categories.extend(category);
        }
    }

    /// An Atom link, whose address is an attribute.
    fn link(&mut self, start: &BytesStart) {
        let relation = attribute(start, "rel");
        match relation.as_deref() {
            None | Some("alternate") => {
                let parent = self.path.last().map(String::as_str).unwrap_or_default();
                let link = match (&mut self.item, parent) {
                    (Some(item), "item" | "entry") => &mut item.link,
                    (None, "channel" | "feed") => &mut self.feed.link,
                    _ => return,
                };
                set(link, attribute(start, "href"));
            }
            Some("enclosure") => self.attach(start, "href"),
            Some(_) => {}
        }
    }

    fn attach(&mut self, start: &BytesStart, address: &str) {
        let (Some(item), Some(url)) = (&mut self.item, attribute(start, address)) else { return };
        if item.attachments.len() == MAX_LABELS {
            return;
        }
        let bytes = attribute(start, "length").and_then(|length| length.parse().ok()).filter(|bytes| *bytes > 0);
        item.attachments.push(Attachment { url, content_type: attribute(start, "type"), bytes });
    }
}

/// The first value counts.
fn set(field: &mut Option<String>, value: Option<String>) {
    if field.is_none() {
        *field = value;
    }
}

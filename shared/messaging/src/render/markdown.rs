//! Reads Markdown (`CommonMark`, with tables, task lists and strikethrough) as a document.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::dialects::Dialect;
use super::document::Document;
use super::marks::{Mark, OpenMarks};
use super::table::Table;

/// The maximum length of a URL within a link. A longer one is shown as text, because a part must have room for its link.
const MAX_LINK_CHARS: usize = 1_000;
const MAX_LANGUAGE_CHARS: usize = 30;
/// Deeper lists are not indented further.
const MAX_INDENT: usize = 8;

pub fn read(markdown: &str, dialect: &dyn Dialect) -> Document {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader::new(dialect);
    for event in Parser::new_ext(markdown, options) {
        reader.read(event);
    }
    reader.document
}

struct Reader<'a> {
    dialect: &'a dyn Dialect,
    document: Document,
    marks: OpenMarks,
    /// The line breaks before the next text.
    breaks: usize,
    /// Whether the text ends with the bullet of a list item.
    is_after_bullet: bool,
    /// The open lists: the next number of an ordered one.
    lists: Vec<Option<u64>>,
    /// The open links: the URL, where the label starts, and whether it is a link of the provider.
    links: Vec<(String, usize, bool)>,
    table: Option<Table>,
}

impl<'a> Reader<'a> {
    fn new(dialect: &'a dyn Dialect) -> Self {
        Self {
            dialect,
            document: Document::default(),
            marks: OpenMarks::default(),
            breaks: 0,
            is_after_bullet: false,
            lists: Vec::new(),
            links: Vec::new(),
            table: None,
        }
    }

    fn read(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.write(&text),
            Event::Code(text) => {
                self.marks.open(Mark::Code);
                self.write(&text.replace('\n', " "));
                self.marks.close(&Mark::Code);
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let is_break = matches!(html.trim().to_ascii_lowercase().as_str(), "<br>" | "<br/>" | "<br />");
                if is_break { self.write("\n") } else { self.write(&html) }
            }
            Event::SoftBreak | Event::HardBreak => self.write("\n"),
            Event::Rule => {
                self.start_block();
                self.write("———");
                self.end_block();
            }
            Event::TaskListMarker(is_done) => self.write(if is_done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(name) => self.write(&format!("[{name}]")),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.start_block(),
            Tag::Heading { .. } => {
                self.start_block();
                self.marks.open(Mark::Bold);
            }
            Tag::BlockQuote(_) => {
                self.start_block();
                self.marks.open(Mark::Quote);
            }
            Tag::CodeBlock(kind) => {
                self.start_block();
                self.marks.open(Mark::Block(language(&kind).into()));
            }
            Tag::List(first) => {
                if self.lists.is_empty() {
                    self.start_block();
                }
                self.is_after_bullet = false;
                self.lists.push(first);
            }
            Tag::Item => self.start_item(),
            Tag::Emphasis => self.marks.open(Mark::Italic),
            Tag::Strong => self.marks.open(Mark::Bold),
            Tag::Strikethrough => self.marks.open(Mark::Strike),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => self.start_link(&dest_url),
            Tag::Table(_) => {
                self.start_block();
                self.table = Some(Table::default());
            }
            Tag::TableHead | Tag::TableRow => self.table.iter_mut().for_each(Table::start_row),
            Tag::TableCell => self.table.iter_mut().for_each(Table::start_cell),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.marks.close(&Mark::Bold);
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.marks.close(&Mark::Quote);
                self.end_block();
            }
            TagEnd::CodeBlock => {
                self.document.remove_last_line_break();
                self.marks.close(&Mark::Block("".into()));
                self.end_block();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.breaks = self.breaks.max(1);
                if self.lists.is_empty() {
                    self.end_block();
                }
            }
            TagEnd::Item => self.breaks = 1,
            TagEnd::Emphasis => self.marks.close(&Mark::Italic),
            TagEnd::Strong => self.marks.close(&Mark::Bold),
            TagEnd::Strikethrough => self.marks.close(&Mark::Strike),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    self.marks.open(Mark::Block("".into()));
                    self.write(&table.write());
                    self.marks.close(&Mark::Block("".into()));
                }
                self.end_block();
            }
            _ => {}
        }
    }

    /// The first block of a list item follows its bullet.
    fn start_block(&mut self) {
        if !self.document.ends_line() && !self.is_after_bullet {
            self.breaks = self.breaks.max(if self.lists.is_empty() { 2 } else { 1 });
        }
    }

    fn end_block(&mut self) {
        self.breaks = if self.lists.is_empty() { 2 } else { 1 };
    }

    fn start_item(&mut self) {
        if !self.document.ends_line() {
            self.breaks = self.breaks.max(1);
        }
        let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(MAX_INDENT));
        let bullet = match self.lists.last_mut() {
            Some(Some(number)) => {
                let bullet = format!("{number}. ");
                *number = number.saturating_add(1);
                bullet
            }
            _ => "• ".to_owned(),
        };
        self.write(&format!("{indent}{bullet}"));
        self.is_after_bullet = true;
    }

    /// Only web addresses become links: in Slack, a link to `!channel` would be a command.
    fn start_link(&mut self, url: &str) {
        let is_web = ["http://", "https://", "mailto:"].iter().any(|scheme| starts_with(url, scheme));
        let is_short = self.dialect.length(&self.dialect.escape_url(url)) <= MAX_LINK_CHARS;
        let is_plain = !url.chars().any(|c| c.is_control() || c.is_whitespace());
        let is_link = is_web && is_short && is_plain && self.table.is_none() && self.links.is_empty();
        if is_link {
            self.marks.open(Mark::Link(url.into()));
        }
        self.write_breaks();
        self.links.push((url.to_owned(), self.position(), is_link));
    }

    fn end_link(&mut self) {
        let Some((url, start, is_link)) = self.links.pop() else { return };
        let label = self.text_since(start);
        let is_url = label == url || Some(label.as_str()) == url.strip_prefix("mailto:");
        if is_link {
            if label.trim().is_empty() {
                self.write(&url);
            } else if is_url {
                // The providers recognize a URL in the text.
                self.document.remove_link(start);
            }
            self.marks.close(&Mark::Link("".into()));
        } else if !url.is_empty() && !is_url {
            self.write(&if label.trim().is_empty() { url } else { format!(" ({url})") });
        }
    }

    /// How much text there is in the cell or in the document.
    fn position(&self) -> usize {
        self.table.as_ref().map_or(self.document.atoms.len(), |table| table.cell().len())
    }

    fn text_since(&self, start: usize) -> String {
        match &self.table {
            Some(table) => table.cell().get(start..).unwrap_or_default().to_owned(),
            None => self.document.atoms[start..].iter().map(|atom| atom.char).collect(),
        }
    }

    fn write_breaks(&mut self) {
        let breaks = std::mem::take(&mut self.breaks);
        if !self.document.atoms.is_empty() {
            let quote = self.document.continued_quote(&self.marks.quote());
            self.document.push(&"\n".repeat(breaks), &quote);
        }
    }

    fn write(&mut self, text: &str) {
        if let Some(table) = &mut self.table {
            table.write_text(text);
            return;
        }
        if text.is_empty() {
            return;
        }
        self.write_breaks();
        self.is_after_bullet = false;
        let marks = self.marks.effective();
        let is_block = matches!(marks[..], [Mark::Block(_)]);
        if is_block {
            self.document.push(text, &marks);
            return;
        }
        // Inline formatting of Slack and WhatsApp ends at the end of the line.
        let quote = self.marks.quote();
        for (index, line) in text.split('\n').enumerate() {
            match index {
                0 => {}
                _ if matches!(marks.last(), Some(Mark::Link(_))) => self.document.push(" ", &marks),
                _ => self.document.push("\n", &quote),
            }
            self.document.push(line, &marks);
        }
    }
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// The language of a code block, if it is safe within a tag.
fn language(kind: &CodeBlockKind<'_>) -> String {
    let CodeBlockKind::Fenced(info) = kind else { return String::new() };
    let language = info.split_whitespace().next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-' | '_' | '.');
    if language.len() > MAX_LANGUAGE_CHARS || !language.chars().all(is_name) {
        String::new()
    } else {
        language.to_owned()
    }
}

//! The text of an HTML page: without tags, scripts and styles, with one paragraph for each block. It does not validate.

use crate::entities;

/// Elements whose content is no text of the page.
const HIDDEN: [&str; 7] = ["script", "style", "template", "svg", "iframe", "object", "canvas"];
/// Elements that are paragraphs of their own.
const BLOCKS: [&str; 32] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "details",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "title",
    "ul",
];
/// Elements that are lines of their own.
const LINES: [&str; 7] = ["br", "caption", "dd", "dt", "li", "option", "tr"];
const CELLS: [&str; 2] = ["td", "th"];

/// What separates the text so far from the text that follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Default)]
struct PageText {
    text: String,
    gap: Gap,
    /// How many `pre` elements are open. Their white space is kept.
    preformatted: usize,
}

/// Extracts the text of a page. Its time is linear in the size of the page.
pub fn extract_text(html: &str) -> String {
    let (mut page, mut rest) = (PageText::default(), html);
    while let Some(at) = rest.find('<') {
        page.push(&rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = after(comment, "-->");
        } else if rest.starts_with("<!") || rest.starts_with("<?") {
            rest = after(rest, ">");
        } else if let Some(tag) = Tag::read(rest) {
            rest = tag.rest;
            if HIDDEN.contains(&tag.name.as_str()) && tag.has_content() {
                rest = after_end_tag(rest, &tag.name);
            }
            page.apply(&tag);
        } else {
            page.push("<");
            rest = &rest[1..];
        }
    }
    page.push(rest);
    page.text
}

/// The title of a page, in one line. None if it has none.
pub fn extract_title(html: &str) -> Option<String> {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        match Tag::read(rest) {
            Some(tag) if tag.name == "title" && !tag.is_end => {
                let title = &tag.rest[..tag.rest.find("</").unwrap_or(tag.rest.len())];
                let words = entities::decode(title);
                let words: Vec<_> = words.split_whitespace().collect();
                return (!words.is_empty()).then(|| words.join(" "));
            }
            Some(tag) if HIDDEN.contains(&tag.name.as_str()) && tag.has_content() => {
                rest = after_end_tag(tag.rest, &tag.name);
            }
            Some(tag) => rest = tag.rest,
            None => rest = rest.strip_prefix("<!--").map_or(&rest[1..], |comment| after(comment, "-->")),
        }
    }
    None
}

/// The character set that a page declares at its beginning, where browsers look for it, too.
pub fn declared_charset(page: &[u8]) -> Option<String> {
    const WITHIN: usize = 1_024;
    let start = String::from_utf8_lossy(&page[..page.len().min(WITHIN)]).to_ascii_lowercase();
    let (_, declared) = start.split_once("charset=")?;
    let name = declared.trim_start_matches(['"', '\'', ' ']);
    let end =
        name.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | ':' | '.')).unwrap_or(name.len());
    Some(name[..end].to_owned())
}

impl PageText {
    fn push(&mut self, html: &str) {
        for c in entities::decode(html).chars() {
            if c.is_whitespace() && self.preformatted == 0 {
                self.separate(Gap::Space);
                continue;
            }
            let gap = std::mem::take(&mut self.gap);
            if !self.text.is_empty() {
                self.text.push_str(match gap {
                    Gap::None => "",
                    Gap::Space => " ",
                    Gap::Line => "\n",
                    Gap::Paragraph => "\n\n",
                });
            }
            self.text.push(c);
        }
    }

    fn apply(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if name == "pre" {
            self.preformatted = if tag.is_end { self.preformatted.saturating_sub(1) } else { self.preformatted + 1 };
        }
        if BLOCKS.contains(&name) {
            self.separate(Gap::Paragraph);
        } else if LINES.contains(&name) {
            self.separate(Gap::Line);
        } else if CELLS.contains(&name) {
            self.separate(Gap::Space);
        }
    }

    fn separate(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }
}

struct Tag<'a> {
    /// Lowercase.
    name: String,
    is_end: bool,
    /// Whether it ends with a slash, as in `<svg/>`.
    is_closed: bool,
    /// The page after the tag.
    rest: &'a str,
}

impl<'a> Tag<'a> {
    /// Reads the tag at the start of a text. None if the text begins with a `<` that is no tag, as in `1 < 2`.
    fn read(html: &'a str) -> Option<Self> {
        let inner = html.strip_prefix('<')?;
        let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let name_end = inner.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(name_end);
        // A `>` in a quoted value does not end the tag. A quote begins a value only after `=`.
        let (mut quote, mut previous) = (None, ' ');
        let end = attributes.find(|c: char| {
            match quote {
                Some(open) if open == c => quote = None,
                Some(_) => {}
                None if matches!(c, '"' | '\'') && previous == '=' => quote = Some(c),
                None if c == '>' => return true,
                None => {}
            }
            if !c.is_whitespace() {
                previous = c;
            }
            false
        });
        let (attributes, rest) = end.map_or(("", ""), |end| (&attributes[..end], &attributes[end + 1..]));
        Some(Self { name: name.to_ascii_lowercase(), is_end, is_closed: attributes.ends_with('/'), rest })
    }

    /// HTML ignores the slash at the end of a tag, except in graphics.
    fn has_content(&self) -> bool {
        let is_closed = self.is_closed && self.name == "svg";
        !self.is_end && !is_closed
    }
}

/// The text after a mark; empty if it has none.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// The text after the end tag of an element; empty if the element does not end.
fn after_end_tag<'a>(html: &'a str, name: &str) -> &'a str {
    let mut rest = html;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name)) {
            return after(rest, ">");
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_scripts_and_styles_are_removed() {
        for (html, text) in [
            ("<p>Fish &amp; chips</p>", "Fish & chips"),
            ("<!doctype html><title>Menu</title><body><h1>Fish</h1><p>Hot.", "Menu\n\nFish\n\nHot."),
            ("a<script>if (1 < 2) { '<p>' }</script>b<STYLE>p {}</Style >c", "abc"),
            ("<!-- <p>no</p> -->yes<!-- to the end", "yes"),
            ("<svg class=a /><svg><path d='M0'/></svg>one <b>word</b>s<br/>two", "one words\ntwo"),
            ("<a title='a > b' href=it's>link</a>", "link"),
            ("<p>1 < 2 and 3 > 2</p>", "1 < 2 and 3 > 2"),
            ("<ul><li>one<li>two</ul><table><tr><td>a<td>b</table>", "one\ntwo\n\na b"),
            ("<p> many \n\t spaces&nbsp; </p>\n<p></p><div>next</div>", "many spaces\n\nnext"),
            ("<pre>fn main() {\n    run()\n}</pre>", "fn main() {\n    run()\n}"),
            ("<script src=x />no</script>text", "text"),
            ("<script>never ends <p>no</p>", ""),
            ("text<a href=\"never ends", "text"),
            ("&lt;b&gt; is no tag", "<b> is no tag"),
        ] {
            assert_eq!(extract_text(html), text, "{html}");
        }
    }

    #[test]
    fn titles_are_found() {
        for (html, title) in [
            ("<html><head><title lang=en>\n Fish &amp; <chips </title>", Some("Fish & <chips")),
            ("<!-- <title>no</title> --><script>'<title>no</title>'</script><TITLE>yes</TITLE>", Some("yes")),
            ("<svg><title>icon</title></svg><title>page</title>", Some("page")),
            ("<title> </title>", None),
            ("<title>never ends", Some("never ends")),
            ("a < b", None),
        ] {
            assert_eq!(extract_title(html).as_deref(), title, "{html}");
        }
    }

    #[test]
    fn declared_character_sets_are_found() {
        for (page, charset) in [
            ("<meta charset=utf-8>", Some("utf-8")),
            ("<META content='text/html; charset=ISO-8859-1'>", Some("iso-8859-1")),
            ("<meta charset=\"Shift_JIS\"/>", Some("shift_jis")),
            ("<title>none</title>", None),
        ] {
            assert_eq!(declared_charset(page.as_bytes()).as_deref(), charset, "{page}");
        }
    }

    proptest! {
        #[test]
        fn any_page_has_a_text(html in "(<|>|/|!|-|--|script|p|pre|=|\"|'|&|;|amp|ñ|[ \n]|\\PC){0,200}") {
            extract_text(&html);
            extract_title(&html);
        }
    }
}

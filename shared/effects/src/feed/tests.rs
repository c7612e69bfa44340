//! Feeds as servers send them.

use ::http::header::{CONTENT_TYPE, HeaderValue};
use ::http::{HeaderMap, StatusCode};
use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn received(content_type: &'static str, body: impl Into<Bytes>) -> Received {
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
    let url = Uri::from_static("https://example.com/news/feed.xml");
    Received { url, status: StatusCode::OK, headers, body: body.into() }
}

fn read_value(body: &str) -> Value {
    read(&received("application/xml", body.to_owned()), 50).unwrap().into_value()
}

fn problem(body: &str) -> String {
    let error = read(&received("application/xml", body.to_owned()), 50).unwrap_err();
    assert_eq!(error.code, "feed_invalid");
    error.message.replace("the feed cannot be read: ", "")
}

#[test]
fn rss_2_is_read() {
    let feed = r#"<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
  <title>News &amp; more</title><link>https://example.com/</link>
  <atom:link href="https://example.com/feed.xml" rel="self"/>
  <description>All the news</description>
  <image><title>Logo</title><url>https://example.com/logo.png</url></image>
  <item>
    <title>A &#8220;quoted&#8221; <![CDATA[<title>]]> &eacute;</title>
    <link>/a?b=1&amp;c=2</link>
    <guid isPermaLink="false">id-1</guid>
    <description>&lt;p&gt;Short&lt;/p&gt;</description>
    <content:encoded><![CDATA[<p>Long</p>]]></content:encoded>
    <dc:creator>Ada</dc:creator>
    <pubDate>Tue, 03 Mar 2026 07:05:00 +0100</pubDate>
    <category>One</category><category>Two</category>
    <enclosure url="https://example.com/a.mp3" length="1234" type="audio/mpeg"/>
  </item>
  <item><title>B</title><pubDate>yesterday</pubDate></item>
</channel></rss>"#;
    let empty = |title: &str| {
        json!({
            "id": null, "title": title, "link": null, "summary": null, "content": null, "author": null, "published": null,
            "updated": null, "categories": [], "attachments": [],
        })
    };
    let first = json!({
        "id": "id-1", "title": "A “quoted” <title> é", "link": "https://example.com/a?b=1&c=2", "summary": "<p>Short</p>",
        "content": "<p>Long</p>", "author": "Ada", "published": "2026-03-03T06:05:00.000Z", "updated": null,
        "categories": ["One", "Two"],
        "attachments": [{"url": "https://example.com/a.mp3", "contentType": "audio/mpeg", "bytes": 1234}],
    });
    let expected = json!({
        "title": "News & more", "link": "https://example.com/", "description": "All the news", "items": [first, empty("B")],
    });
    assert_eq!(read_value(feed), expected);
}

#[test]
fn atom_is_read() {
    let feed = r#"<feed xmlns="http://www.w3.org/2005/Atom">
  <title type="text">Blog</title><subtitle>Notes</subtitle>
  <link rel="self" href="https://example.com/atom.xml"/><link href="/"/>
  <author><name>Everyone</name></author>
  <entry>
    <id>urn:1</id><title>One</title>
    <link rel="enclosure" href="a.pdf" type="application/pdf" length="0"/><link rel="alternate" href="one.html"/>
    <summary type="html">&lt;b&gt;Hi&lt;/b&gt;</summary>
    <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>A <b>bold</b> word</p></div></content>
    <author><name>Ada</name><email>ada@example.com</email></author>
    <published>2026-03-02T07:00:00Z</published><updated>2026-03-02T08:00:00.5+01:00</updated>
    <category term="rust" label="Rust"/>
    <source><title>Other</title><id>urn:other</id></source>
  </entry>
</feed>"#;
    let found = read_value(feed);
    assert_eq!(
        (&found["title"], &found["description"], &found["link"]),
        (&json!("Blog"), &json!("Notes"), &json!("https://example.com/"))
    );
    let expected = json!([{
        "id": "urn:1", "title": "One", "link": "https://example.com/news/one.html", "summary": "<b>Hi</b>",
        "content": "<div xmlns=\"http://www.w3.org/1999/xhtml\"><p>A <b>bold</b> word</p></div>", "author": "Ada",
        "published": "2026-03-02T07:00:00.000Z", "updated": "2026-03-02T07:00:00.500Z", "categories": ["rust"],
        "attachments": [{"url": "https://example.com/news/a.pdf", "contentType": "application/pdf", "bytes": null}],
    }]);
    assert_eq!(found["items"], expected);
}

#[test]
fn rss_1_has_its_items_beside_the_channel() {
    let feed = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Old</title><link>https://example.com/</link></channel>
<item rdf:about="x"><title>One</title><link>https://example.com/1</link><dc:date>2026-03-02T07:30:00</dc:date><dc:subject>s</dc:subject></item>
</rdf:RDF>"#;
    let found = read_value(feed);
    assert_eq!((&found["title"], &found["items"][0]["title"]), (&json!("Old"), &json!("One")));
    assert_eq!(
        (&found["items"][0]["published"], &found["items"][0]["categories"]),
        (&json!("2026-03-02T07:30:00.000Z"), &json!(["s"]))
    );
}

#[test]
fn json_feeds_are_read() {
    let feed = json!({
        "version": "https://jsonfeed.org/version/1.1", "title": "Notes", "home_page_url": "https://example.com/", "items": [
            {"id": 7, "url": "7", "content_text": "Hi", "authors": [{"name": "Ada"}], "date_published": "2026-03-02T08:00:00+01:00",
             "tags": ["a", 1], "attachments": [{"url": "a.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 9}, {}]},
            {},
        ],
    });
    let found = read_value(&feed.to_string());
    let first = &found["items"][0];
    assert_eq!(
        (&first["id"], &first["link"], &first["content"]),
        (&json!("7"), &json!("https://example.com/news/7"), &json!("Hi"))
    );
    assert_eq!((&first["author"], &first["categories"]), (&json!("Ada"), &json!(["a"])));
    assert_eq!(first["published"], "2026-03-02T07:00:00.000Z");
    assert_eq!(
        first["attachments"],
        json!([{"url": "https://example.com/news/a.mp3", "contentType": "audio/mpeg", "bytes": 9}])
    );
    assert_eq!(found["items"].as_array().unwrap().len(), 2);
}

#[test]
fn the_character_set_is_that_of_the_content_type_or_the_declaration() {
    let western = |declaration: &str| {
        let text = format!("{declaration}<rss><channel><title>ni\u{f1}o</title></channel></rss>");
        text.chars().map(|c| c as u8).collect::<Vec<u8>>()
    };
    let declared = western("<?xml version='1.0' encoding='ISO-8859-1'?>");
    for (content_type, body) in [
        ("text/xml", declared.clone()),
        ("text/xml; charset=iso-8859-1", western("<?xml version=\"1.0\"?>")),
        ("text/xml; charset=utf-8", "<rss><channel><title>niño</title></channel></rss>".into()),
    ] {
        assert_eq!(read(&received(content_type, body), 50).unwrap().title.as_deref(), Some("niño"));
    }
    let error = read(&received("text/xml", western("")), 50).unwrap_err();
    assert!(error.message.ends_with("its characters are not those that it declares"), "{error}");
}

#[test]
fn only_the_first_entries_are_read() {
    let items: String = (0..10).map(|number| format!("<item><title>{number}</title></item>")).collect();
    let body = format!("<rss><channel>{items}</channel></rss>");
    assert_eq!(read(&received("text/xml", body), 3).unwrap().items.len(), 3);
}

#[test]
fn wrong_nesting_and_large_entries_do_no_harm() {
    let found = read_value(
        "<rss><channel><item><title>A<br>B</title></b><link>https://x.example/1</link></item><item/></channel></rss>",
    );
    assert_eq!(found["items"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!((&found["items"][0]["link"], &found["link"]), (&json!("https://x.example/1"), &Value::Null));
    let many = format!(
        "<rss><channel><item>{}</item></channel></rss>",
        "<enclosure url='a'/><category>b</category>".repeat(1_000)
    );
    let found = read_value(&many)["items"][0].clone();
    let count = |field: &str| found[field].as_array().unwrap().len();
    assert_eq!((count("attachments"), count("categories")), (100, 100));
}

#[test]
fn what_is_no_feed_is_refused() {
    let not_a_feed = "it is no RSS, Atom or JSON feed; if the URL is that of a page, use the address of its feed";
    for body in [
        "",
        "hello",
        "<!DOCTYPE html><html><body>Hi</body></html>",
        "<html/>",
        r#"{"items": []}"#,
        r#"{"version": "1"}"#,
    ] {
        assert_eq!(problem(body), not_a_feed, "{body}");
    }
    assert_eq!(problem("{"), "it is no valid JSON");
    assert_eq!(problem("<rss><channel><item>"), "it ends in the middle");
    assert!(problem("<rss><channel><!-- open").starts_with("its XML is not valid: "));
    assert_eq!(problem(&"<rss>".repeat(200)), "its elements are nested too deeply");
}

/// Entities that a document declares are not expanded, so a small document stays small.
#[test]
fn declared_entities_are_not_expanded() {
    let bomb = r#"<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>
<rss><channel><title>&b;&c;</title></channel></rss>"#;
    assert_eq!(read_value(bomb)["title"], "&b;&c;");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Any text is read or refused.
    #[test]
    fn no_text_panics(pieces in proptest::collection::vec(
        "(<rss>|<feed>|<item>|</item>|<entry|>|<link href=\"|\"/>|<title>|</title>|&amp;|&#x;|<!\\[CDATA\\[|\\]\\]>|<content type=\"xhtml\">|</content>|\\PC{0,8})",
        0..40,
    )) {
        let body: String = pieces.concat();
        for start in ["", "<rss>", "{"] {
            drop(read(&received("text/xml", format!("{start}{body}")), 50));
        }
    }
}

//! Tests of the formats, of the limits, and properties for any text.

use domain::messaging::MessagingProvider::{self, Http, Slack, Telegram, Whatsapp};
use proptest::prelude::*;

use super::{MAX_PARTS, render};

const ALL: [MessagingProvider; 4] = [Slack, Telegram, Whatsapp, Http];

fn limit(provider: MessagingProvider) -> usize {
    match provider {
        Slack => 4_000,
        Telegram | Whatsapp => 4_096,
        Http => 32_000,
    }
}

fn length(provider: MessagingProvider, part: &str) -> usize {
    if provider == Telegram { part.encode_utf16().count() } else { part.chars().count() }
}

fn one(provider: MessagingProvider, markdown: &str) -> String {
    let parts = render(provider, markdown);
    assert_eq!(parts.len(), 1, "{parts:?}");
    parts.into_iter().next().unwrap()
}

/// Compares the text for Slack, Telegram and WhatsApp.
fn check(markdown: &str, expected: [&str; 3]) {
    for (provider, expected) in [Slack, Telegram, Whatsapp].into_iter().zip(expected) {
        assert_eq!(one(provider, markdown), expected, "{provider:?}");
    }
    assert_eq!(one(Http, markdown), markdown);
}

#[test]
fn inline_formatting_is_translated() {
    check(
        "**bold** *italic* ~~gone~~ `code` and `a < b`",
        [
            "*bold* _italic_ ~gone~ `code` and `a &lt; b`",
            "<b>bold</b> <i>italic</i> <s>gone</s> <code>code</code> and <code>a &lt; b</code>",
            "*bold* _italic_ ~gone~ ```code``` and ```a < b```",
        ],
    );
    check(
        "***both*** and **bold\nover lines**",
        [
            "_*both*_ and *bold*\n*over lines*",
            "<i><b>both</b></i> and <b>bold</b>\n<b>over lines</b>",
            "_*both*_ and *bold*\n*over lines*",
        ],
    );
}

#[test]
fn links_are_translated() {
    check(
        "See [the **page**](https://a.example/?x=1&y=2), https://b.example and <https://c.example>",
        [
            "See <https://a.example/?x=1&amp;y=2|the page>, https://b.example and https://c.example",
            "See <a href=\"https://a.example/?x=1&amp;y=2\">the page</a>, https://b.example and https://c.example",
            "See the page (https://a.example/?x=1&y=2), https://b.example and https://c.example",
        ],
    );
    check(
        "![a cat](https://a.example/cat.png)\n\n[](https://a.example)",
        [
            "<https://a.example/cat.png|a cat>\n\n<https://a.example|https://a.example>",
            "<a href=\"https://a.example/cat.png\">a cat</a>\n\n<a href=\"https://a.example\">https://a.example</a>",
            "a cat (https://a.example/cat.png)\n\nhttps://a.example (https://a.example)",
        ],
    );
}

#[test]
fn markup_of_the_author_has_no_effect() {
    check(
        "Hi <!channel> [x](!channel) [y](javascript:alert\\(1\\)) <script>&amp;",
        [
            "Hi &lt;!channel&gt; x (!channel) y (javascript:alert(1)) &lt;script&gt;&amp;",
            "Hi &lt;!channel&gt; x (!channel) y (javascript:alert(1)) &lt;script&gt;&amp;",
            "Hi <!channel> x (!channel) y (javascript:alert(1)) <script>&",
        ],
    );
    let quoted = one(Telegram, "[x](https://a.example/\"><b>)");
    assert!(!quoted.contains("\"><b>"), "{quoted}");
    let piped = one(Slack, "[x](<https://a.example/|y>)");
    assert_eq!(piped, "<https://a.example/%7Cy|x>");
    let language = one(Telegram, "```\"><b>\ncode\n```");
    assert_eq!(language, "<pre>code</pre>");
}

#[test]
fn blocks_are_translated() {
    check(
        "# Title\n\nText\n\n- one\n- two\n  1. deep\n  2. deeper\n\n3. three\n\n> quoted\n> **more**\n\n---\n\nend",
        [
            "*Title*\n\nText\n\n• one\n• two\n  1. deep\n  2. deeper\n\n3. three\n\n> quoted\n> *more*\n\n———\n\nend",
            "<b>Title</b>\n\nText\n\n• one\n• two\n  1. deep\n  2. deeper\n\n3. three\n\n<blockquote>quoted\n<b>more</b></blockquote>\n\n———\n\nend",
            "*Title*\n\nText\n\n• one\n• two\n  1. deep\n  2. deeper\n\n3. three\n\n> quoted\n> *more*\n\n———\n\nend",
        ],
    );
    check(
        "Run:\n```rust\nfn main() {\n    a < b;\n}\n```\n- [x] done\n- [ ] open\n  ```\n  code\n  ```",
        [
            "Run:\n\n```\nfn main() {\n    a &lt; b;\n}\n```\n\n• ☑ done\n• ☐ open\n```\ncode\n```",
            "Run:\n\n<pre><code class=\"language-rust\">fn main() {\n    a &lt; b;\n}</code></pre>\n\n• ☑ done\n• ☐ open\n<pre>code</pre>",
            "Run:\n\n```\nfn main() {\n    a < b;\n}\n```\n\n• ☑ done\n• ☐ open\n```\ncode\n```",
        ],
    );
}

#[test]
fn tables_are_aligned() {
    let table = "| City | Rain |\n|---|---:|\n| Lima | **1** |\n| [Oslo](https://o.example) | 20 |";
    assert_eq!(
        one(Telegram, table),
        "<pre>City                     | Rain\n-------------------------+-----\nLima                     | 1\nOslo (https://o.example) | 20</pre>"
    );
}

#[test]
fn blank_texts_have_no_parts() {
    for provider in ALL {
        for blank in ["", " \n\t ", "\u{a0}"] {
            assert_eq!(render(provider, blank), Vec::<String>::new(), "{provider:?}");
        }
    }
    assert_eq!(render(Slack, "[a]: https://a.example"), Vec::<String>::new());
}

#[test]
fn long_texts_are_split_at_the_best_boundary() {
    let paragraph = "word ".repeat(500);
    let parts = render(Slack, &format!("{paragraph}\n\n{paragraph}\n\n{paragraph}"));
    assert_eq!(parts, vec![paragraph.trim(); 3]);
    let lines = format!("{}\n", "word ".repeat(10)).repeat(100);
    for part in render(Whatsapp, &lines) {
        assert!(part.starts_with("word word") && part.ends_with("word"), "{part}");
        assert!(part.lines().all(|line| line.split_whitespace().count() == 10), "{part}");
    }
    let words = render(Slack, &"word ".repeat(2_000));
    assert!(words.iter().all(|part| part.split(' ').all(|word| word == "word")), "{words:?}");
    let characters = render(Telegram, &"語".repeat(5_000));
    assert_eq!(characters.concat(), "語".repeat(5_000));
    // An emoji of several characters, each of them two units of UTF-16.
    let family = "👩‍👩‍👧";
    for part in render(Telegram, &family.repeat(1_000)) {
        assert_eq!(part.replace(family, ""), "");
    }
}

#[test]
fn formatting_continues_in_the_next_part() {
    let code = format!("```rust\n{}```", "    let x = a < b;\n".repeat(1_000));
    for part in render(Telegram, &code) {
        assert!(part.starts_with("<pre><code class=\"language-rust\">    let x"), "{part}");
        assert!(part.ends_with("a &lt; b;</code></pre>"), "{part}");
    }
    for part in render(Slack, &code) {
        assert!(part.starts_with("```\n    let x") && part.ends_with("a &lt; b;\n```"), "{part}");
    }
    let long = format!("Before\n\n````rust\n{}````\n", "    let x = a < b;\n".repeat(3_000));
    let parts = render(Http, &long);
    assert!(parts[0].starts_with("Before\n\n````rust\n    let x"), "{}", parts[0]);
    assert!(parts.len() > 1 && parts[1].starts_with("````rust\n    let x") && parts[1].ends_with("\n````"));
    for part in render(Slack, &format!("**{}**", "word ".repeat(2_000).trim())) {
        assert!(part.starts_with("*word ") && part.ends_with(" word*"), "{part}");
    }
    for part in render(Slack, &format!("> {}", "word ".repeat(2_000))) {
        assert!(part.starts_with("> word"), "{part}");
    }
    let label = "word ".repeat(2_000);
    for part in render(Telegram, &format!("[{}](https://a.example)", label.trim())) {
        assert!(part.starts_with("<a href=\"https://a.example\">word") && part.ends_with("word</a>"), "{part}");
    }
}

#[test]
fn a_very_long_text_is_cut() {
    for provider in ALL {
        let parts = render(provider, &"**word** ".repeat(100_000));
        assert_eq!(parts.len(), MAX_PARTS);
        let last = parts.last().unwrap();
        assert!(["…", "…*", "…</b>"].iter().any(|end| last.ends_with(end)), "{last}");
        assert!(parts.iter().all(|part| length(provider, part) <= limit(provider)));
        assert!(!parts[MAX_PARTS - 2].ends_with('…'));
    }
}

#[test]
fn hostile_links_leave_room_for_text() {
    let url = format!("https://a.example/?{}", "&".repeat(1_900));
    for provider in ALL {
        for part in render(provider, &format!("[{}]({url})", "word ".repeat(3_000))) {
            assert!(length(provider, &part) <= limit(provider), "{provider:?}");
        }
    }
}

/// Fails unless every tag is known and closed in order.
fn check_tags(part: &str) {
    let (mut open, mut rest) = (Vec::new(), part);
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a complete tag");
        let tag = &rest[start + 1..end];
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "{part}"),
            None => open.push(tag.split(' ').next().unwrap()),
        }
        rest = &rest[end + 1..];
    }
    assert_eq!(open, Vec::<&str>::new(), "{part}");
    let known = ["b", "i", "s", "a", "code", "pre", "blockquote"];
    let names = part.split('<').skip(1).map(|tag| tag.trim_start_matches('/').split([' ', '>']).next().unwrap());
    names.for_each(|name| assert!(known.contains(&name), "{name}: {part}"));
    for (at, _) in part.match_indices('&') {
        let escape = &part[at..];
        assert!(["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|known| escape.starts_with(known)), "{escape}");
    }
}

/// The numbered words of a text in their order. Markup may be all that separates two of them.
fn words(text: &str) -> String {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.starts_with('w')).collect()
}

/// Pieces of Markdown. `#` stands for the next word.
const PIECES: [&str; 24] = [
    "# ",
    "#\n",
    "\n\n",
    "**# #** ",
    "*# #* ",
    "***#** #* ",
    "~~#~~ ",
    "`# #` ",
    "[# #](https://a.example/) ",
    "\n```rust\n#\n  #\n```\n",
    "\n~~~\n\n#\n~~~\n",
    "\n- # #\n",
    "\n  - #\n",
    "\n1. #\n",
    "\n> # #\n",
    "\n# #\n",
    "\n|#|#|\n|---|---|\n|#|#|\n",
    "& < > \" ",
    "**#",
    "[#](",
    "\n---\n",
    "\\*#\\* ",
    "<br>",
    "👍",
];

/// A document of the pieces, with numbered words of some length.
fn compose(pieces: &[usize], padding: usize) -> String {
    let (mut text, mut next) = (String::new(), 0);
    for piece in pieces.iter().map(|&piece| PIECES[piece % PIECES.len()]) {
        for (index, part) in piece.split('#').enumerate() {
            // The signs of headings are no words.
            if index > 0 {
                let is_heading = piece == "\n# #\n" && index == 1;
                if is_heading {
                    text.push('#');
                } else {
                    next += 1;
                    text.push_str(&format!("w{next}x{}", "y".repeat(padding)));
                }
            }
            text.push_str(part);
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_is_rendered_within_the_limits(text in "(?s).{0,400}", times in 1_usize..60) {
        for provider in ALL {
            let parts = render(provider, &text.repeat(times));
            prop_assert!(parts.len() <= MAX_PARTS);
            for part in &parts {
                prop_assert!(length(provider, part) <= limit(provider));
                prop_assert!(!part.trim().is_empty());
            }
            if provider == Telegram {
                parts.iter().for_each(|part| check_tags(part));
            }
        }
    }

    #[test]
    fn any_markdown_keeps_its_words(pieces in prop::collection::vec(0_usize..24, 0..120), padding in 0_usize..400) {
        let markdown = compose(&pieces, padding);
        for provider in ALL {
            let parts = render(provider, &markdown);
            for part in &parts {
                prop_assert!(length(provider, part) <= limit(provider));
                if provider == Telegram {
                    check_tags(part);
                }
            }
            if parts.len() < MAX_PARTS {
                let kept: String = parts.iter().map(|part| words(part)).collect();
                prop_assert_eq!(kept, words(&markdown), "{:?}", provider);
            }
        }
    }
}

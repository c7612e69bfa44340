//! The formats of the providers: how marks and characters are written, and how long a message may be.

use super::marks::Mark;

pub trait Dialect {
    /// The maximum length of a message, in the units of `length`.
    fn limit(&self) -> usize;

    fn length(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn open(&self, mark: &Mark) -> String;

    fn close(&self, mark: &Mark) -> String;

    /// Writes a character of the text.
    fn write(&self, char: char, marks: &[Mark], text: &mut String);

    /// The URL as it is written within a link.
    fn escape_url(&self, url: &str) -> String;
}

/// Slack's mrkdwn.
pub struct Slack;

impl Dialect for Slack {
    fn limit(&self) -> usize {
        4_000
    }

    fn open(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => "> ".to_owned(),
            Mark::Link(url) => format!("<{}|", self.escape_url(url)),
            Mark::Block(_) => "```\n".to_owned(),
            mark => symbol(mark).to_owned(),
        }
    }

    fn close(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => String::new(),
            Mark::Link(_) => ">".to_owned(),
            Mark::Block(_) => "\n```".to_owned(),
            mark => symbol(mark).to_owned(),
        }
    }

    fn write(&self, char: char, marks: &[Mark], text: &mut String) {
        match char {
            // Without the escapes, a text could mention everybody with `<!channel>`.
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            char => write_quoted(char, marks, text),
        }
    }

    fn escape_url(&self, url: &str) -> String {
        url.replace('&', "&amp;").replace('<', "%3C").replace('>', "%3E").replace('|', "%7C")
    }
}

/// The HTML of Telegram's Bot API, which knows few tags.
pub struct Telegram;

impl Dialect for Telegram {
    fn limit(&self) -> usize {
        4_096
    }

    fn length(&self, text: &str) -> usize {
        text.encode_utf16().count()
    }

    fn open(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => "<blockquote>".to_owned(),
            Mark::Bold => "<b>".to_owned(),
            Mark::Italic => "<i>".to_owned(),
            Mark::Strike => "<s>".to_owned(),
            Mark::Code => "<code>".to_owned(),
            Mark::Link(url) => format!("<a href=\"{}\">", self.escape_url(url)),
            Mark::Block(language) if language.is_empty() => "<pre>".to_owned(),
            Mark::Block(language) => format!("<pre><code class=\"language-{language}\">"),
        }
    }

    fn close(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => "</blockquote>",
            Mark::Bold => "</b>",
            Mark::Italic => "</i>",
            Mark::Strike => "</s>",
            Mark::Code => "</code>",
            Mark::Link(_) => "</a>",
            Mark::Block(language) if language.is_empty() => "</pre>",
            Mark::Block(_) => "</code></pre>",
        }
        .to_owned()
    }

    fn write(&self, char: char, _: &[Mark], text: &mut String) {
        match char {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            char => text.push(char),
        }
    }

    fn escape_url(&self, url: &str) -> String {
        url.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    }
}

pub struct WhatsApp;

impl Dialect for WhatsApp {
    fn limit(&self) -> usize {
        4_096
    }

    fn open(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => "> ",
            Mark::Link(_) => "",
            Mark::Block(_) => "```\n",
            Mark::Code => "```",
            mark => symbol(mark),
        }
        .to_owned()
    }

    fn close(&self, mark: &Mark) -> String {
        match mark {
            Mark::Quote => String::new(),
            Mark::Link(url) => format!(" ({url})"),
            Mark::Block(_) => "\n```".to_owned(),
            Mark::Code => "```".to_owned(),
            mark => symbol(mark).to_owned(),
        }
    }

    fn write(&self, char: char, marks: &[Mark], text: &mut String) {
        write_quoted(char, marks, text);
    }

    fn escape_url(&self, url: &str) -> String {
        url.to_owned()
    }
}

/// Markdown as it was written. The only marks are code blocks, with the whole line that opens them.
pub struct Source;

impl Dialect for Source {
    fn limit(&self) -> usize {
        32_000
    }

    fn open(&self, mark: &Mark) -> String {
        if let Mark::Block(line) = mark { format!("{line}\n") } else { String::new() }
    }

    fn close(&self, mark: &Mark) -> String {
        let Mark::Block(line) = mark else { return String::new() };
        let fence: String = line.trim_start().chars().take_while(|c| matches!(c, '`' | '~')).collect();
        format!("\n{fence}")
    }

    fn write(&self, char: char, _: &[Mark], text: &mut String) {
        text.push(char);
    }

    fn escape_url(&self, url: &str) -> String {
        url.to_owned()
    }
}

/// The symbol on both sides of a text, the same in Slack and WhatsApp.
fn symbol(mark: &Mark) -> &'static str {
    match mark {
        Mark::Bold => "*",
        Mark::Italic => "_",
        Mark::Strike => "~",
        Mark::Code => "`",
        Mark::Quote | Mark::Link(_) | Mark::Block(_) => "",
    }
}

/// Each line of a quote begins with the sign of quotes.
fn write_quoted(char: char, marks: &[Mark], text: &mut String) {
    text.push(char);
    if char == '\n' && marks.first() == Some(&Mark::Quote) {
        text.push_str("> ");
    }
}

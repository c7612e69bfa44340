//! Renders the Markdown of models in the formats of messaging providers, and splits it into parts that their limits
//! allow. A part never ends within a tag or an escape, and open formatting continues in the next part.

mod dialects;
mod document;
mod markdown;
mod marks;
mod source;
mod split;
mod table;

use domain::messaging::MessagingProvider;

use dialects::{Dialect, Slack, Source, Telegram, WhatsApp};

/// The maximum number of parts. The rest of a longer text is cut.
pub const MAX_PARTS: usize = 20;

/// Renders Markdown as parts that are sent one after the other. No parts if the text is blank.
pub fn render(provider: MessagingProvider, markdown: &str) -> Vec<String> {
    let dialect: &dyn Dialect = match provider {
        MessagingProvider::Slack => &Slack,
        MessagingProvider::Telegram => &Telegram,
        MessagingProvider::Whatsapp => &WhatsApp,
        MessagingProvider::Http => &Source,
    };
    let document = match provider {
        // The receiver renders Markdown itself.
        MessagingProvider::Http if dialect.length(markdown) <= dialect.limit() => {
            return Some(markdown.to_owned()).filter(|text| !text.trim().is_empty()).into_iter().collect();
        }
        MessagingProvider::Http => source::read(markdown),
        MessagingProvider::Slack | MessagingProvider::Telegram | MessagingProvider::Whatsapp => {
            markdown::read(markdown, dialect)
        }
    };
    split::split(&document, dialect)
}

#[cfg(test)]
mod tests;

//! Messages in OpenAI's format. What a client sent in this format is forwarded unchanged; messages of other dialects and of the
//! platform are written without what only other vendors understand.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::chat::{ChatRole, ContentPart, Message};

pub struct OpenAiMessages<'a>(pub &'a [Message]);

impl Serialize for OpenAiMessages<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut written = Vec::with_capacity(self.0.len());
        // The images of results, which follow the results because a message of role tool has only text.
        let mut media = Vec::new();
        for message in self.0 {
            if message.role != ChatRole::Tool {
                written.extend(of_user(&mut media));
            }
            written.push(adapt(message, &mut media));
        }
        written.extend(of_user(&mut media));
        serializer.collect_seq(&written)
    }
}

fn of_user(media: &mut Vec<ContentPart>) -> Option<Cow<'static, Message>> {
    (!media.is_empty()).then(|| Cow::Owned(Message::new(ChatRole::User, std::mem::take(media))))
}

fn adapt<'a>(message: &'a Message, media: &mut Vec<ContentPart>) -> Cow<'a, Message> {
    let is_tool = message.role == ChatRole::Tool;
    let is_foreign = |part: &ContentPart| match part {
        ContentPart::CacheMark(_) => true,
        // A signature is for one vendor. Reasoning without one is of a server with this API, and some of them want it back.
        ContentPart::Reasoning(reasoning) => reasoning.opaque().is_some(),
        part => is_tool && part.is_media(),
    };
    if message.is_unchanged() || !message.parts.iter().any(is_foreign) {
        return Cow::Borrowed(message);
    }
    let mut adapted = message.clone();
    adapted.parts.retain(|part| !is_foreign(part));
    if is_tool {
        let moved = message.parts.iter().filter(|part| part.is_media());
        let note =
            format!("(content of the result of the tool call {})", message.tool_call_id.as_deref().unwrap_or_default());
        let before = media.len();
        media.extend(moved.cloned());
        if media.len() > before {
            media.insert(before, ContentPart::Text(note));
        }
        if adapted.parts.is_empty() {
            adapted.parts.push(ContentPart::Text("(see the next message)".to_owned()));
        }
    }
    Cow::Owned(adapted)
}

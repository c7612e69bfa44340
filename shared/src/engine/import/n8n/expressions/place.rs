//! Where the values of n8n's nodes stand here. There each value is the `json` of an item; here a node has one value,
//! and some kinds of nodes shape it otherwise.

use super::tree::{Js, Link};

/// Why it is not translated who wrote a message. An answer goes there by itself.
pub const SENDER: &str = "who wrote is no value here: what names nobody is sent to them";
const OF_MESSAGE: &str = "of a message only its text is a value here";

/// How the value of a node differs from what it was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Same,
    /// Was `{headers, query, params, body}`, is the body.
    Call,
    /// Was the body, is `{status, headers, body}`.
    Answer,
    /// Was `{statusCode, headers, body}`, is `{status, headers, body}`.
    FullAnswer,
    /// Was a field that holds a text, is the text.
    Text,
    /// Was `{data: {approved}}`, is `{decision, fields}`.
    Review,
    /// Was what a messaging service sends, is `{text}`.
    Message,
    /// Was items, is a list of what came.
    List,
    /// Passages of a retrieval.
    Passages,
    /// Was `{error: …}`, is the error, `{code, message}`.
    Error,
}

/// A value that expressions name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The paths it may stand at: the first that is there counts.
    pub paths: Vec<String>,
    pub shape: Shape,
    pub note: Option<String>,
}

/// What is taken of a place.
pub enum Taken {
    /// These members instead of so many links.
    Path { members: &'static [&'static str], links: usize, note: Option<&'static str> },
    /// Whether a person approved, instead of so many links.
    Approved { links: usize },
}

impl Place {
    pub fn at(path: impl Into<String>, shape: Shape) -> Self {
        Self { paths: vec![path.into()], shape, note: None }
    }

    pub fn take(&self, links: &[Link]) -> Result<Taken, String> {
        let path = |members, links| Ok(Taken::Path { members, links, note: None });
        match (self.shape, &names(links)[..]) {
            (Shape::Call, ["body", ..]) => path(&[], 1),
            (Shape::Call, ["headers" | "query" | "params" | "webhookUrl" | "executionMode", ..]) => {
                Err("of a call only its body is a value here".to_owned())
            }
            (Shape::Answer, _) => path(&["body"], 0),
            (Shape::FullAnswer, ["statusCode", ..]) => path(&["status"], 1),
            (Shape::Text, ["message", "content", ..]) => path(&[], 2),
            (Shape::Text, ["output" | "text" | "response" | "content", ..]) => path(&[], 1),
            (Shape::Text, ["choices" | "candidates" | "message", ..]) => {
                // `choices[0].message.content`, `candidates[0].content.parts[0].text`
                path(&[], links.len())
            }
            (Shape::Error, ["error"]) => path(&["message"], 1),
            (Shape::Error, ["error", ..]) => path(&[], 1),
            (Shape::Error, [_, ..]) => {
                let note = Some("what failed gives its error, and not what came to it");
                Ok(Taken::Path { members: &[], links: 0, note })
            }
            (Shape::Review, ["data", "approved"]) => Ok(Taken::Approved { links: 2 }),
            (Shape::Review, ["data", ..]) => path(&["fields"], 1),
            (Shape::Message, ["chatInput" | "text", ..]) => path(&["text"], 1),
            (Shape::Message, ["message", "text", ..]) => path(&["text"], 2),
            (Shape::Message, ["message", "chat" | "from", "id"] | ["channel" | "user" | "sessionId"]) => {
                Err(SENDER.to_owned())
            }
            // `messages[0].text.body`, `messages[0].from`
            (Shape::Message, ["messages"]) => match names(&links[2.min(links.len())..])[..] {
                ["text", "body", ..] => path(&["text"], 4),
                ["from"] => Err(SENDER.to_owned()),
                _ => Err(OF_MESSAGE.to_owned()),
            },
            (Shape::Message, [_, ..]) => Err(OF_MESSAGE.to_owned()),
            (Shape::List, [_, ..]) => {
                let note = Some("the value of a merge is the list of what came: its first is taken");
                Ok(Taken::Path { members: &["0"], links: 0, note })
            }
            (Shape::Passages, [_, ..]) => {
                let note = Some("passages have another form here: the paths into them are to be checked");
                Ok(Taken::Path { members: &[], links: 0, note })
            }
            _ => path(&[], 0),
        }
    }
}

fn names(links: &[Link]) -> Vec<&str> {
    links.iter().map_while(name).collect()
}

fn name(link: &Link) -> Option<&str> {
    match link {
        Link::Member { name, .. } => Some(name),
        Link::At(Js::Text(name)) => Some(name),
        _ => None,
    }
}

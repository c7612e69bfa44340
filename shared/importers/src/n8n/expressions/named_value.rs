//! Maps paths into n8n's outputs to paths into ours. In n8n every value is the `json` of an item. Here a node has one
//! output, and some node types give it another shape.

use super::super::super::notes::header_problem;
use super::tree::{Js, Link};

/// Why the sender of a message is not translated: an answer is sent there automatically.
pub const SENDER: &str = "the sender is not available: a message without a recipient answers the sender";
const ONLY_TEXT: &str = "only the text of a message is available";

/// How a node's output here differs from n8n's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Same,
    /// n8n: `{headers, query, params, body}`. Here: `{body, query, headers, method}`.
    Call,
    /// n8n: the body. Here: `{status, headers, body}`.
    Answer,
    /// n8n: `{statusCode, headers, body}`. Here: `{status, headers, body}`.
    FullAnswer,
    /// n8n: a field that holds a text. Here: the text.
    Text,
    /// n8n: `{data: {approved}}`. Here: `{decision, fields}`.
    Review,
    /// n8n: the messaging service's event. Here: `{text}`.
    Message,
    /// n8n: items. Here: a list of the inputs.
    List,
    /// A list of the inputs, of which the first is an HTTP response.
    ListOfAnswers,
    /// The passages of a retrieval.
    Passages,
    /// n8n: `{error: …}`. Here: the error, `{code, message}`.
    Error,
}

/// A value that expressions can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The possible paths. The first that exists is taken.
    pub paths: Vec<String>,
    pub shape: Shape,
    pub note: Option<String>,
}

/// How links into a place are translated.
pub enum Translated {
    /// These members replace the given number of links.
    Path { members: &'static [&'static str], links: usize, note: Option<&'static str> },
    /// A test of the decision replaces the given number of links.
    Approved { links: usize },
}

impl NamedValue {
    pub fn new(path: impl Into<String>, shape: Shape) -> Self {
        Self { paths: vec![path.into()], shape, note: None }
    }

    pub fn translate_links(&self, links: &[Link]) -> Result<Translated, String> {
        let path = |members, links| Ok(Translated::Path { members, links, note: None });
        match (self.shape, &names(links)[..]) {
            (Shape::Call, ["headers", name, ..]) => header_problem(name).map_or_else(|| path(&[], 0), Err),
            (Shape::Call, ["params" | "webhookUrl" | "executionMode", ..]) => {
                Err("the path and the URL of a call are not available".to_owned())
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
                let note = Some("the error output gives the error, not the node's input");
                Ok(Translated::Path { members: &[], links: 0, note })
            }
            (Shape::Review, ["data", "approved"]) => Ok(Translated::Approved { links: 2 }),
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
                _ => Err(ONLY_TEXT.to_owned()),
            },
            (Shape::Message, [_, ..]) => Err(ONLY_TEXT.to_owned()),
            (Shape::List | Shape::ListOfAnswers, [_, ..]) => {
                let note = Some("a merge gives a list of its inputs: the first one is taken");
                let members: &[&str] = if self.shape == Shape::List { &["0"] } else { &["0", "body"] };
                Ok(Translated::Path { members, links: 0, note })
            }
            (Shape::Passages, [_, ..]) => {
                let note = Some("passages have another shape here: check the paths into them");
                Ok(Translated::Path { members: &[], links: 0, note })
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

//! The shape of each node's output.

use super::document::{Document, SourceNode};
use super::expressions::Shape;
use super::wiring::{MAX_HOPS, Wiring};

/// The shape of a node's output. Some nodes pass their input on.
pub fn output_shape(document: &Document, wiring: &Wiring, mut node: usize) -> Shape {
    for _ in 0..MAX_HOPS {
        match own_shape(&document.nodes[node]) {
            Some(Shape::List) if is_first_input_answer(document, wiring, node) => return Shape::ListOfAnswers,
            Some(shape) => return shape,
            None => {}
        }
        match wiring.incoming(node).next() {
            Some(wire) => node = wire.from,
            None => break,
        }
    }
    Shape::Same
}

/// Whether the first input of a node comes directly from an HTTP call.
fn is_first_input_answer(document: &Document, wiring: &Wiring, node: usize) -> bool {
    let first = wiring.incoming(node).next();
    first.is_some_and(|wire| own_shape(&document.nodes[wire.from]) == Some(Shape::Answer))
}

/// The shape of the output of a node's type. None when the node passes its input on.
fn own_shape(source: &SourceNode) -> Option<Shape> {
    if source.waits_for_answer() {
        return Some(Shape::Review);
    }
    match source.kind {
        "if" | "filter" | "switch" => None,
        "wait" => (!source.is_delay()).then_some(Shape::Review),
        "form" => Some(Shape::Review),
        "webhook" => Some(Shape::Call),
        "httpRequest" if source.parameters["options"]["response"]["response"]["fullResponse"] == true => {
            Some(Shape::FullAnswer)
        }
        "httpRequest" => Some(Shape::Answer),
        "merge" => Some(Shape::List),
        _ if source.is_chat() => Some(Shape::Message),
        kind if source.is_messaging() && kind.ends_with("Trigger") => Some(Shape::Message),
        "agent"
        | "chainLlm"
        | "chainSummarization"
        | "informationExtractor"
        | "chainRetrievalQa"
        | "openAi"
        | "anthropic"
        | "googleGemini"
        | "ollama"
        | "mistralAi" => Some(Shape::Text),
        kind if kind.starts_with("vectorStore") => Some(Shape::Passages),
        _ => Some(Shape::Same),
    }
}

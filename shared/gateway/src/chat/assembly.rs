//! Puts the chunks of a stream together, to the choices that the answer would have had as a whole.

use std::collections::BTreeMap;

use serde::Serialize;

use super::choice::{AnswerMessage, DeltaChoice, FinishReason, ToolCallOut};
use domain::chat::Reasoning;

/// A choice of a stream, in OpenAI's format.
#[derive(Clone, Debug, Serialize)]
pub struct AssembledChoice {
    index: u32,
    message: AnswerMessage,
    /// `None` if the stream was cut.
    finish_reason: Option<FinishReason>,
    #[serde(rename = "stop_reason", skip_serializing_if = "Option::is_none")]
    stop_sequence: Option<String>,
}

#[derive(Default)]
struct ChoiceAssembler {
    content: Option<String>,
    refusal: Option<String>,
    calls: BTreeMap<u32, ToolCallOut>,
    reasoning: Vec<Reasoning>,
    finish_reason: Option<FinishReason>,
    stop_sequence: Option<String>,
}

/// The choices of a stream, from the changes of its chunks.
pub fn assemble(deltas: impl IntoIterator<Item = DeltaChoice>) -> Vec<AssembledChoice> {
    let mut choices = BTreeMap::<u32, ChoiceAssembler>::new();
    for delta in deltas {
        choices.entry(delta.index).or_default().add(delta);
    }
    choices.into_iter().map(|(index, choice)| choice.finish(index)).collect()
}

impl ChoiceAssembler {
    fn add(&mut self, DeltaChoice { delta, finish_reason, stop_sequence, .. }: DeltaChoice) {
        append(&mut self.content, delta.content);
        append(&mut self.refusal, delta.refusal);
        for piece in delta.reasoning {
            Reasoning::add(&mut self.reasoning, piece);
        }
        for call in delta.tool_calls {
            ToolCallOut::add(&mut self.calls, call);
        }
        self.finish_reason = finish_reason.or(self.finish_reason);
        self.stop_sequence = stop_sequence.or(self.stop_sequence.take());
    }

    fn finish(self, index: u32) -> AssembledChoice {
        let Self { content, refusal, calls, reasoning, finish_reason, stop_sequence } = self;
        let message = AnswerMessage::new(content, calls.into_values().collect());
        AssembledChoice {
            index,
            message: AnswerMessage { refusal, reasoning, ..message },
            finish_reason,
            stop_sequence,
        }
    }
}

fn append(text: &mut Option<String>, more: Option<String>) {
    if let Some(more) = more {
        text.get_or_insert_default().push_str(&more);
    }
}

#[cfg(test)]
mod tests {
    use super::super::choice::ReadChoice;
    use super::*;
    use serde_json::json;

    #[test]
    fn calls_without_an_index_stay_apart() {
        let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "get", "arguments": "{}"}});
        let numbered =
            |index: u32, id: &str| json!({"index": index, "id": id, "function": {"name": "get", "arguments": "{}"}});
        // An index that the server leaves out makes no empty call.
        for calls in [[call("c1"), call("c2")], [numbered(1, "c1"), numbered(3, "c2")]] {
            let choice = &assemble([DeltaChoice::read(json!({"index": 0, "delta": {"tool_calls": calls}}))])[0];
            let calls = choice.message.tool_calls.iter().map(|call| (&*call.id, &*call.function.arguments));
            assert_eq!(calls.collect::<Vec<_>>(), [("c1", "{}"), ("c2", "{}")]);
        }
    }

    #[test]
    fn chunks_become_the_choices_of_the_whole_answer() {
        let call = |index: u32, id: Option<&str>, name: Option<&str>, arguments: &str| json!({"index": index, "id": id, "type": id.map(|_| "function"), "function": {"name": name, "arguments": arguments}});
        let deltas = [
            json!({"index": 0, "delta": {"role": "assistant", "reasoning_content": "Hm"}}),
            json!({"index": 0, "delta": {"content": "It is "}}),
            json!({"index": 1, "delta": {"content": "Cut"}}),
            json!({"index": 0, "delta": {"content": "warm.", "tool_calls": [call(0, Some("c1"), Some("get"), "{\"a\"")]}}),
            json!({"index": 0, "delta": {"tool_calls": [call(1, Some("c2"), Some("put"), "{}"), call(0, Some("c1"), None, ":1}")]}}),
            json!({"index": 0, "delta": {}, "finish_reason": "tool_calls"}),
        ];
        let choices = assemble(deltas.into_iter().map(DeltaChoice::read));
        let lines: Vec<_> = choices.iter().map(|choice| serde_json::to_string(choice).unwrap()).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"index":0,"message":{"role":"assistant","content":"It is warm.","refusal":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{\"a\":1}"}},{"id":"c2","type":"function","function":{"name":"put","arguments":"{}"}}],"reasoning_content":"Hm"},"finish_reason":"tool_calls"}
        {"index":1,"message":{"role":"assistant","content":"Cut","refusal":null},"finish_reason":null}
        "#);
    }
}

use gateway::chat::FunctionDelta;
use serde_json::{Map, json};

use super::*;

fn text(text: &str) -> Delta {
    Delta { content: Some(text.to_owned()), ..Delta::default() }
}

fn call(index: u32, id: Option<&str>, name: Option<&str>, arguments: &str) -> Delta {
    let function = FunctionDelta { name: name.map(str::to_owned), arguments: arguments.to_owned() };
    let id = id.map(str::to_owned);
    Delta {
        tool_calls: vec![ToolCallDelta { index, id, r#type: None, function, others: Map::new() }],
        ..Delta::default()
    }
}

fn reasoning(index: u32, piece: ReasoningPiece) -> Delta {
    Delta { reasoning: vec![domain::chat::ReasoningDelta { index, piece }], ..Delta::default() }
}

/// The events of a stream in a short form, and the blocks that are put together.
fn assemble(deltas: Vec<Delta>) -> (Vec<String>, Vec<Block>) {
    let mut assembler = BlockAssembler::default();
    let mut events: Vec<_> = deltas.into_iter().flat_map(|delta| assembler.add(delta)).collect();
    events.extend(assembler.finish());
    let mut open = Vec::new();
    let shown = events.iter().map(|event| match event {
        BlockEvent::Start(place, block) => {
            assert!(!open.contains(place), "a block begins once");
            open.push(*place);
            let kind = match block {
                Block::Reasoning(Reasoning::Text { .. }) => "reasoning",
                Block::Reasoning(Reasoning::Encrypted(_)) => "encrypted",
                Block::Text(_) => "text",
                Block::Refusal(_) => "refusal",
                Block::Call(_) => "call",
            };
            format!("{place} {kind}")
        }
        BlockEvent::More(place, _, more) => format!("{place} +{more}"),
        BlockEvent::Signature(place, own) => format!("{place} signed {}", own.data),
        BlockEvent::Stop(place, block) => {
            assert_eq!(assembler.blocks()[*place], *block);
            format!("{place} end")
        }
    });
    (shown.collect(), assembler.blocks().to_vec())
}

fn called(id: &str, arguments: &str) -> Block {
    Block::Call(Call { id: id.to_owned(), name: "f".to_owned(), arguments: arguments.to_owned() })
}

#[test]
fn blocks_follow_each_other() {
    let signature = Opaque::new(Vendor::Anthropic, "s");
    let (events, blocks) = assemble(vec![
        Delta { role: Some("assistant"), content: Some(String::new()), ..Delta::default() },
        reasoning(0, ReasoningPiece::Text("Hm".to_owned())),
        reasoning(0, ReasoningPiece::Text(".".to_owned())),
        reasoning(0, ReasoningPiece::Signature(signature.clone())),
        reasoning(1, ReasoningPiece::Encrypted(signature.clone())),
        text("a"),
        text("b"),
        call(0, Some("c0"), Some("f"), ""),
        call(0, None, None, "{\"a\": "),
        call(0, None, None, "1}"),
        call(1, Some("c1"), Some("f"), ""),
        text("c"),
    ]);
    let expected = [
        "0 reasoning",
        "0 +Hm",
        "0 +.",
        "0 signed s",
        "0 end",
        "1 encrypted",
        "1 end",
        "2 text",
        "2 +a",
        "2 +b",
        "2 end",
        "3 call",
        "3 +{\"a\": ",
        "3 +1}",
        "3 end",
        "4 call",
        "5 text",
        "5 +c",
        "4 +{}",
        "4 end",
        "5 end",
    ];
    assert_eq!(events, expected);
    let reasoning = Reasoning::Text { text: "Hm.".to_owned(), signature: Some(signature.clone()) };
    assert_eq!(
        blocks,
        [
            Block::Reasoning(reasoning),
            Block::Reasoning(Reasoning::Encrypted(signature)),
            Block::Text("ab".to_owned()),
            called("c0", "{\"a\": 1}"),
            called("c1", "{}"),
            Block::Text("c".to_owned()),
        ]
    );
}

#[test]
fn pieces_of_calls_may_come_in_turn() {
    let (_, blocks) = assemble(vec![
        call(0, Some("c0"), Some("f"), "{\"a\""),
        call(1, Some("c1"), Some("f"), "{"),
        call(0, None, None, ": 1}"),
        call(1, None, None, "}"),
        // A server without indexes.
        call(0, Some("c2"), Some("f"), "{}"),
    ]);
    assert_eq!(blocks, [called("c0", "{\"a\": 1}"), called("c1", "{}"), called("c2", "{}")]);
}

#[test]
fn the_signature_of_a_call_is_a_block_before_it() {
    let mut delta = call(0, Some("c0"), Some("f"), "{}");
    delta.tool_calls[0].others = [ToolCall::signature_field("g".to_owned())].into_iter().collect();
    let signature = Block::Reasoning(Reasoning::Encrypted(Opaque::new(Vendor::Google, "g")));
    assert_eq!(assemble(vec![delta]).1, [signature.clone(), called("c0", "{}")]);
    let mut message = AnswerMessage::new(None, Vec::new());
    message.tool_calls.push(gateway::chat::ToolCallOut {
        id: "c0".to_owned(),
        r#type: "function",
        function: gateway::chat::FunctionCall { name: "f".to_owned(), arguments: String::new() },
        others: [("extra_content".to_owned(), json!({"google": {"thought_signature": "g"}}))].into_iter().collect(),
    });
    assert_eq!(read_blocks(&message), [signature, called("c0", "{}")]);
}

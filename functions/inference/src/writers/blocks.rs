//! An answer as blocks in the order in which the model wrote them, for the dialects that send an answer so: Anthropic's
//! messages and OpenAI's responses. Chat completions send text, reasoning and calls beside each other.

use domain::chat::{Opaque, Reasoning, ReasoningPiece, ToolCall, Vendor};
use gateway::chat::{AnswerMessage, Delta, FinishReason, ToolCallDelta};
use serde_json::value::RawValue;

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Reasoning(Reasoning),
    Text(String),
    Refusal(String),
    Call(Call),
}

/// What the content of a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Reasoning,
    Text,
    Refusal,
    /// The arguments of a call.
    Arguments,
}

/// A call of a tool. Its arguments are JSON, encoded as a string.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    pub id: String,
    pub name: String,
    pub arguments: String,
}

/// What happens to the block with this place in the answer.
#[derive(Debug, PartialEq)]
pub enum BlockEvent {
    /// A block begins. Only a call and encrypted reasoning have content already.
    Start(usize, Block),
    More(usize, BlockKind, String),
    Signature(usize, Opaque),
    /// The block, whole.
    Stop(usize, Block),
}

/// The blocks of a whole answer.
pub fn read_blocks(message: &AnswerMessage) -> Vec<Block> {
    let mut blocks: Vec<_> = message.reasoning.iter().cloned().map(Block::Reasoning).collect();
    blocks.extend(message.content.clone().filter(|text| !text.is_empty()).map(Block::Text));
    blocks.extend(message.refusal.clone().filter(|text| !text.is_empty()).map(Block::Refusal));
    for call in &message.tool_calls {
        blocks.extend(ToolCall::signature(&call.others).map(call_signature));
        let (id, name) = (call.id.clone(), call.function.name.clone());
        blocks.push(Block::Call(Call { id, name, arguments: or_no_arguments(&call.function.arguments) }));
    }
    blocks
}

/// Google's signature of the call that follows. It is sent as encrypted reasoning, which clients send back.
fn call_signature(signature: &str) -> Block {
    Block::Reasoning(Reasoning::Encrypted(Opaque::new(Vendor::Google, signature)))
}

fn or_no_arguments(arguments: &str) -> String {
    if arguments.trim().is_empty() { "{}".to_owned() } else { arguments.to_owned() }
}

/// Puts the blocks of a stream together.
#[derive(Default)]
pub struct BlockAssembler {
    /// All blocks so far.
    blocks: Vec<Block>,
    /// The places of the blocks that have not ended. Only calls can be open beside another block, because some providers send
    /// pieces of several calls in turn.
    open: Vec<usize>,
    /// The block of each call, by the index that the provider gave it.
    calls: Vec<(u32, usize)>,
    /// The provider's index of the open block of reasoning.
    reasoning: Option<u32>,
    pub finish_reason: Option<FinishReason>,
    pub stop_sequence: Option<String>,
}

impl BlockAssembler {
    pub fn add(&mut self, delta: Delta) -> Vec<BlockEvent> {
        let mut events = Vec::new();
        for piece in delta.reasoning {
            self.add_reasoning(piece.index, piece.piece, &mut events);
        }
        if let Some(text) = delta.content.filter(|text| !text.is_empty()) {
            self.add_text(text, BlockKind::Text, &mut events);
        }
        if let Some(text) = delta.refusal.filter(|text| !text.is_empty()) {
            self.add_text(text, BlockKind::Refusal, &mut events);
        }
        for call in delta.tool_calls {
            self.add_call(call, &mut events);
        }
        events
    }

    /// The blocks that have arrived.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Ends the open blocks.
    pub fn finish(&mut self) -> Vec<BlockEvent> {
        let mut events = Vec::new();
        self.close(&mut events, |_| true);
        events
    }

    fn start(&mut self, block: Block, events: &mut Vec<BlockEvent>) -> usize {
        let place = self.blocks.len();
        events.push(BlockEvent::Start(place, block.clone()));
        self.blocks.push(block);
        self.open.push(place);
        place
    }

    fn close(&mut self, events: &mut Vec<BlockEvent>, is_closed: impl Fn(&Block) -> bool) {
        let (closed, open): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.open).into_iter().partition(|place| is_closed(&self.blocks[*place]));
        self.open = open;
        for place in closed {
            if let Block::Call(call) = &mut self.blocks[place]
                && call.arguments.trim().is_empty()
            {
                "{}".clone_into(&mut call.arguments);
                events.push(BlockEvent::More(place, BlockKind::Arguments, "{}".to_owned()));
            }
            events.push(BlockEvent::Stop(place, self.blocks[place].clone()));
        }
    }

    /// Ends all blocks that can have no more content when another one begins. A call can, unless its arguments are whole.
    fn close_before_next(&mut self, events: &mut Vec<BlockEvent>) {
        self.reasoning = None;
        self.close(events, |block| match block {
            Block::Call(call) => serde_json::from_str::<&RawValue>(&call.arguments).is_ok(),
            _ => true,
        });
    }

    fn add_text(&mut self, text: String, kind: BlockKind, events: &mut Vec<BlockEvent>) {
        let empty = if kind == BlockKind::Refusal { Block::Refusal } else { Block::Text };
        let is_same = |block: &Block| {
            matches!((block, kind), (Block::Text(_), BlockKind::Text) | (Block::Refusal(_), BlockKind::Refusal))
        };
        let open = self.open.iter().copied().find(|place| is_same(&self.blocks[*place]));
        let place = open.unwrap_or_else(|| {
            self.close_before_next(events);
            self.start(empty(String::new()), events)
        });
        if let Block::Text(all) | Block::Refusal(all) = &mut self.blocks[place] {
            all.push_str(&text);
        }
        events.push(BlockEvent::More(place, kind, text));
    }

    fn add_reasoning(&mut self, index: u32, piece: ReasoningPiece, events: &mut Vec<BlockEvent>) {
        if let ReasoningPiece::Encrypted(data) = piece {
            self.close_before_next(events);
            self.start(Block::Reasoning(Reasoning::Encrypted(data)), events);
            self.close(events, |block| matches!(block, Block::Reasoning(_)));
            return;
        }
        let open = self.open.iter().copied().find(|place| matches!(self.blocks[*place], Block::Reasoning(_)));
        let place = open.filter(|_| self.reasoning == Some(index)).unwrap_or_else(|| {
            self.close_before_next(events);
            self.reasoning = Some(index);
            self.start(Block::Reasoning(Reasoning::Text { text: String::new(), signature: None }), events)
        });
        let Block::Reasoning(Reasoning::Text { text: all, signature }) = &mut self.blocks[place] else { return };
        match piece {
            ReasoningPiece::Text(text) => {
                all.push_str(&text);
                events.push(BlockEvent::More(place, BlockKind::Reasoning, text));
            }
            ReasoningPiece::Signature(own) | ReasoningPiece::Encrypted(own) => {
                *signature = Some(own.clone());
                events.push(BlockEvent::Signature(place, own));
            }
        }
    }

    fn add_call(&mut self, delta: ToolCallDelta, events: &mut Vec<BlockEvent>) {
        let known = self.calls.iter().rev().find(|(index, _)| *index == delta.index).map(|(_, place)| *place);
        // Some servers send whole calls without an index, which is then 0.
        let is_another = |place: &usize| match &self.blocks[*place] {
            Block::Call(call) => delta.id.as_ref().is_some_and(|id| !id.is_empty() && *id != call.id),
            _ => false,
        };
        let place = known.filter(|place| !is_another(place)).unwrap_or_else(|| {
            self.close_before_next(events);
            if let Some(signature) = ToolCall::signature(&delta.others) {
                self.start(call_signature(signature), events);
                self.close(events, |block| matches!(block, Block::Reasoning(_)));
            }
            let id = delta.id.clone().unwrap_or_default();
            let name = delta.function.name.clone().unwrap_or_default();
            let place = self.start(Block::Call(Call { id, name, arguments: String::new() }), events);
            self.calls.push((delta.index, place));
            place
        });
        let arguments = delta.function.arguments;
        if !arguments.is_empty()
            && self.open.contains(&place)
            && let Block::Call(call) = &mut self.blocks[place]
        {
            call.arguments.push_str(&arguments);
            events.push(BlockEvent::More(place, BlockKind::Arguments, arguments));
        }
    }
}

#[cfg(test)]
mod tests;

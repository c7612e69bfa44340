//! The memory of agents and models: the earlier messages of a conversation.

use domain::Result;
use domain::chat::Message;
use domain::run::RunThread;
use domain::thread::MessageRole;
use store::Threads;

/// The maximum number of messages that a model sees.
const MAX_MESSAGES: usize = 60;
/// The maximum number of tokens of these messages. Older ones are left out.
const MAX_TOKENS: usize = 8_000;
/// An estimate, because each model counts differently.
const BYTES_PER_TOKEN: usize = 4;

/// The messages before the one that started the run, oldest first.
pub async fn read(threads: &Threads, thread: &RunThread) -> Result<Vec<Message>> {
    let messages = threads.messages_before_run(thread, MAX_MESSAGES).await?;
    Ok(select(messages.iter().rev().map(|message| (message.role, message.text.as_str()))))
}

/// The messages that a model sees, oldest first. `newest` yields the newest one first.
pub fn select<'a>(newest: impl Iterator<Item = (MessageRole, &'a str)>) -> Vec<Message> {
    let mut left = MAX_TOKENS * BYTES_PER_TOKEN;
    let fits = |(_, text): &(MessageRole, &str)| {
        let fits = text.len() <= left;
        left = left.saturating_sub(text.len());
        fits
    };
    let newest = newest.take(MAX_MESSAGES).filter(|(_, text)| !text.is_empty()).take_while(fits);
    let mut history: Vec<Message> = newest.map(|(role, text)| describe(role, text)).collect();
    history.reverse();
    history
}

fn describe(role: MessageRole, text: &str) -> Message {
    match role {
        MessageRole::User => Message::user(text),
        MessageRole::Assistant | MessageRole::System => Message::assistant(Some(text.to_owned()), Vec::new()),
        // The model must not believe that it promised what a person promised.
        MessageRole::Operator => Message::assistant(Some(format!("[a human colleague answered] {text}")), Vec::new()),
    }
}

//! `OpenAI`'s API for moderation: each text is scored alone, against the categories of the provider.

use std::collections::BTreeMap;

use super::{CallBody, GuardCall, each_text, greatest_tokens, round};
use domain::guard::{GuardCategory, GuardMessage};
use domain::usage::Tokens;

/// The maximum number of texts in one call.
const MAX_TEXTS: usize = 128;

/// The scores of each text, by the provider's names of the categories.
pub struct ModerationAnswer {
    pub scores: Vec<BTreeMap<String, f64>>,
    pub usage: Option<Tokens>,
}

/// Makes the calls for the messages that have a text.
pub fn make_calls(messages: &[GuardMessage]) -> Vec<GuardCall> {
    let texts: Vec<_> = each_text(messages).map(|(index, message)| (index, &message.content)).collect();
    let calls = texts.chunks(MAX_TEXTS).map(|part| GuardCall {
        indexes: part.iter().map(|(index, _)| Some(*index)).collect(),
        greatest_input: part.iter().map(|(_, text)| greatest_tokens(text)).sum(),
        max_output: 0,
        body: CallBody::Moderation(part.iter().map(|(_, text)| (*text).clone()).collect()),
    });
    calls.collect()
}

/// The score of each category: the highest one of the provider's categories with its name. A category such as
/// `hate/threatening` also counts for `hate`.
pub fn read(scores: &BTreeMap<String, f64>, categories: &[GuardCategory]) -> Vec<Option<f64>> {
    let score = |category: &GuardCategory| {
        let code = normalize(&category.code);
        let named = scores.iter().filter(|(name, _)| {
            let general = name.split('/').next().unwrap_or_default();
            normalize(name) == code || normalize(general) == code
        });
        named.map(|(_, score)| round(*score)).reduce(f64::max)
    };
    categories.iter().map(score).collect()
}

/// A name without case and punctuation: `self-harm` and `self_harm` are the same category.
fn normalize(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use domain::guard::GuardRole;

    use super::super::fixtures::category;
    use super::*;

    #[test]
    fn categories_are_found_by_name_and_by_their_general_name() {
        let scores = [("self-harm", 0.2), ("self-harm/intent", 0.80004), ("hate", 0.1), ("violence/graphic", 0.3)];
        let scores = scores.map(|(name, score)| (name.to_owned(), score)).into();
        let codes = ["self_harm", "Hate", "self-harm/intent", "gambling", "violence"].map(category);
        assert_eq!(read(&scores, &codes), [Some(0.8), Some(0.1), Some(0.8), None, Some(0.3)]);
    }

    #[test]
    fn messages_without_text_are_left_out_and_long_conversations_are_divided() {
        let message = |content: &str| GuardMessage { role: GuardRole::User, content: content.to_owned() };
        let mut messages = vec![message("hello"); 130];
        messages[1] = message(" ");
        let calls = make_calls(&messages);
        assert_eq!(calls.iter().map(|call| call.indexes.len()).collect::<Vec<_>>(), [128, 1]);
        assert_eq!(calls[0].indexes[..2], [Some(0), Some(2)]);
        assert!(make_calls(&[message("")]).is_empty());
    }
}

//! Truncates an answer at a stop sequence or at the exact token limit.

use crate::tokens;

#[derive(Debug, PartialEq)]
pub struct TruncatedText {
    pub text: String,
    /// Whether the token limit ended the text.
    pub is_short: bool,
}

/// Truncates `text` at the first stop sequence, and then to `max_tokens`. A text that is too long gets exactly
/// `max_tokens`, as with any model.
pub fn truncate(text: &str, stops: &[&str], max_tokens: Option<u64>) -> TruncatedText {
    let stops = stops.iter().filter(|stop| !stop.is_empty());
    let end = stops.filter_map(|stop| text.find(stop)).min().unwrap_or(text.len());
    let text = &text[..end];
    match max_tokens {
        Some(most) if tokens::count(text) > most => {
            TruncatedText { text: longest_fitting_prefix(text, most), is_short: true }
        }
        _ => TruncatedText { text: text.to_owned(), is_short: false },
    }
}

/// Finds the longest prefix that fits by binary search, because the count of a prefix never falls as it grows.
fn longest_fitting_prefix(text: &str, most: u64) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| tokens::count(&text[..*end]) <= most);
    let mut short = text[..fitting.checked_sub(1).map_or(0, |last| ends[last])].to_owned();
    // A character may count several tokens, so the prefix can be below the limit. Dots fill it up.
    while tokens::count(&short) < most {
        short.push('.');
    }
    short
}

/// Splits a text into the pieces of a stream. Each piece begins with the space before its word, so that the token
/// counts of the pieces add up to that of the text.
pub fn split_words(text: &str) -> Vec<&str> {
    let (mut words, mut from, mut last) = (Vec::new(), 0, ' ');
    for (at, c) in text.char_indices() {
        if c == ' ' && last != ' ' {
            words.push(&text[from..at]);
            from = at;
        }
        last = c;
    }
    if from < text.len() {
        words.push(&text[from..]);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_ends_at_the_first_stop_sequence() {
        let stopped = truncate("one two three", &["three", "two", ""], None);
        assert_eq!(stopped, TruncatedText { text: "one ".to_owned(), is_short: false });
    }

    proptest! {
        #[test]
        fn pieces_keep_the_text_and_its_token_count(text in "[ a-zA-Z0-9.,\n誕é👍]{0,60}") {
            let words = split_words(&text);
            prop_assert_eq!(words.concat(), text.clone());
            prop_assert_eq!(words.iter().map(|word| tokens::count(word)).sum::<u64>(), tokens::count(&text));
        }

        #[test]
        fn truncated_text_has_exactly_max_tokens(text in "[ a-zA-Z0-9.,\n誕é👍]{0,60}", most in 1..40u64) {
            let short = truncate(&text, &[], Some(most));
            let whole = tokens::count(&text);
            prop_assert_eq!(tokens::count(&short.text), whole.min(most));
            prop_assert_eq!(short.is_short, whole > most);
        }
    }
}

//! Where an answer stops: at a stop sequence, or at so many tokens, to the token.

use crate::tokens;

#[derive(Debug, PartialEq)]
pub struct Cut {
    pub text: String,
    /// Whether it ran out of tokens.
    pub is_short: bool,
}

/// `text` up to the first stop sequence, and no more than `max_tokens` of it. A text that does not fit is exactly
/// that long, as with any model.
pub fn cut(text: &str, stops: &[&str], max_tokens: Option<u64>) -> Cut {
    let stops = stops.iter().filter(|stop| !stop.is_empty());
    let end = stops.filter_map(|stop| text.find(stop)).min().unwrap_or(text.len());
    let text = &text[..end];
    match max_tokens {
        Some(most) if tokens::count(text) > most => Cut { text: shortened(text, most), is_short: true },
        _ => Cut { text: text.to_owned(), is_short: false },
    }
}

/// The count of a beginning never falls as it grows, so the longest that fits is found by halves.
fn shortened(text: &str, most: u64) -> String {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let fitting = ends.partition_point(|end| tokens::count(&text[..*end]) <= most);
    let mut short = text[..fitting.checked_sub(1).map_or(0, |last| ends[last])].to_owned();
    // A character of several tokens may not fit where one token is left.
    while tokens::count(&short) < most {
        short.push('.');
    }
    short
}

/// A text as it is streamed. Each piece begins with the space before its word, so that the pieces count what the
/// whole does.
pub fn words(text: &str) -> Vec<&str> {
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
    fn the_first_stop_ends_it() {
        let stopped = cut("one two three", &["three", "two", ""], None);
        assert_eq!(stopped, Cut { text: "one ".to_owned(), is_short: false });
    }

    proptest! {
        #[test]
        fn pieces_are_the_text_and_count_as_it(text in "[ a-zA-Z0-9.,\n誕é👍]{0,60}") {
            let words = words(&text);
            prop_assert_eq!(words.concat(), text.clone());
            prop_assert_eq!(words.iter().map(|word| tokens::count(word)).sum::<u64>(), tokens::count(&text));
        }

        #[test]
        fn a_cut_is_exact(text in "[ a-zA-Z0-9.,\n誕é👍]{0,60}", most in 1..40u64) {
            let short = cut(&text, &[], Some(most));
            let whole = tokens::count(&text);
            prop_assert_eq!(tokens::count(&short.text), whole.min(most));
            prop_assert_eq!(short.is_short, whole > most);
        }
    }
}

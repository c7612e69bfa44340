//! Tokens counted here, without the provider's tokenizer: never fewer than any common one would count, for ordinary
//! text, so that what a call is held to cost before it is made is not less than what it costs.

/// What a message costs beyond its text.
pub const PER_MESSAGE: u64 = 8;
/// The most that the providers count for one picture.
pub const PER_IMAGE: u64 = 2_000;
/// The instructions that providers add when there are tools.
pub const FOR_TOOLS: u64 = 600;

/// Two letters of one case are a token, as is every digit, every sign, and every byte of other scripts but one a
/// character. English comes out at about twice what its tokenizers count.
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
            // The second letter of a token.
            Some(kind) if half == Some(kind) => half = None,
            Some(kind) => {
                tokens += 1;
                half = Some(kind);
            }
            None => {
                half = None;
                // One space belongs to the word behind it.
                if c != ' ' || after_space {
                    tokens += (c.len_utf8() as u64 - 1).max(1);
                }
            }
        }
        after_space = c == ' ';
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `cl100k_base` and its like count, from their published examples and vocabularies.
    #[test]
    fn no_fewer_than_a_real_tokenizer_counts() {
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
    fn english_is_held_at_no_more_than_thrice_its_tokens() {
        let text = "It is a truth universally acknowledged, that a single man in possession of a good fortune";
        assert!(count(text) <= 17 * 3, "{}", count(text));
    }
}

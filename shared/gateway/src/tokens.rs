//! Token estimation without the provider's tokenizer.
//!
//! For ordinary text the estimate is never lower than the count of a common tokenizer. The amount reserved before a
//! call therefore covers what the call costs.

/// The tokens of a message beyond those of its text.
pub const PER_MESSAGE: u64 = 8;

/// Counts two letters of the same case as one token, and each digit and punctuation mark as one. A character of another
/// script counts one token less than it has bytes in UTF-8. For English this is about twice the count of a tokenizer.
pub fn count(text: &str) -> u64 {
    let (mut tokens, mut last) = (0, OTHER);
    for byte in text.bytes() {
        let rule = &RULES[usize::from(byte)];
        let step = if rule.class == last { rule.after_same } else { rule.after_other };
        tokens += u64::from(step.tokens);
        last = step.class;
    }
    tokens
}

const OTHER: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const SPACE: u8 = 3;

/// How a byte is counted. Prompts are long and counted for each call, so the rules are in a table.
#[derive(Clone, Copy)]
struct Rule {
    class: u8,
    /// After a byte that left its own class.
    after_same: Step,
    after_other: Step,
}

/// The tokens that a byte adds, and the class that it leaves for the next one.
#[derive(Clone, Copy)]
struct Step {
    tokens: u8,
    class: u8,
}

const RULES: [Rule; 256] = {
    let mut rules = [rule_of(0); 256];
    let mut byte = 0;
    while byte < 256 {
        rules[byte] = rule_of(byte as u8);
        byte += 1;
    }
    rules
};

const fn rule_of(byte: u8) -> Rule {
    let class = match byte {
        b'a'..=b'z' => LOWER,
        b'A'..=b'Z' => UPPER,
        b' ' => SPACE,
        _ => OTHER,
    };
    let (after_same, after_other) = match class {
        // The second letter belongs to the token that the first one began.
        LOWER | UPPER => (Step { tokens: 0, class: OTHER }, Step { tokens: 1, class }),
        // A single space is part of the token of the next word.
        SPACE => (Step { tokens: 1, class }, Step { tokens: 0, class }),
        _ => (Step { tokens: tokens_of(byte), class }, Step { tokens: tokens_of(byte), class }),
    };
    Rule { class, after_same, after_other }
}

/// The tokens of a character other than a letter or a space, by its first byte. The bytes that follow it add none.
const fn tokens_of(first: u8) -> u8 {
    match first {
        0x80..=0xbf => 0,
        0xe0..=0xef => 2,
        0xf0..=0xff => 3,
        _ => 1,
    }
}

/// Halves the maximum estimate, to charge a call whose provider reported no usage. Charging the maximum would bill the
/// client for the safety margin.
pub fn likely(greatest: u64) -> u64 {
    greatest.div_ceil(2)
}

/// The weight of a text, in quarters of a token: about what `likely(count(text))` is. It is the same for a whole text as for the sum
/// of its pieces, so an answer without reported usage costs the same, whole or streamed.
pub fn weigh(text: &str) -> u64 {
    text.bytes().map(|byte| u64::from(WEIGHTS[usize::from(byte)])).sum()
}

const WEIGHTS: [u8; 256] = {
    let mut weights = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        weights[byte] = match byte as u8 {
            b' ' => 0,
            b'a'..=b'z' | b'A'..=b'Z' => 1,
            other => 2 * tokens_of(other),
        };
        byte += 1;
    }
    weights
};

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

    #[test]
    fn letters_spaces_and_other_characters_are_counted_by_their_rules() {
        for (text, tokens) in [
            ("abcd", 2),
            ("abc", 2),
            ("aB", 2),
            ("abAB", 2),
            ("a b", 2),
            ("a  b", 3),
            (" a", 1),
            ("12,", 3),
            ("é", 1),
            ("日本", 4),
            ("👍a", 4),
            ("aéa", 3),
            ("日 a", 3),
        ] {
            assert_eq!(count(text), tokens, "{text}");
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

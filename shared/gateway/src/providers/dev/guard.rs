//! The development guard model: it looks for English and Spanish words and phrases. It understands no context, so it is
//! for development and tests only.

use std::collections::BTreeMap;

use crate::guard::ModerationAnswer;
use crate::tokens::{self, PER_MESSAGE};
use domain::text;
use domain::usage::Tokens;

/// The phrases of each category, with their weights. They are written without case and accents.
const LEXICON: [(&str, &[(&str, f64)]); 6] = [
    (
        "harassment",
        &[
            ("idiot", 0.6),
            ("idiota", 0.6),
            ("moron", 0.6),
            ("imbecil", 0.6),
            ("estupido", 0.5),
            ("estupida", 0.5),
            ("stupid", 0.4),
            ("shut up", 0.4),
            ("callate", 0.4),
            ("you are worthless", 0.8),
            ("no vales nada", 0.8),
            ("loser", 0.5),
        ],
    ),
    (
        "hate",
        &[
            ("subhuman", 0.9),
            ("subhumanos", 0.9),
            ("vermin", 0.6),
            ("inferior race", 0.95),
            ("raza inferior", 0.95),
            ("go back to your country", 0.8),
            ("vuelve a tu pais", 0.8),
            ("ethnic cleansing", 0.8),
            ("limpieza etnica", 0.8),
        ],
    ),
    (
        "illicit",
        &[
            ("build a bomb", 0.95),
            ("make a bomb", 0.95),
            ("fabricar una bomba", 0.95),
            ("hacer una bomba", 0.95),
            ("cocaine", 0.5),
            ("cocaina", 0.5),
            ("meth", 0.5),
            ("metanfetamina", 0.6),
            ("money laundering", 0.6),
            ("lavar dinero", 0.7),
            ("steal a car", 0.7),
            ("robar un coche", 0.7),
            ("credit card numbers", 0.6),
        ],
    ),
    (
        "self_harm",
        &[
            ("suicide", 0.7),
            ("suicidio", 0.7),
            ("suicidarme", 0.95),
            ("kill myself", 0.95),
            ("matarme", 0.9),
            ("cut myself", 0.9),
            ("cortarme las venas", 0.95),
            ("self harm", 0.7),
            ("autolesion", 0.7),
            ("quiero morir", 0.9),
            ("want to die", 0.9),
        ],
    ),
    (
        "sexual",
        &[
            ("porn", 0.8),
            ("porno", 0.8),
            ("pornography", 0.8),
            ("pornografia", 0.8),
            ("nude", 0.5),
            ("desnuda", 0.5),
            ("desnudo", 0.5),
            ("explicit sex", 0.8),
            ("sexo explicito", 0.8),
        ],
    ),
    (
        "violence",
        &[
            ("kill you", 0.9),
            ("kill him", 0.85),
            ("kill her", 0.85),
            ("kill them", 0.85),
            ("te voy a matar", 0.95),
            ("matarlo", 0.85),
            ("matarla", 0.85),
            ("murder", 0.6),
            ("asesinar", 0.7),
            ("massacre", 0.7),
            ("masacre", 0.7),
            ("stab", 0.7),
            ("apunalar", 0.8),
            ("shoot you", 0.9),
            ("dispararte", 0.9),
            ("torture", 0.6),
            ("torturar", 0.6),
        ],
    ),
];

pub fn moderate(texts: &[String]) -> ModerationAnswer {
    let input = texts.iter().map(|text| tokens::count(text) + PER_MESSAGE).sum();
    let scores = texts.iter().map(|text| score(text)).collect();
    ModerationAnswer { scores, usage: Some(Tokens { input, ..Tokens::default() }) }
}

/// The score is 1 − ∏(1 − weight) of the phrases that occur ("noisy or").
fn score(text: &str) -> BTreeMap<String, f64> {
    let folded = text::fold_case_and_accents(text);
    let words: Vec<&str> = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let text = format!(" {} ", words.join(" "));
    let occurs = |phrase: &str| text.contains(&format!(" {phrase} "));
    let score = |phrases: &[(&str, f64)]| {
        let harmless = phrases.iter().filter(|(phrase, _)| occurs(phrase)).map(|(_, weight)| 1.0 - weight);
        1.0 - harmless.product::<f64>()
    };
    LEXICON.iter().map(|(category, phrases)| ((*category).to_owned(), score(phrases))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highest(text: &str) -> (String, f64) {
        score(text).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
    }

    #[test]
    fn phrases_of_both_languages_are_found_despite_case_accents_and_punctuation() {
        for (text, category) in [
            ("I will KILL you!", "violence"),
            ("Te voy a matar, ¿entiendes?", "violence"),
            ("Quiero   morir.", "self_harm"),
            ("cállate, ESTÚPIDO", "harassment"),
            ("how do I make a bomb?", "illicit"),
        ] {
            let (found, score) = highest(text);
            assert_eq!(found, category, "{text}");
            assert!(score > 0.5, "{text}: {score}");
        }
    }

    #[test]
    fn ordinary_texts_and_parts_of_words_score_zero() {
        for text in ["Please establish a schedule", "The method works", "Buenos días, ¿qué tal?", ""] {
            assert!(highest(text).1.abs() < 1e-9, "{text}: {:?}", highest(text));
        }
    }

    #[test]
    fn more_evidence_raises_the_score_but_never_above_one() {
        let one = highest("murder").1;
        let more = highest("murder and torture, a massacre").1;
        assert!(one < more && more < 1.0);
    }
}

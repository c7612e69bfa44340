//! Splits a text into passages (chunking): at paragraphs and sentences, with an overlap where a paragraph is divided. The
//! same text always gives the same passages.

use std::ops::Range;

/// The version of the rules below. Increase it when they change: stored vectors belong to the passages of one version.
pub const VERSION: u32 = 1;

/// The maximum size of a passage.
pub const MAX_PASSAGE_CHARS: usize = 1_000;
/// A passage ends at the last suitable boundary after this size.
const MIN_PASSAGE_CHARS: usize = 500;
/// The end of a passage that the next one repeats, if both belong to the same paragraph.
const OVERLAP_CHARS: usize = 150;

const PARAGRAPH_END: &str = "\n\n";

/// The passages of a text, without white space around them. Line breaks must be `\n`.
pub fn split_passages(text: &str) -> Vec<String> {
    let passages = passage_ranges(text).into_iter().map(|range| text[range].trim());
    passages.filter(|passage| !passage.is_empty()).map(str::to_owned).collect()
}

/// The ranges cover the text. Each begins after the one before, and at its end or in its overlap.
fn passage_ranges(text: &str) -> Vec<Range<usize>> {
    let (mut ranges, mut start) = (Vec::new(), 0);
    loop {
        let end = find_end(text, start);
        ranges.push(start..end);
        if end == text.len() {
            return ranges;
        }
        start = find_next_start(text, end);
    }
}

/// The end of the passage that begins at `start`: the last end of a paragraph, line, sentence or word in its second half.
fn find_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let Some(limit) = offset_of_char(rest, MAX_PASSAGE_CHARS) else { return text.len() };
    let least = offset_of_char(rest, MIN_PASSAGE_CHARS).unwrap_or_default();
    let window = &rest[least..limit];
    let paragraph = window.rfind(PARAGRAPH_END).map(|at| at + PARAGRAPH_END.len());
    let line = || window.rfind('\n').map(|at| at + 1);
    let sentence = || sentence_ends(window).last();
    let word = || window.rfind(char::is_whitespace).and_then(|at| Some(at + window[at..].chars().next()?.len_utf8()));
    let end = paragraph.or_else(line).or_else(sentence).or_else(word).unwrap_or(window.len());
    start + least + end
}

/// The start of the passage after `end`. It repeats the last words before `end`, from the start of a sentence if one is
/// near, so that a sentence keeps some of its context.
fn find_next_start(text: &str, end: usize) -> usize {
    let before = &text[..end];
    if before.ends_with(PARAGRAPH_END) {
        return end;
    }
    let from = before.char_indices().rev().nth(OVERLAP_CHARS - 1).map_or(0, |(at, _)| at);
    let overlap = &text[from..end];
    let sentence = sentence_ends(overlap).find(|at| *at < overlap.trim_end().len());
    let word = || overlap.char_indices().find(|(_, c)| c.is_whitespace()).map(|(at, c)| at + c.len_utf8());
    from + sentence.or_else(word).unwrap_or_default()
}

/// The positions after each sentence and the white space that follows it.
fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            let after = at + c.len_utf8();
            match c {
                '。' | '！' | '？' => return Some(after),
                '.' | '!' | '?' | '…' => {
                    if let Some((space, next)) = chars.next_if(|(_, next)| next.is_whitespace()) {
                        return Some(space + next.len_utf8());
                    }
                }
                _ => {}
            }
        }
        None
    })
}

/// The position of a character; none if the text is shorter.
fn offset_of_char(text: &str, number: usize) -> Option<usize> {
    text.char_indices().nth(number).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sentences(count: usize) -> String {
        (1..=count).map(|number| format!("Sentence {number} is about parcels. ")).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn passages_cover_the_text_within_their_bounds(
            pieces in proptest::collection::vec(("[a-zñ中。 ]{0,400}", "(\n|\n\n|\\. |! |)"), 0..40),
        ) {
            let text: String = pieces.into_iter().map(|(words, end)| words + &end).collect();
            let ranges = passage_ranges(&text);
            prop_assert_eq!(ranges.first().unwrap().start, 0);
            prop_assert_eq!(ranges.last().unwrap().end, text.len());
            for range in &ranges {
                prop_assert!(text[range.clone()].chars().count() <= MAX_PASSAGE_CHARS);
            }
            for pair in ranges.windows(2) {
                let (one, next) = (&pair[0], &pair[1]);
                prop_assert!(one.start < next.start && next.start <= one.end && one.end < next.end);
                prop_assert!(text[one.clone()].chars().count() >= MIN_PASSAGE_CHARS);
                prop_assert!(text[next.start..one.end].chars().count() <= OVERLAP_CHARS);
            }
            prop_assert_eq!(split_passages(&text), split_passages(&text));
        }

        #[test]
        fn any_text_is_split(text in "\\PC{0,1500}") {
            let longest = split_passages(&text).iter().map(|passage| passage.chars().count()).max();
            prop_assert!(longest.unwrap_or_default() <= MAX_PASSAGE_CHARS);
        }
    }

    #[test]
    fn a_short_text_is_one_passage_and_a_blank_one_none() {
        assert_eq!(split_passages(" Goods can be returned.\n"), ["Goods can be returned."]);
        assert_eq!(split_passages(""), [""; 0]);
        assert_eq!(split_passages(&" \n".repeat(3_000)), [""; 0]);
    }

    #[test]
    fn passages_end_at_paragraphs_and_then_do_not_overlap() {
        let (one, other) = (sentences(20), sentences(22));
        let passages = split_passages(&format!("{one}\n\n{other}"));
        assert_eq!(passages, [one.trim(), other.trim()]);
    }

    #[test]
    fn a_long_paragraph_is_divided_between_sentences_which_overlap() {
        let text = sentences(80);
        let passages = split_passages(&text);
        assert_eq!(passages.len(), 3);
        for passage in &passages {
            assert!(passage.starts_with("Sentence ") && passage.ends_with("about parcels."), "{passage}");
        }
        let repeated = passages[0].rsplit("Sentence ").next().unwrap();
        assert!(passages[1].contains(&format!("Sentence {repeated}")), "{passages:?}");
    }

    #[test]
    fn a_text_without_spaces_is_divided_between_characters() {
        let passages = split_passages(&"ñ".repeat(2_500));
        let sizes: Vec<_> = passages.iter().map(|passage| passage.chars().count()).collect();
        assert_eq!(sizes, [1_000, 1_000, 800]);
    }
}

//! Suggestions for misspelled names.

/// Returns the known name with the most similar spelling, ignoring case. It differs in at most `max_distance` letters.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>, max_distance: usize) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let similar = known.filter(|known| known.len().abs_diff(name.len()) <= max_distance);
    let distances = similar.map(|known| (distance(name.as_bytes(), known.to_ascii_lowercase().as_bytes()), known));
    distances.filter(|(distance, _)| *distance <= max_distance).min_by_key(|(distance, _)| *distance).map(|(_, it)| it)
}

/// The Levenshtein distance.
fn distance(left: &[u8], right: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (row_index, a) in left.iter().enumerate() {
        let mut before = row[0];
        row[0] = row_index + 1;
        for (column, b) in right.iter().enumerate() {
            let changed = before + usize::from(a != b);
            before = row[column + 1];
            row[column + 1] = changed.min(before + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_found_within_the_distance() {
        let known = || ["gpt-4o", "gpt-4o-mini", "o3"].into_iter();
        assert_eq!(nearest("GPT-4", known(), 2), Some("gpt-4o"));
        assert_eq!(nearest("gpt-4o-mni", known(), 2), Some("gpt-4o-mini"));
        assert_eq!(nearest("claude", known(), 2), None);
        assert_eq!(nearest("", known(), 1), None);
    }
}

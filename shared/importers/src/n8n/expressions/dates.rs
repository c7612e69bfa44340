//! Durations, and the formats of dates.

use super::tree::Js;

/// The duration of `plus({days: 1})` or `minus(2, 'hours')`. None for months and years, which have no fixed length.
pub fn duration(given: &[Js]) -> Option<String> {
    let parts: Vec<(&str, &Js)> = match given {
        [Js::Map(entries)] => entries.iter().map(|(unit, count)| (unit.as_str(), count)).collect(),
        [count, Js::Text(unit)] => vec![(unit.as_str(), count)],
        _ => return None,
    };
    let mut seconds = 0.0;
    for (unit, count) in parts {
        let Js::Number(count) = count else { return None };
        let unit = match unit.trim_end_matches('s') {
            "second" => 1.0,
            "minute" => 60.0,
            "hour" => 3_600.0,
            "day" => 86_400.0,
            "week" => 604_800.0,
            _ => return None,
        };
        seconds += count.parse::<f64>().ok()? * unit;
    }
    (seconds < 1e9).then(|| format!("{seconds}s"))
}

/// Translates a Luxon date format to `strftime`.
pub fn strftime(format: &str) -> Result<String, String> {
    const PARTS: [(&str, &str); 20] = [
        ("yyyy", "%Y"),
        ("yy", "%y"),
        ("MMMM", "%B"),
        ("LLLL", "%B"),
        ("MMM", "%b"),
        ("LLL", "%b"),
        ("MM", "%m"),
        ("LL", "%m"),
        ("dd", "%d"),
        ("cccc", "%A"),
        ("EEEE", "%A"),
        ("ccc", "%a"),
        ("EEE", "%a"),
        ("HH", "%H"),
        ("hh", "%I"),
        ("mm", "%M"),
        ("ss", "%S"),
        ("SSS", "%3f"),
        ("a", "%p"),
        ("d", "%-d"),
    ];
    let (mut written, mut rest) = (String::new(), format);
    while let Some(c) = rest.chars().next() {
        if c == '\'' {
            let (text, after) = rest[1..].split_once('\'').ok_or("the date format has an unclosed quote")?;
            written.push_str(&text.replace('%', "%%"));
            rest = after;
        } else if let Some((name, part)) = PARTS.iter().find(|(name, _)| rest.starts_with(name)) {
            written.push_str(part);
            rest = &rest[name.len()..];
        } else if c.is_alphabetic() || matches!(c, '%' | '\\') {
            return Err(format!("`{c}` in the date format is not supported"));
        } else {
            written.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(written)
}

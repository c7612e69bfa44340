//! Short texts for messages that have neither a text nor a file, so that a run starts and the bot can react.

/// A text such as `[sticker 👍]`.
pub fn sticker_text(emoji: Option<String>) -> String {
    bracket("sticker", [emoji])
}

/// A text such as `[location 41.4036,2.1744 Sagrada Família]`.
pub fn location_text<const N: usize>(latitude: f64, longitude: f64, names: [Option<String>; N]) -> String {
    let place = format!("{latitude},{longitude}");
    bracket("location", std::iter::once(Some(place)).chain(names))
}

/// A text such as `[contact Ada +34600123456]`.
pub fn contact_text<const N: usize>(details: [Option<String>; N]) -> String {
    bracket("contact", details)
}

/// A text such as `[poll]`, for a message that only the provider's own apps show.
pub fn other_text(kind: &str) -> String {
    bracket(&kind.replace('_', " "), [])
}

fn bracket(kind: &str, details: impl IntoIterator<Item = Option<String>>) -> String {
    let details = details.into_iter().flatten().map(|detail| detail.trim().to_owned());
    let words: Vec<String> = std::iter::once(kind.to_owned()).chain(details.filter(|word| !word.is_empty())).collect();
    format!("[{}]", words.join(" "))
}

//! Decodes texts: UTF-8, and the character sets of old Western pages.

/// Some servers begin UTF-8 with it, but it is no part of the text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The characters of windows-1252 from 0x80 to 0x9F. Browsers read ISO-8859-1 as windows-1252, too.
pub const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes a text. None if the character set is unknown, or if the bytes are not valid in it.
pub fn decode(bytes: &[u8], charset: Option<&str>) -> Option<String> {
    let charset = charset.unwrap_or("utf-8").to_ascii_lowercase();
    match charset.as_str() {
        "utf-8" | "utf8" | "us-ascii" | "ascii" => {
            let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
            str::from_utf8(bytes).ok().map(str::to_owned)
        }
        "iso-8859-1" | "latin1" | "windows-1252" => Some(bytes.iter().map(|byte| decode_western(*byte)).collect()),
        _ => None,
    }
}

fn decode_western(byte: u8) -> char {
    match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

/// The parameter `charset` of a content type.
pub fn charset_of(content_type: &str) -> Option<&str> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, charset) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(charset.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded_by_their_charset() {
        for (bytes, content_type, text) in [
            (&b"\xEF\xBB\xBFni\xC3\xB1o"[..], "text/plain", Some("niño")),
            (b"ni\xC3\xB1o", "text/html; Charset=\"UTF-8\"", Some("niño")),
            (b"ni\xF1o 5 \x80", "text/html;charset=ISO-8859-1", Some("niño 5 €")),
            (b"ni\xF1o", "text/html", None),
            (b"\x83\x65", "text/html; charset=Shift_JIS", None),
        ] {
            assert_eq!(decode(bytes, charset_of(content_type)).as_deref(), text, "{content_type}");
        }
    }
}

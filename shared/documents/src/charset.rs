//! Decodes texts in the character sets that browsers know: UTF-8, and those of older pages, such as `Shift_JIS`.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// Decodes a text. None if the character set is unknown, or if the bytes are not valid in it.
pub fn decode(bytes: &[u8], charset: Option<&str>) -> Option<String> {
    let charset = charset.unwrap_or("utf-8").trim();
    // Browsers read ASCII as windows-1252, but many texts that are declared as ASCII are UTF-8.
    let is_ascii = charset.eq_ignore_ascii_case("us-ascii") || charset.eq_ignore_ascii_case("ascii");
    let encoding = if is_ascii { UTF_8 } else { Encoding::for_label_no_replacement(charset.as_bytes())? };
    // A byte order mark is more reliable than the declaration, and no part of the text.
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((encoding, 0));
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..])?;
    Some(text.into_owned())
}

/// The character with this number in windows-1252, which browsers take for the numbers from 0x80 to 0x9F.
pub fn decode_western(byte: u8) -> char {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(&byte));
    text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
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
            (b"ni\xC3\xB1o", "text/plain; charset=us-ascii", Some("niño")),
            (b"ni\xF1o 5 \x80", "text/html;charset=ISO-8859-1", Some("niño 5 €")),
            (b"ni\xF1o", "text/html", None),
            (b"\x83\x65\x83\x58\x83\x67", "text/html; charset=Shift_JIS", Some("テスト")),
            (b"\xa5\xc6\xa5\xb9\xa5\xc8", "text/html; charset=EUC-JP", Some("テスト")),
            (b"\xb2\xe2\xca\xd4", "text/html; charset=GBK", Some("测试")),
            (b"\xcf\xf0\xe8", "text/html; charset=windows-1251", Some("При")),
            (b"\xff\xfen\x00i\x00", "text/plain", Some("ni")),
            (b"\x83", "text/html; charset=Shift_JIS", None),
            (b"text", "text/html; charset=klingon", None),
        ] {
            assert_eq!(decode(bytes, charset_of(content_type)).as_deref(), text, "{content_type}");
        }
    }
}

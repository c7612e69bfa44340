//! Decodes the character references (entities) of HTML.

use std::borrow::Cow;

use crate::charset::decode_western;

/// The names of the characters from U+00A0 to U+00FF.
const LATIN_1: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

const OTHERS: [(&str, char); 22] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("bull", '•'),
    ("hellip", '…'),
    ("euro", '€'),
    ("trade", '™'),
    ("rarr", '→'),
    ("minus", '−'),
    ("oelig", 'œ'),
];

/// A longer name is unknown.
const MAX_NAME_BYTES: usize = 16;

/// Decodes a text. References that are not known stay as they are.
pub fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return Cow::Borrowed(text) };
    let (mut decoded, mut rest) = (text[..first].to_owned(), &text[first..]);
    while let Some(after) = rest.strip_prefix('&') {
        let end = after.bytes().take(MAX_NAME_BYTES).position(|byte| byte == b';');
        rest = match end.and_then(|end| Some((find_char(&after[..end])?, &after[end + 1..]))) {
            Some((c, after)) => {
                decoded.push(c);
                after
            }
            None => {
                decoded.push('&');
                after
            }
        };
        let next = rest.find('&').unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(decoded)
}

fn find_char(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let number = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return Some(match number {
            0x80..=0x9f => decode_western(number as u8),
            0 => char::REPLACEMENT_CHARACTER,
            _ => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
        });
    }
    let latin_1 = || LATIN_1.iter().zip('\u{a0}'..).find(|(known, _)| **known == name).map(|(_, c)| c);
    OTHERS.iter().find(|(known, _)| *known == name).map(|(_, c)| *c).or_else(latin_1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded() {
        for (html, text) in [
            ("Fish &amp; chips &lt;hot&gt;", "Fish & chips <hot>"),
            ("ni&ntilde;o &#241; &#xF1; &yuml;&nbsp;", "niño ñ ñ ÿ\u{a0}"),
            ("&#146;&#0;&#x110000;", "’\u{fffd}\u{fffd}"),
            ("&amp;lt; & && &unknown; &amp", "&lt; & && &unknown; &amp"),
            ("a&ñ;b &#; &#x; &;", "a&ñ;b &#; &#x; &;"),
            ("none", "none"),
        ] {
            assert_eq!(decode(html), text, "{html}");
        }
    }
}

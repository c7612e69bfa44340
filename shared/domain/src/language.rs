//! The languages of texts for people. A text is written in each language at once, so the compiler finds one that is missing.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Spanish,
}

impl Language {
    /// The code of the language (RFC 5646).
    pub fn code(self) -> &'static str {
        self.choose("en", "es")
    }

    /// The language that a header `Accept-Language` (RFC 9110) prefers: the one with the highest weight, or the first of
    /// several. English, if it names none of them.
    pub fn preferred(accepted: &str) -> Self {
        let mut best = (Self::default(), 0);
        for range in accepted.split(',') {
            let (tag, parameters) = range.split_once(';').unwrap_or((range, ""));
            let primary = tag.trim().split('-').next().unwrap_or_default();
            let language = match primary {
                "*" => Self::default(),
                code if code.eq_ignore_ascii_case("en") => Self::English,
                code if code.eq_ignore_ascii_case("es") => Self::Spanish,
                _ => continue,
            };
            let weight = weight(parameters);
            if weight > best.1 {
                best = (language, weight);
            }
        }
        best.0
    }

    pub fn choose<T>(self, english: T, spanish: T) -> T {
        match self {
            Self::English => english,
            Self::Spanish => spanish,
        }
    }
}

/// A weight such as `q=0.5`, in thousandths. A wrong one counts as none, so the range is ignored.
fn weight(parameters: &str) -> u32 {
    let Some(weight) = parameters.trim().strip_prefix("q=") else {
        return if parameters.trim().is_empty() { 1_000 } else { 0 };
    };
    match weight.trim().parse::<f64>() {
        Ok(weight) if (0.0..=1.0).contains(&weight) => (weight * 1_000.0) as u32,
        _ => 0,
    }
}

/// A text in each language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translated<T = &'static str> {
    pub en: T,
    pub es: T,
}

impl<T> Translated<T> {
    pub const fn new(en: T, es: T) -> Self {
        Self { en, es }
    }

    pub fn get(&self, language: Language) -> &T {
        language.choose(&self.en, &self.es)
    }

    pub fn all(&self) -> [&T; 2] {
        [&self.en, &self.es]
    }

    pub fn map<U>(self, change: impl Fn(T) -> U) -> Translated<U> {
        Translated::new(change(self.en), change(self.es))
    }
}

impl Translated<String> {
    /// A text of another program or of a user, which has no translation.
    pub fn untranslated(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::new(text.clone(), text)
    }

    pub fn join(texts: impl Iterator<Item = Self>, separator: Translated) -> Self {
        let (en, es): (Vec<_>, Vec<_>) = texts.map(|text| (text.en, text.es)).unzip();
        Self::new(en.join(separator.en), es.join(separator.es))
    }

    /// Appends another text.
    pub fn with(mut self, end: &Translated<impl AsRef<str>>) -> Self {
        self.en.push_str(end.en.as_ref());
        self.es.push_str(end.es.as_ref());
        self
    }
}

impl From<Translated> for Translated<String> {
    fn from(text: Translated) -> Self {
        text.map(str::to_owned)
    }
}

/// Formats a text in English and in Spanish, as `format!` does. Both use the same arguments.
#[macro_export]
macro_rules! translated {
    ($en:literal, $es:literal $(, $($arguments:tt)*)?) => {
        $crate::language::Translated::new(
            ::std::format!($en $(, $($arguments)*)?),
            ::std::format!($es $(, $($arguments)*)?),
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_formatted_in_each_language() {
        let name = "x";
        let text = translated!("`{name}` has {} inputs", "`{name}` tiene {} entradas", 2);
        let text = text.with(&Translated::new("; remove one", "; quite una"));
        assert_eq!(text, Translated::new("`x` has 2 inputs; remove one", "`x` tiene 2 entradas; quite una").into());
        assert_eq!(translated!("none", "ninguna").map(|text| text.len()), Translated::new(4, 7));
    }

    #[test]
    fn the_language_with_the_highest_weight_is_preferred() {
        for (accepted, expected) in [
            ("", "en"),
            ("es", "es"),
            ("ES-mx", "es"),
            ("es-ES,es;q=0.9,en;q=0.8", "es"),
            ("en-US,en;q=0.9,es;q=0.8", "en"),
            ("de,es;q=0.5,en;q=0.4", "es"),
            ("de, fr;q=0.5", "en"),
            ("en;q=0.5, es", "es"),
            ("en;q=0.5, es;q=0.5", "en"),
            ("es;q=0", "en"),
            ("es;q=2", "en"),
            ("es;level=1", "en"),
            ("*", "en"),
            ("*;q=0.5, es;q=0.6", "es"),
            ("esperanto", "en"),
        ] {
            assert_eq!(Language::preferred(accepted).code(), expected, "{accepted}");
        }
    }
}

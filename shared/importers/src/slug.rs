//! Derives node ids from names.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

const MAX_CHARS: usize = 56;

/// Hands out ids, each once.
#[derive(Default)]
pub struct Ids(HashSet<String>);

impl Ids {
    /// A unique id, derived from the first name that contains a usable character.
    pub fn assign(&mut self, names: &[&str]) -> String {
        let wanted = names.iter().map(|name| slug(name)).find(|slug| !slug.is_empty());
        let wanted = wanted.unwrap_or_else(|| "node".to_owned());
        if self.0.insert(wanted.clone()) {
            return wanted;
        }
        // One more number than there are ids: at least one is free.
        let numbered = (2..=self.0.len() + 2).map(|number| format!("{wanted}_{number}"));
        let mut free = numbered.filter(|id| !self.0.contains(id));
        let id = free.next().unwrap_or(wanted);
        self.0.insert(id.clone());
        id
    }
}

/// ASCII letters and digits with `_` between words, so that expressions can use the id without brackets.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(4 * MAX_CHARS).nfkd() {
        if slug.len() >= MAX_CHARS {
            break;
        }
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !unicode_normalization::char::is_combining_mark(c) && !slug.is_empty() && !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        let mut ids = Ids::default();
        let given = ["HTTP Request", "HTTP Request", "http-request", "Préparer  la réponse!", "发送", "a"];
        let given = given.map(|name| ids.assign(&[name, "n-7"]));
        assert_eq!(given, ["http_request", "http_request_2", "http_request_3", "preparer_la_reponse", "n_7", "a"]);
        assert_eq!(ids.assign(&["", "—"]), "node");
        assert_eq!(ids.assign(&[&"x".repeat(500)]).len(), MAX_CHARS);
    }
}

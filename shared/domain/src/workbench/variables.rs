//! The environment variables of a workbench: which names and values are allowed, and what a change of them may contain.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// The maximum number of plain and secret variables of a workbench together.
pub const MAX_VARIABLES: usize = 40;
pub const MAX_NAME_CHARS: usize = 64;
pub const MAX_VALUE_BYTES: usize = 4096;

/// The names that the platform, the program's login or the loader of programs needs.
const RESERVED_NAMES: [&str; 8] =
    ["HOME", "PATH", "USER", "SHELL", "JUPYTER_PATH", "JUPYTER_TOKEN", "NOTEBOOK_ARGS", "VIRTUAL_ENV"];
const RESERVED_PREFIXES: [&str; 4] = ["ATELIER_", "LD_", "DYLD_", "KUBERNETES_"];

/// Environment variables. The values of the secret ones have the type `S`, because they are stored encrypted.
#[derive(Clone, Debug, PartialEq)]
pub struct Variables<S> {
    pub env: BTreeMap<String, String>,
    pub secrets: BTreeMap<String, S>,
}

/// A change of variables. `None` removes a variable, and those without an entry stay as they are.
#[derive(Clone, Debug)]
pub struct VariablesPatch<S> {
    pub env: BTreeMap<String, Option<String>>,
    pub secrets: BTreeMap<String, Option<S>>,
}

impl<S> Default for Variables<S> {
    fn default() -> Self {
        Self { env: BTreeMap::new(), secrets: BTreeMap::new() }
    }
}

impl<S> Variables<S> {
    pub fn is_empty(&self) -> bool {
        self.env.is_empty() && self.secrets.is_empty()
    }

    /// Applies a change, whose names and values were checked. Fails if there are too many variables afterwards, or if one is
    /// both plain and secret.
    pub fn apply(&mut self, patch: VariablesPatch<S>) -> Result<()> {
        apply(&mut self.env, patch.env);
        apply(&mut self.secrets, patch.secrets);
        if let Some(name) = self.secrets.keys().find(|name| self.env.contains_key(*name)) {
            let problem = "is a plain variable too; remove it from env with null, or choose another name";
            return Err(Error::invalid_body(format!("secrets.{name}"), problem));
        }
        let count = self.env.len() + self.secrets.len();
        if count > MAX_VARIABLES {
            let problem =
                format!("{count} variables with the secrets, and the maximum is {MAX_VARIABLES}; remove some");
            return Err(Error::invalid_body("env", problem));
        }
        Ok(())
    }
}

fn apply<V>(variables: &mut BTreeMap<String, V>, patch: BTreeMap<String, Option<V>>) {
    for (name, value) in patch {
        match value {
            Some(value) => drop(variables.insert(name, value)),
            None => drop(variables.remove(&name)),
        }
    }
}

/// Checks a variable of the field `env` or `secrets`. The errors never contain the value.
pub fn check_variable(field: &str, name: &str, value: &str) -> Result<()> {
    let invalid = |problem: &str| Err(Error::invalid_body(format!("{field}.{name}"), problem));
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_name = name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit());
    if !is_name || name.len() > MAX_NAME_CHARS {
        return invalid(&format!(
            "the name must have 1 to {MAX_NAME_CHARS} letters, digits and underscores, and must not begin with a digit"
        ));
    }
    if RESERVED_NAMES.contains(&name) || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return invalid("the platform sets this variable; choose another name");
    }
    if value.len() > MAX_VALUE_BYTES {
        return invalid(&format!("must have at most {MAX_VALUE_BYTES} bytes; put longer texts into a file"));
    }
    if value.contains('\0') {
        return invalid("must not contain a null character");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(name: &str, value: &str) -> Option<String> {
        match check_variable("secrets", name, value) {
            Ok(()) => None,
            Err(Error::InvalidBody { message, .. }) => Some(message),
            Err(error) => panic!("{error:?}"),
        }
    }

    #[test]
    fn names_and_values_are_limited() {
        let longest = "A".repeat(MAX_NAME_CHARS);
        for name in ["A", "_", "a_1", "HF_TOKEN", "OPENAI_API_KEY", &longest] {
            assert_eq!(problem(name, "value"), None, "{name}");
        }
        for name in ["", "1A", "A-B", "A B", "A=B", "Ä", "A\n", &"A".repeat(MAX_NAME_CHARS + 1)] {
            assert!(problem(name, "value").is_some_and(|problem| problem.contains("the name must have")), "{name}");
        }
        for name in ["HOME", "PATH", "ATELIER_TOKEN", "LD_PRELOAD", "JUPYTER_TOKEN"] {
            assert!(problem(name, "value").is_some_and(|problem| problem.contains("the platform sets")), "{name}");
        }
        assert_eq!(problem("A", &"x".repeat(MAX_VALUE_BYTES)), None);
        let too_long = problem("A", &"secret".repeat(1_000)).unwrap();
        assert!(too_long.starts_with("secrets.A: must have at most 4096 bytes") && !too_long.contains("secretsecret"));
        assert!(problem("A", "a\0b").is_some());
    }

    #[test]
    fn a_patch_keeps_what_it_does_not_name() {
        let names = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), "old".to_owned())).collect();
        let mut variables = Variables { env: names(&["A", "B"]), secrets: names(&["C", "D"]) };
        let patch = VariablesPatch {
            env: BTreeMap::from([("A".to_owned(), None), ("E".to_owned(), Some("new".to_owned()))]),
            secrets: BTreeMap::from([("C".to_owned(), None), ("A".to_owned(), Some("moved".to_owned()))]),
        };
        variables.apply(patch).unwrap();
        assert_eq!(variables.env.keys().collect::<Vec<_>>(), ["B", "E"]);
        assert_eq!(variables.secrets.keys().collect::<Vec<_>>(), ["A", "D"]);
        let both = BTreeMap::from([("B".to_owned(), Some("x".to_owned()))]);
        assert!(variables.apply(VariablesPatch { env: BTreeMap::new(), secrets: both }).is_err());
        let many = (0..MAX_VARIABLES).map(|number| (format!("N{number}"), Some("x".to_owned()))).collect();
        let mut variables = Variables::<String>::default();
        variables.apply(VariablesPatch { env: many, secrets: BTreeMap::new() }).unwrap();
        let one_more = BTreeMap::from([("M".to_owned(), Some("x".to_owned()))]);
        assert!(variables.apply(VariablesPatch { env: BTreeMap::new(), secrets: one_more }).is_err());
    }
}

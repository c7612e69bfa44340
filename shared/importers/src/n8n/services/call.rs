//! An operation of a service, from which an `http` node is made.

use serde_json::{Map, Value, json};
use services::{Arguments, Operation, Service, build_node};

use super::source::{Arg, Source};
use crate::translation::Translation;

/// The note of a list that is not read to its end.
pub const FIRST_PAGE: &str = "only the first page is read: a loop reads further pages";

/// The value of a setting that n8n has in its credential. A person must replace it.
pub const UNKNOWN: &str = "to-be-chosen";
/// The host in place of one that n8n has in its credential. No such host exists.
pub const UNKNOWN_HOST: &str = "to-be-chosen.invalid";

/// A call of an operation.
pub struct Call {
    service: &'static Service,
    operation: &'static Operation,
    arguments: Arguments,
}

/// The configuration of a `code` node that runs once for all items.
pub fn for_all_items(javascript: &str) -> Map<String, Value> {
    Map::from_iter([("javascript".to_owned(), javascript.into()), ("itemMode".to_owned(), json!({"run": "all"}))])
}

impl Call {
    /// None if there is no such operation: `google-drive/copy-file`.
    pub fn new(name: &str) -> Option<Self> {
        let (service, operation) = name.split_once('/')?;
        let service = services::find(service)?;
        let operation = service.find_operation(operation)?;
        let mut arguments = Arguments::default();
        for name in service.settings(operation).map(|(name, _)| name) {
            let value = match name {
                "host" => UNKNOWN_HOST.into(),
                "project" => "tobechosen".into(),
                "dc" => "us1".into(),
                "version" => operation.example.get(name).cloned().unwrap_or_default(),
                _ => UNKNOWN.into(),
            };
            arguments.values.insert(name.to_owned(), value);
        }
        Some(Self { service, operation, arguments })
    }

    pub fn set(&mut self, source: &Source, parameter: &str, argument: Arg) {
        self.arguments.javascript.remove(parameter);
        self.arguments.values.remove(parameter);
        match argument.value() {
            Some(value) => drop(self.arguments.values.insert(parameter.to_owned(), value)),
            None => drop(self.arguments.javascript.insert(parameter.to_owned(), argument.script(source.js))),
        }
    }

    /// Sets a parameter of ours with a parameter of n8n, if it is given.
    pub fn set_from(&mut self, source: &Source, parameter: &str, path: &str) {
        if let Some(value) = source.find(path) {
            self.set(source, parameter, Arg::Parameter(value.clone()));
        }
    }

    /// The configuration of the node. A value that the form refuses is sent as it is.
    pub fn config(mut self, result: &str) -> Option<Map<String, Value>> {
        for name in self.missing() {
            self.arguments.javascript.insert(name.to_owned(), "\"\"".to_owned());
        }
        let mut config = match build_node(self.service, self.operation, &self.arguments) {
            Ok(config) => config,
            Err(problems) => {
                for (field, _) in problems {
                    let name = field.strip_prefix("values.")?.split(['.', '[']).next()?;
                    if let Some(value) = self.arguments.values.remove(name) {
                        self.arguments.javascript.insert(name.to_owned(), services::js_literal(&value));
                    }
                }
                build_node(self.service, self.operation, &self.arguments).ok()?
            }
        };
        config.insert("failOnStatus".to_owned(), true.into());
        config.insert("itemMode".to_owned(), json!({"result": {"js": result}}));
        Some(config)
    }

    /// The node, whose items are those of `result`.
    pub fn node(self, result: &str) -> Option<Translation> {
        let (reconnects, missing) = (self.reconnects(), self.missing());
        let notes = missing.into_iter().map(|name| format!("its `{name}` is empty"));
        Some(Translation::new("http", self.config(result)?.into()).with_reconnects(reconnects).with_notes(notes))
    }

    /// The required parameters without an argument.
    fn missing(&self) -> Vec<&'static str> {
        let required = self.operation.required.iter().map(String::as_str);
        let is_missing = |name: &&str| {
            let has_default =
                self.operation.parameters.get(*name).is_some_and(|schema| schema.get("default").is_some());
            !has_default && !self.arguments.values.contains_key(*name) && !self.arguments.javascript.contains_key(*name)
        };
        required.filter(is_missing).collect()
    }

    /// What a person must set in the node.
    pub fn reconnects(&self) -> Vec<String> {
        let has_settings = self.service.settings(self.operation).any(|(name, _)| name != "version");
        let account = has_settings.then(|| format!("the address of the account in the URL of {}", self.service.name));
        account.into_iter().chain([format!("a credential for {}", self.service.name)]).collect()
    }
}

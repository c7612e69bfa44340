//! A request of a service that the crate `services` does not have.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::source::{Arg, Source, text_field};
use crate::translation::Translation;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    method: String,
    /// `{name}` is the value of an argument.
    url: String,
    /// The arguments that belong to the query. Those that are not in the URL either are the fields of the JSON body.
    #[serde(default)]
    query: Vec<String>,
    /// The argument that is the whole body.
    body: Option<String>,
    #[serde(default)]
    headers: IndexMap<String, String>,
    /// What a person must connect.
    connect: Vec<String>,
    #[serde(default)]
    notes: Vec<String>,
}

impl Request {
    /// The node, whose items are those of `result`.
    pub fn node(&self, source: &Source, mut arguments: IndexMap<String, Arg>, result: &str) -> Translation {
        let mut config = Map::from_iter([("method".to_owned(), self.method.clone().into())]);
        config.insert("url".to_owned(), self.fill_url(source, &mut arguments));
        let query = self.query.iter().filter_map(|name| {
            let value = arguments.shift_remove(name)?;
            let field = match &value {
                Arg::Parameter(value) => text_field(source, value),
                other => json!({"js": other.script(source.js)}),
            };
            Some((name.clone(), field))
        });
        let query = Map::from_iter(query);
        let headers: Map<String, Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        for (name, map) in [("headers", headers), ("query", query)] {
            if !map.is_empty() {
                config.insert(name.to_owned(), map.into());
            }
        }
        let body = match &self.body {
            Some(name) => arguments.shift_remove(name),
            None => (!arguments.is_empty()).then(|| Arg::Object(arguments.into_iter().collect())),
        };
        if let Some(body) = body.filter(|_| self.method != "GET") {
            config.insert("body".to_owned(), json!({"type": "json", "value": {"js": body.script(source.js)}}));
        }
        config.insert("failOnStatus".to_owned(), true.into());
        config.insert("itemMode".to_owned(), json!({"result": {"js": result}}));
        Translation::new("http", config.into()).with_reconnects(&self.connect).with_notes(&self.notes)
    }

    fn fill_url(&self, source: &Source, arguments: &mut IndexMap<String, Arg>) -> Value {
        let (mut url, mut rest, mut is_computed) = (String::new(), self.url.as_str(), false);
        while let Some((before, (name, after))) =
            rest.split_once('{').and_then(|(before, after)| Some((before, after.split_once('}')?)))
        {
            let value = arguments.shift_remove(name).unwrap_or_else(|| Arg::text(""));
            url.push_str(&format!("{before}${{encodeURIComponent({})}}", value.script(source.js)));
            (rest, is_computed) = (after, true);
        }
        url.push_str(rest);
        if is_computed { json!({"js": format!("`{url}`")}) } else { url.into() }
    }
}

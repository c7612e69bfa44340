//! Projections, and paths that must not overlap.

use aws_sdk_dynamodb::types::AttributeValue;
use tables::condition::Path;
use tables::item::Item;

use super::aliases::Aliases;
use super::parser::Parser;
use crate::conditions::find;
use crate::wire::refusal::{Refusal, Result};

/// The paths that an answer has of each item.
pub struct Projection(Vec<Path>);

impl Projection {
    pub fn parse(text: &str, aliases: &mut Aliases) -> Result<Self> {
        let mut parser = Parser::new(text, aliases)?;
        let mut paths = vec![parser.parse_path()?];
        while parser.skip_symbol(",") {
            paths.push(parser.parse_path()?);
        }
        parser.require_end()?;
        require_apart(&paths.iter().collect::<Vec<_>>())?;
        Ok(Self(paths))
    }

    /// The attributes whose values are projected, whole or in part.
    pub fn attributes(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|path| path.attribute.as_ref())
    }

    /// The projected part of an item.
    pub fn apply(&self, item: &Item) -> Item {
        let mut projected = Item::new();
        for path in &self.0 {
            if let Some(value) = find(item, path) {
                let names: Vec<&str> = names(path).collect();
                insert(&mut projected, &names, value.clone());
            }
        }
        projected
    }
}

/// Inserts a value, and the maps around it.
fn insert(into: &mut Item, names: &[&str], value: AttributeValue) {
    match names {
        [] => {}
        [name] => {
            into.insert((*name).to_owned(), value);
        }
        [name, fields @ ..] => {
            let map = into.entry((*name).to_owned()).or_insert_with(|| AttributeValue::M(Item::new()));
            if let AttributeValue::M(map) = map {
                insert(map, fields, value);
            }
        }
    }
}

fn names(path: &Path) -> impl Iterator<Item = &str> {
    [path.attribute.as_ref()].into_iter().chain(path.fields.iter().map(AsRef::as_ref))
}

/// Refuses paths of which one is equal to another, or a part of it.
pub fn require_apart(paths: &[&Path]) -> Result<()> {
    for (position, one) in paths.iter().enumerate() {
        for other in &paths[position + 1..] {
            if names(one).zip(names(other)).all(|(one, other)| one == other) {
                return Err(Refusal::invalid(format_args!("the paths {one} and {other} overlap")));
            }
        }
    }
    Ok(())
}

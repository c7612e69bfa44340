//! Finds every field that a body lacks, does not know or types wrongly. serde stops at the first one, so each problem is
//! repaired in a copy of the body, and the copy is read again.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use serde_path_to_error::{Path, Segment};

use super::deserialize;
use crate::body_problem::{BodyProblem, MOST_PROBLEMS};

/// The most readings of one body.
const MOST_ATTEMPTS: usize = 100;
/// Larger bodies are not read again: their first problem is reported alone.
pub(super) const MOST_BYTES: usize = 64 * 1024;

/// The problem of a required field that is absent.
pub(super) const MISSING: &str = "is missing";

/// A place in a document.
type Place = Vec<Step>;

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Field(String),
    Item(usize),
}

/// A place that was wrong, and the candidate to try when it is still wrong.
struct Repair {
    place: Place,
    next: usize,
}

/// Values that replace a wrong or missing one, so that the rest can be read. A type that accepts none of them hides the
/// problems of the object around it.
fn candidates() -> [Value; 7] {
    [
        json!({}),
        json!([]),
        json!("a"),
        json!(1),
        json!(true),
        json!("2030-01-01T00:00:00Z"),
        json!("00000000-0000-7000-8000-000000000000"),
    ]
}

/// The problems of a document that cannot be read as a `T`, in the order in which serde finds them.
pub fn find<T: DeserializeOwned>(mut document: Value) -> Vec<BodyProblem> {
    let (mut found, mut repairs) = (Vec::new(), Vec::<Repair>::new());
    for _ in 0..MOST_ATTEMPTS {
        let Err(error) = deserialize::<T, _>(&document) else { break };
        let message = error.inner().to_string();
        let mut place = place_of(error.path());
        let missing = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        place.extend(missing.map(|name| Step::Field(name.to_owned())));
        let known = repairs.iter().rposition(|repair| place.starts_with(&repair.place));
        let is_repaired = match known.map(|at| (repairs[at].place.len() == place.len(), at)) {
            Some((is_same, at)) if is_same || missing.is_none() => retry(&mut document, &mut repairs[at], &message),
            // A field of an object that replaces a wrong one. Its absence is not a problem of the body.
            Some(_) => start(&mut document, &mut repairs, &place),
            None if found.len() == MOST_PROBLEMS => break,
            None => {
                found.push(BodyProblem::new(&text_of(&place), missing.map_or(message.as_str(), |_| MISSING)));
                match place.last() {
                    Some(Step::Field(name)) if missing.is_none() => {
                        // An optional field can stay away.
                        repairs.push(Repair { place: place.clone(), next: 0 });
                        remove(&mut document, &place, name)
                    }
                    _ => start(&mut document, &mut repairs, &place),
                }
            }
        };
        if !is_repaired && !give_up(&mut document, &mut repairs, &place) {
            break;
        }
    }
    found
}

/// Puts the first candidate at a place.
fn start(document: &mut Value, repairs: &mut Vec<Repair>, place: &[Step]) -> bool {
    repairs.push(Repair { place: place.to_vec(), next: 1 });
    candidates().into_iter().next().is_some_and(|value| replace(document, place, value))
}

/// Puts the next candidate at a place that is still wrong: the one that the error names, or the next of the list.
fn retry(document: &mut Value, repair: &mut Repair, message: &str) -> bool {
    let named = message.strip_prefix("unknown variant ").and_then(|rest| rest.split("expected ").nth(1));
    let named = named.and_then(|expected| expected.split('`').nth(1)).map(|name| json!(name));
    let value = named.or_else(|| candidates().into_iter().nth(repair.next));
    repair.next += 1;
    value.is_some_and(|value| replace(document, &repair.place, value))
}

/// Replaces the object or list around a place, because the rest of it cannot be read. Returns whether there is one.
fn give_up(document: &mut Value, repairs: &mut Vec<Repair>, place: &[Step]) -> bool {
    let Some((_, around)) = place.split_last().filter(|(_, around)| !around.is_empty()) else { return false };
    let next = repairs.iter().find(|repair| repair.place == around).map_or(0, |repair| repair.next);
    repairs.retain(|repair| !repair.place.starts_with(around));
    let mut repair = Repair { place: around.to_vec(), next };
    let is_repaired = retry(document, &mut repair, "");
    repairs.push(repair);
    is_repaired || give_up(document, repairs, around)
}

/// Puts a value at a place. Returns whether the place exists.
fn replace(document: &mut Value, place: &[Step], value: Value) -> bool {
    let Some((last, around)) = place.split_last() else { return false };
    match (find_value(document, around), last) {
        (Some(Value::Object(fields)), Step::Field(name)) => {
            fields.insert(name.clone(), value);
            true
        }
        (Some(Value::Array(items)), Step::Item(index)) if *index < items.len() => {
            items[*index] = value;
            true
        }
        _ => false,
    }
}

fn remove(document: &mut Value, place: &[Step], name: &str) -> bool {
    let around = &place[..place.len() - 1];
    let fields = find_value(document, around).and_then(Value::as_object_mut);
    fields.is_some_and(|fields| fields.remove(name).is_some())
}

fn find_value<'d>(document: &'d mut Value, place: &[Step]) -> Option<&'d mut Value> {
    place.iter().try_fold(document, |value, step| match step {
        Step::Field(name) => value.get_mut(name),
        Step::Item(index) => value.get_mut(index),
    })
}

fn place_of(path: &Path) -> Place {
    let step = |segment: &Segment| match segment {
        Segment::Map { key } => Some(Step::Field(key.clone())),
        Segment::Enum { variant } => Some(Step::Field(variant.clone())),
        Segment::Seq { index } => Some(Step::Item(*index)),
        Segment::Unknown => None,
    };
    path.iter().map_while(step).collect()
}

/// `deployments[0].weight`
fn text_of(place: &[Step]) -> String {
    place.iter().fold(String::new(), |text, step| match step {
        Step::Field(name) if text.is_empty() => name.clone(),
        Step::Field(name) => format!("{text}.{name}"),
        Step::Item(index) => format!("{text}[{index}]"),
    })
}

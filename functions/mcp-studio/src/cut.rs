//! Cuts values that are too large for an answer. What is left out leaves a marker with its size and its place, so that the caller
//! can ask for it alone.

use serde_json::{Map, Value, json};

/// The field of a marker.
pub const MARKER: &str = "leftOut";
/// A smaller share of the room is not worth the entry: the rest of the list is left out.
const MIN_SHARE: usize = 400;

/// Returns a value of at most about `room` bytes as JSON, and whether something was left out.
pub fn cut(value: Value, room: usize) -> (Value, bool) {
    let size = size_of(&value);
    if size <= room { (value, false) } else { (cut_at(value, room, ""), true) }
}

fn cut_at(value: Value, room: usize, place: &str) -> Value {
    let size = size_of(&value);
    if size <= room {
        return value;
    }
    match value {
        Value::String(text) => cut_text(text, room, place),
        Value::Array(items) => cut_list(items, room, place),
        Value::Object(fields) => cut_object(fields, room, place),
        other => other,
    }
}

fn cut_text(mut text: String, room: usize, place: &str) -> Value {
    let size = text.len();
    text.truncate(text.floor_char_boundary(room / 2));
    text.push_str(&format!("… ({MARKER}: {size} bytes in all at {place})"));
    Value::String(text)
}

fn cut_list(items: Vec<Value>, room: usize, place: &str) -> Value {
    // The first items count most.
    let count = items.len();
    let kept = count.min(room / MIN_SHARE);
    let share = fair_share(items[..kept].iter().map(size_of).collect(), room);
    let mut shown: Vec<Value> = Vec::with_capacity(kept + 1);
    for (index, item) in items.into_iter().take(kept).enumerate() {
        shown.push(cut_at(item, share, &format!("{place}/{index}")));
    }
    if kept < count {
        let rest = format!("items {kept} to {}", count - 1);
        shown.push(json!({MARKER: {"what": rest, "part": format!("{place}/{kept}")}}));
    }
    Value::Array(shown)
}

fn cut_object(fields: Map<String, Value>, room: usize, place: &str) -> Value {
    let (count, size) = (fields.len(), fields.values().map(size_of).sum::<usize>());
    let kept = count.min(room / MIN_SHARE);
    if kept == 0 {
        return json!({MARKER: {"bytes": size, "part": place}});
    }
    let share = fair_share(fields.values().take(kept).map(size_of).collect(), room);
    let mut shown = Map::new();
    for (name, value) in fields.into_iter().take(kept) {
        let place = format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"));
        shown.insert(name, cut_at(value, share, &place));
    }
    if kept < count {
        shown.insert(MARKER.to_owned(), json!({"what": format!("{} more fields", count - kept), "part": place}));
    }
    Value::Object(shown)
}

/// The most that each value may take, so that all of them fit. Small values leave their room to the large ones.
fn fair_share(mut sizes: Vec<usize>, room: usize) -> usize {
    sizes.sort_unstable();
    let (mut left, count) = (room, sizes.len());
    for (index, size) in sizes.into_iter().enumerate() {
        let share = left / (count - index);
        if size > share {
            return share;
        }
        left -= size;
    }
    room
}

fn size_of(value: &Value) -> usize {
    value.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_value_stays_as_it_is() {
        let value = json!({"nodes": [1, 2, 3], "text": "short"});
        assert_eq!(cut(value.clone(), 100), (value, false));
    }

    #[test]
    fn what_is_left_out_can_be_found_at_its_place() {
        let node = |id: usize| json!({"id": format!("node-{id}"), "prompt": "x".repeat(5_000)});
        let value = json!({"name": "large", "graph": {"nodes": (0..100).map(node).collect::<Vec<_>>(), "a/b": "y".repeat(50_000)}});
        let (shown, is_cut) = cut(value.clone(), 20_000);
        assert!(is_cut && size_of(&shown) < 30_000, "{}", size_of(&shown));
        assert_eq!(shown["name"], "large");
        let nodes = shown["graph"]["nodes"].as_array().unwrap();
        assert_eq!(nodes[0]["id"], "node-0");
        let marker = &nodes.last().unwrap()[MARKER];
        let first_left_out = value.pointer(marker["part"].as_str().unwrap()).unwrap();
        assert_eq!(*first_left_out, node(nodes.len() - 1));
        let text = shown["graph"]["a/b"].as_str().unwrap();
        assert!(text.ends_with("50000 bytes in all at /graph/a~1b)"), "{}", text.len());
    }

    #[test]
    fn kinds_stay_the_same_however_little_room_there_is() {
        let value =
            json!({"list": vec!["a".repeat(900); 900], "object": {"a": "b".repeat(9_000)}, "text": "c".repeat(9_000)});
        let (shown, _) = cut(value, 1_300);
        assert!(shown["list"].is_array() && shown["object"].is_object() && shown["text"].is_string(), "{shown}");
        assert!(size_of(&shown) < 3_000, "{}", size_of(&shown));
    }

    #[test]
    fn deep_and_wide_values_are_bounded() {
        let mut value = json!("z".repeat(3_000));
        for _ in 0..60 {
            value =
                json!({"in": value, "wide": (0..50).map(|n| json!({"n": n, "t": "t".repeat(90)})).collect::<Vec<_>>()});
        }
        let (shown, is_cut) = cut(value, 10_000);
        assert!(is_cut && size_of(&shown) < 20_000, "{}", size_of(&shown));
    }
}

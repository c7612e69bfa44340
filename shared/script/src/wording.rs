//! The messages of errors in the words of V8, because people know them and search for them. The engine has words of its own.
//!
//! This is done where an error leaves the script. A script that catches an error sees the engine's message, except that of
//! `JSON.parse` (`prelude/json.js`).

use std::borrow::Cow;

use crate::callee::{find_callee, find_iterated};
use crate::source::FIRST_LINE;
use crate::text::{SOURCE_NAME, find_position};

/// The messages of the engine, and those of V8.
const WHOLE: [(&str, &str); 11] = [
    ("BigInt are forbidden in JSON.stringify", "Do not know how to serialize a BigInt"),
    ("Date value is NaN", "Invalid time value"),
    ("cannot convert BigInt to number", "Cannot mix BigInt and other types, use explicit conversions"),
    ("cannot convert symbol to string", "Cannot convert a Symbol value to a string"),
    ("circular reference", "Converting circular structure to JSON"),
    ("empty array", "Reduce of empty array with no initial value"),
    ("expecting hex digit", "URI malformed"),
    ("invalid array length", "Invalid array length"),
    ("malformed UTF-8", "URI malformed"),
    ("regexp must have the 'g' flag", "String.prototype.matchAll called with a non-global RegExp argument"),
    (
        "replaceAll must be called with a global RegExp",
        "String.prototype.replaceAll called with a non-global RegExp argument",
    ),
];

/// The message of an error of a script in the words of V8. `stack` is that of the engine.
pub fn reword<'m>(message: &'m str, stack: &str, source: &str) -> Cow<'m, str> {
    name_value(message, stack, source).map_or_else(|| reword_alone(message), Cow::Owned)
}

/// The message with what the source has at the position of the error.
fn name_value(message: &str, stack: &str, source: &str) -> Option<String> {
    const NOT_ITERABLE: [&str; 3] = [
        "value is not iterable",
        "cannot read property 'Symbol.iterator' of undefined",
        "cannot read property 'Symbol.iterator' of null",
    ];
    // Native functions throw the same errors, about their arguments.
    let at = || {
        let is_of_script = stack.lines().next()?.contains(SOURCE_NAME);
        find_position(stack, FIRST_LINE).filter(|_| is_of_script)
    };
    match message {
        "not a function" => find_callee(source, at()?)
            .map(|(name, is_new)| format!("{name} is not a {}", if is_new { "constructor" } else { "function" })),
        _ if NOT_ITERABLE.contains(&message) => {
            find_iterated(source, at()?).map(|name| format!("{name} is not iterable"))
        }
        _ => None,
    }
}

fn reword_alone(message: &str) -> Cow<'_, str> {
    if let Some((_, words)) = WHOLE.iter().find(|(engine, _)| *engine == message) {
        return (*words).into();
    }
    if let Some(name) = message.strip_suffix("' is read-only").and_then(|rest| rest.strip_prefix('\'')) {
        return match name {
            _ if is_name(name) => "Assignment to constant variable.".into(),
            _ => message.into(),
        };
    }
    if let Some(name) = message.strip_suffix(" is not initialized").filter(|name| is_name(name)) {
        return format!("Cannot access '{name}' before initialization").into();
    }
    reword_access(message, "cannot read property '", "read", "reading")
        .or_else(|| reword_access(message, "cannot set property '", "set", "setting"))
        .map_or(message.into(), Cow::Owned)
}

/// The message about a property of undefined or null, which a script may have put into a message of its own.
fn reword_access(message: &str, start: &str, verb: &str, doing: &str) -> Option<String> {
    let (before, rest) = message.split_once(start)?;
    let (name, rest) = rest.split_once("' of ")?;
    let value = ["undefined", "null"].into_iter().find(|value| rest.starts_with(value))?;
    let after = &rest[value.len()..];
    Some(match name {
        "Symbol.iterator" => {
            format!("{before}{value} is not iterable (cannot read property Symbol(Symbol.iterator)){after}")
        }
        _ => format!("{before}Cannot {verb} properties of {value} ({doing} '{name}'){after}"),
    })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

#[cfg(test)]
mod tests {
    use super::{reword, reword_alone};

    #[test]
    fn messages_have_the_words_of_v8() {
        for (engine, words) in [
            ("cannot read property 'a b' of undefined", "Cannot read properties of undefined (reading 'a b')"),
            ("cannot read property '0' of null", "Cannot read properties of null (reading '0')"),
            ("cannot set property 'a' of null", "Cannot set properties of null (setting 'a')"),
            (
                "Failed: cannot read property 'a' of undefined.",
                "Failed: Cannot read properties of undefined (reading 'a').",
            ),
            (
                "cannot read property 'Symbol.iterator' of undefined",
                "undefined is not iterable (cannot read property Symbol(Symbol.iterator))",
            ),
            ("'total' is read-only", "Assignment to constant variable."),
            ("total is not initialized", "Cannot access 'total' before initialization"),
            ("Date value is NaN", "Invalid time value"),
            ("The list is not initialized", "The list is not initialized"),
            ("cannot read property 'a' of the order", "cannot read property 'a' of the order"),
            ("'a b' is read-only", "'a b' is read-only"),
            ("", ""),
        ] {
            assert_eq!(reword_alone(engine), words);
        }
    }

    #[test]
    fn values_have_the_names_of_the_source() {
        let source = "const a = items[0].json;\nreturn a.map(f);";
        let stack = "    at <anonymous> (script:3:14)\n    at run (native)\n";
        assert_eq!(reword("not a function", stack, source), "a.map is not a function");
        let native = format!("    at sort (native)\n{stack}");
        assert_eq!(reword("not a function", &native, source), "not a function");
        assert_eq!(reword("not a function", "", source), "not a function");
    }
}

//! Translations of small pieces of Python.

use super::*;

/// The part of the translation that the code itself has.
fn written(source: &str) -> String {
    let code = translate(source, &["a".to_owned(), "b".to_owned()], "{}").unwrap();
    let code = code.split_once("// The code.\n").map_or(&*code, |(_, code)| code);
    code.split_once("const values").unwrap().0.trim().to_owned()
}

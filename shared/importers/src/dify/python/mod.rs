//! Translates a part of Python to JavaScript: the part that most code nodes use. Each construct either means the same in
//! both, or the code is refused. Where the languages differ, the written code calls functions of a small runtime
//! (`runtime.js`), and has those that it calls in front.

mod calls;
mod expressions;
mod lexer;
mod literals;
mod names;
mod parser;
mod runtime;
mod scopes;
mod tree;
mod values;
mod writer;

use lexer::Refusal;
use tree::Statement;

/// Longer code is not translated.
const MAX_BYTES: usize = 48 * 1024;

/// The body of an async function that returns what `main` returns. `values` is an object in JavaScript with the variables
/// of these names.
pub fn translate(source: &str, variables: &[String], values: &str) -> Result<String, Refusal> {
    if source.len() > MAX_BYTES {
        return Err("it is long".to_owned());
    }
    let module = parser::parse(source)?;
    let mut mains = module.iter().filter_map(|statement| match statement {
        Statement::Define(function) if function.name == "main" => Some(function),
        _ => None,
    });
    let main = mains.next_back().ok_or("there is no function `main`")?;
    let mut arguments = Vec::new();
    for parameter in &main.parameters {
        let is_given = variables.contains(&parameter.name);
        if !is_given && parameter.default.is_none() {
            return Err(format!("the parameter `{}` of `main` has no value", parameter.name));
        }
        let name = literals::quote(&parameter.name);
        arguments.push(if is_given { format!("$in(values[{name}])") } else { "undefined".to_owned() });
    }
    let written = writer::write(&module)?;
    let call = format!("const values = {values};\nreturn $out(main({}));\n", arguments.join(", "));
    let code = format!("{written}\n{call}");
    Ok(format!("{}{code}", runtime::prelude(&code)))
}

#[cfg(test)]
mod tests;

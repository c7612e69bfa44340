//! What all expressions in the fields of nodes have in common.

/// The variables that they see.
pub const VARIABLES: [&str; 4] = ["input", "nodes", "vars", "run"];

/// A field for an expression may be an object with this member, which is JavaScript.
pub const JS: &str = "js";

//! What all expressions in the fields of nodes have in common.

/// The variables that they see.
pub const VARIABLES: [&str; 4] = ["input", "nodes", "vars", "run"];

/// How JavaScript that works on items names what it reads.
pub const ITEM_VARIABLES: [&str; 7] = ["$json", "$input", "$binary", "$(", "$node[", "$items(", "$item("];

/// A field for an expression may be an object with this member, which is JavaScript.
pub const JS: &str = "js";

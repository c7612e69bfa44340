//! The command with which this process was started, for messages that name further commands.

use std::env;

/// The start of a command line that runs this program again: by cargo if cargo has started it, and otherwise the program
/// as it was typed.
pub fn started_command() -> String {
    // Cargo sets the variable for the programs that it runs.
    if env::var("CARGO_PKG_NAME").is_ok_and(|package| package == env!("CARGO_PKG_NAME")) {
        return "cargo run -p local --".to_owned();
    }
    let program = env::args().next().unwrap_or_else(|| "local".to_owned());
    let is_plain = program.chars().all(|c| c.is_alphanumeric() || "/._-~+".contains(c));
    if is_plain { program } else { format!("'{}'", program.replace('\'', r"'\''")) }
}

//! How the functions are linked; the build script of each of them.
#![expect(clippy::print_stdout, reason = "cargo reads it")]

fn main() {
    // Not position-independent: 5 % smaller, and nothing to relocate before the first instruction. A Lambda is alone
    // in its virtual machine, and its stack, heap and libraries are placed at random all the same.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rerun-if-changed=../../infra/link.rs");
}

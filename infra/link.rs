//! The build script of every function: it sets the linker options.
#![expect(clippy::print_stdout, reason = "Cargo reads the output")]

fn main() {
    // The binary is not position-independent: it is 5 % smaller, and needs no relocation before the first instruction.
    // A Lambda is alone in its virtual machine, and its stack, heap and libraries are still at random addresses.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rerun-if-changed=../../infra/link.rs");
}

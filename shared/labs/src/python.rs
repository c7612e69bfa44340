//! The Python environment of a lab: a virtual environment in its home, which keeps the packages that its users install, and a
//! Jupyter kernel that runs in it. The packages of the interpreter that runs Jupyter can be imported there, and are never
//! changed.
//!
//! `PIP_TARGET` and `PIP_USER` would be simpler. The first one also redirects the `pip` of environments that users create
//! themselves, the second one fails there, and `%pip` uses neither.

/// Prepares the environment and puts its programs first on `PATH`. For a POSIX shell whose `HOME` is the home of the lab and
/// whose first argument is the program that serves the lab, if it is known. It never ends the shell.
pub const PREPARE_PYTHON: &str = concat!(
    "prepare() {\n\"$1\" -I - <<'PYTHON'\n",
    include_str!("python/prepare.py"),
    "PYTHON\n}\n",
    include_str!("python/start.sh")
);

/// The value of `JUPYTER_PATH`: the kernel of the environment, and then what its packages bring, such as extensions. Jupyter
/// would otherwise prefer the kernel of its own environment.
pub fn jupyter_path(home: &str) -> String {
    format!("{home}/.atelier/jupyter:{home}/.atelier/python/share/jupyter")
}

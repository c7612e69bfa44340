//! The program that is started as a server.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::{Workload, server};

/// The program whose processes carry out a kind of task, and the only argument with which it starts as their server.
#[derive(Debug)]
pub struct ServerProgram {
    pub(crate) argument: &'static str,
    path: OnceLock<PathBuf>,
}

impl ServerProgram {
    pub const fn new(argument: &'static str) -> Self {
        Self { argument, path: OnceLock::new() }
    }

    /// Must be called in `main` before it starts a thread. In the server, it never returns.
    pub fn serve_if_asked<W: Workload>(&self) {
        let mut arguments = std::env::args_os().skip(1);
        if arguments.next().as_deref() == Some(OsStr::new(self.argument)) {
            server::serve::<W>(self.argument);
        }
        // On Linux, this name also works after a new version replaced the file.
        let own = Path::new("/proc/self/exe");
        let own = if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() };
        if let Ok(own) = own {
            self.set(own);
        }
    }

    /// Sets the program. It must call [`ServerProgram::serve_if_asked`]. Only the first call has an effect.
    pub fn set(&self, path: PathBuf) {
        self.path.get_or_init(|| path);
    }

    /// An error in a program that does not call [`ServerProgram::serve_if_asked`].
    pub(crate) fn path(&self) -> io::Result<&Path> {
        let missing = || io::Error::other(format!("this program cannot start itself with `{}`", self.argument));
        self.path.get().map(PathBuf::as_path).ok_or_else(missing)
    }
}

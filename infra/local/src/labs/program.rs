//! The program that serves a lab, from the command of its image.

use std::path::{Path, PathBuf};

use rustix::process::getuid;

/// An installed program and its arguments. These parts of the arguments are replaced: `{port}`, `{token}` and `{folder}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub file: PathBuf,
    arguments: Vec<String>,
    pub is_jupyter: bool,
}

/// What a program is told about its start.
pub struct Place<'a> {
    pub address: &'a Address,
    /// The proxy sends it as bearer token with each request.
    pub token: &'a str,
    pub folder: &'a Path,
}

/// Where a program listens.
#[derive(Clone, Debug)]
pub enum Address {
    /// A socket in a private folder. Only this user can connect to it, so Jupyter needs no token, which its pages would
    /// show.
    Socket(PathBuf),
    /// A port of this machine. Other users of the machine can connect to it, so the program should check the token.
    Port(u16),
}

impl Program {
    /// Finds the program of a command on the `PATH` of the platform.
    pub fn find(command: &[String]) -> Option<Self> {
        let path = std::env::var_os("PATH")?;
        Self::find_in(command, |name| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
        })
    }

    fn find_in(command: &[String], find: impl Fn(&str) -> Option<PathBuf>) -> Option<Self> {
        let (name, arguments) = command.split_first()?;
        let file = find(name)?;
        let is_jupyter = name == "jupyter";
        if let (true, Some(application)) = (is_jupyter, arguments.first()) {
            // `jupyter lab` starts `jupyter-lab`, a package of its own.
            find(&format!("jupyter-{application}"))?;
        }
        Some(Self { file, arguments: arguments.to_vec(), is_jupyter })
    }

    pub fn arguments(&self, place: &Place<'_>) -> Vec<String> {
        let folder = place.folder.display().to_string();
        let port = match place.address {
            Address::Port(port) => port.to_string(),
            Address::Socket(_) => String::new(),
        };
        let fill = |argument: &String| {
            argument.replace("{port}", &port).replace("{token}", place.token).replace("{folder}", &folder)
        };
        let mut arguments: Vec<String> = self.arguments.iter().map(fill).collect();
        if let Address::Socket(socket) = place.address {
            arguments.extend([
                "--no-browser".to_owned(),
                format!("--ServerApp.sock={}", socket.display()),
                "--IdentityProvider.token=".to_owned(),
                format!("--ServerApp.root_dir={folder}"),
                // The name of the lab's origin is not `localhost`. The proxy checks it.
                "--ServerApp.allow_remote_access=True".to_owned(),
                "--ServerApp.quit_button=False".to_owned(),
            ]);
            // Jupyter refuses to run as root otherwise, for example in a container.
            arguments.extend(getuid().is_root().then(|| "--allow-root".to_owned()));
        }
        arguments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn jupyter_lab_needs_its_own_package() {
        let only = |installed: &'static [&str]| {
            move |name: &str| installed.contains(&name).then(|| PathBuf::from("/bin").join(name))
        };
        let command = words(&["jupyter", "lab"]);
        assert_eq!(Program::find_in(&command, only(&["jupyter"])), None);
        assert!(Program::find_in(&command, only(&["jupyter", "jupyter-lab"])).is_some_and(|found| found.is_jupyter));
        assert_eq!(Program::find_in(&[], only(&["jupyter"])), None);
    }

    #[test]
    fn arguments_name_the_place() {
        let command = words(&["code", "--bind=127.0.0.1:{port}", "--token", "{token}", "{folder}"]);
        let program = Program::find_in(&command, |name| Some(PathBuf::from(name))).unwrap();
        let place = Place { address: &Address::Port(4_000), token: "secret", folder: Path::new("/labs/home") };
        assert_eq!(program.arguments(&place), words(&["--bind=127.0.0.1:4000", "--token", "secret", "/labs/home"]));
    }
}

//! The program that serves a lab, from the command of its image.

use std::path::{Path, PathBuf};

use domain::workbench::{WorkbenchImage, is_jupyter};
use rustix::process::getuid;

/// An installed program and its arguments. These parts of the arguments are replaced: `{port}` or `{socket}`, and `{folder}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub file: PathBuf,
    arguments: Vec<String>,
    pub is_jupyter: bool,
}

/// Where a program listens.
#[derive(Clone, Debug)]
pub enum Address {
    /// A socket in a private folder. Only this user can connect to it, so its program needs no login. A token of Jupyter would
    /// be shown by its pages.
    Socket(PathBuf),
    /// A port of this machine. Other users of the machine can connect to it, so the program should check the bearer token
    /// that the proxy sends. It is in the program's environment as `ATELIER_TOKEN`, which only this user can read.
    Port(u16),
}

impl Program {
    /// Finds the program of a command on the `PATH` of the platform.
    pub fn find(command: &[String]) -> Option<Self> {
        // The processes of labs are found and limited with the means of Linux.
        if !cfg!(target_os = "linux") {
            return None;
        }
        let path = std::env::var_os("PATH")?;
        Self::find_in(command, |name| {
            std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
        })
    }

    fn find_in(command: &[String], find: impl Fn(&str) -> Option<PathBuf>) -> Option<Self> {
        let (name, arguments) = command.split_first()?;
        let file = find(name)?;
        let file_name = file.file_name()?.to_str()?;
        if let ("jupyter", Some(application)) = (file_name, arguments.first()) {
            // `jupyter lab` starts `jupyter-lab`, a package of its own.
            find(&format!("jupyter-{application}"))?;
        }
        let is_jupyter = is_jupyter(file_name);
        Some(Self { file, arguments: arguments.to_vec(), is_jupyter })
    }

    /// Whether the program listens at a socket. The others listen at a port.
    pub fn has_socket(&self) -> bool {
        self.is_jupyter || self.arguments.iter().any(|argument| argument.contains("{socket}"))
    }

    pub fn arguments(&self, address: &Address, folder: &Path) -> Vec<String> {
        let folder = folder.display().to_string();
        let (port, socket) = match address {
            Address::Port(port) => (port.to_string(), String::new()),
            Address::Socket(socket) => (String::new(), socket.display().to_string()),
        };
        let fill = |argument: &String| {
            argument.replace("{port}", &port).replace("{socket}", &socket).replace("{folder}", &folder)
        };
        let mut arguments: Vec<String> = self.arguments.iter().map(fill).collect();
        if self.is_jupyter {
            arguments.extend([
                "--no-browser".to_owned(),
                format!("--ServerApp.sock={socket}"),
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

/// How to install the programs of well-known images.
const INSTALLATIONS: [(&str, &str); 2] = [
    ("jupyter", "install it with `pip install jupyterlab`"),
    ("code-server", "install it with `npm install -g code-server`"),
];

/// Why the program of an image does not run on this machine, and what to do.
pub fn describe_missing(image: &WorkbenchImage) -> String {
    let name = &image.name;
    if !cfg!(target_os = "linux") {
        return format!(
            "the programs of workbenches run only on Linux, so a scratch area runs instead of the image {name}"
        );
    }
    let Some(program) = image.command.first() else {
        return format!(
            "the image {name} has no command for this machine, so a scratch area runs instead; ask the operator to add a \
             command to the image in the plan"
        );
    };
    let installation = INSTALLATIONS.iter().find(|(known, _)| program.starts_with(known));
    let installation = installation.map_or("install it on the platform's machine", |(_, installation)| installation);
    format!(
        "the command `{}` of the image {name} is not installed, so a scratch area runs instead; {installation}, then stop and \
         start the workbench",
        image.command.join(" ")
    )
}

fn is_executable(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
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
        let direct = Program::find_in(&words(&["jupyter-lab"]), only(&["jupyter-lab"]));
        assert!(direct.is_some_and(|found| found.is_jupyter));
        assert_eq!(Program::find_in(&[], only(&["jupyter"])), None);
    }

    #[test]
    fn arguments_name_the_address_and_the_folder() {
        let command = words(&["code", "--bind=127.0.0.1:{port}", "{folder}"]);
        let program = Program::find_in(&command, |name| Some(PathBuf::from(name))).unwrap();
        let arguments = program.arguments(&Address::Port(4_000), Path::new("/labs/home"));
        assert_eq!(arguments, words(&["--bind=127.0.0.1:4000", "/labs/home"]));
        assert!(!program.has_socket());
        let command = words(&["code", "--socket={socket}", "{folder}"]);
        let program = Program::find_in(&command, |name| Some(PathBuf::from(name))).unwrap();
        assert!(program.has_socket());
        let arguments = program.arguments(&Address::Socket(PathBuf::from("/run/lab")), Path::new("/labs/home"));
        assert_eq!(arguments, words(&["--socket=/run/lab", "/labs/home"]));
    }
}

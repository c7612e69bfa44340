//! Real servers of databases, as Debian installs them, in folders of their own. Both know the user `ada`, who has a password, and
//! have a certificate for `localhost` of an authority that no machine trusts.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

pub const USER: &str = "ada";
pub const PASSWORD: &str = "s3cret-of-ada";

/// How often a server is asked whether it has started, and the pause between two questions.
const ATTEMPTS: u32 = 3_000;
const PAUSE: Duration = Duration::from_millis(100);
/// How many ports are tried.
const PORTS: u32 = 5;
/// The number of folders of this process.
static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A server, which ends with its value.
pub struct TestDatabase {
    pub port: u16,
    /// The name of a database of the user.
    pub database: &'static str,
    /// The certificate of the authority, as a file.
    pub authority: PathBuf,
    folder: PathBuf,
    process: Child,
}

/// The user that the server runs as: none of them runs as root.
#[derive(Clone, Copy)]
struct Owner {
    user: u32,
    group: u32,
}

impl TestDatabase {
    /// None, with a line that says so, if the server is not installed.
    pub fn postgresql() -> Option<Self> {
        let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
        let binaries = versions.filter_map(|entry| Some(entry.ok()?.path().join("bin")));
        let binaries = installed(binaries.filter(|folder| folder.join("postgres").exists()).max(), "postgresql")?;
        let (folder, owner) = new_folder("postgres")?;
        let data = folder.join("data");
        let password = folder.join("password");
        fs::write(&password, PASSWORD).expect("a file");
        let mut initialize = command(&binaries.join("initdb"), owner, &folder);
        initialize.arg("-D").arg(&data).args(["--username", USER, "--auth", "scram-sha-256", "--no-sync"]);
        run(initialize.arg("--pwfile").arg(&password));
        let server = |port: u16| {
            let mut server = command(&binaries.join("postgres"), owner, &folder);
            server.arg("-D").arg(&data).args(["-p", &port.to_string(), "-c", "listen_addresses=127.0.0.1"]);
            server.args(["-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "ssl=on"]);
            for (setting, file) in [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key")] {
                server.arg("-c").arg(format!("{setting}={}", folder.join(file).display()));
            }
            server
        };
        let check = |port: u16| {
            let mut check = Command::new(binaries.join("pg_isready"));
            check.args(["--quiet", "--host", "127.0.0.1", "--port", &port.to_string()]);
            check
        };
        Some(Self::start(server, check, "postgres", folder.clone()))
    }

    /// None, with a line that says so, if the server is not installed.
    pub fn mariadb() -> Option<Self> {
        let binary = Path::new("/usr/sbin/mariadbd");
        let binary = installed(binary.exists().then(|| binary.to_owned()), "mariadb-server")?;
        let (folder, owner) = new_folder("mysql")?;
        let data = folder.join("data");
        let mut initialize = command(Path::new("mariadb-install-db"), owner, &folder);
        initialize.args(["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"]);
        run(initialize.arg(format!("--datadir={}", data.display())));
        let begin = folder.join("begin.sql");
        let users = format!(
            "CREATE DATABASE shop;\nCREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}';\n\
             GRANT ALL ON *.* TO {USER}@'%';\n"
        );
        fs::write(&begin, users).expect("a file");
        let server = |port: u16| {
            let mut server = command(&binary, owner, &folder);
            server.args(["--no-defaults", "--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0"]);
            server.arg(format!("--port={port}"));
            for (option, file) in [
                ("datadir", "data"),
                ("socket", "socket"),
                ("pid-file", "pid"),
                ("init-file", "begin.sql"),
                ("ssl-cert", "server.pem"),
                ("ssl-key", "server.key"),
            ] {
                server.arg(format!("--{option}={}", folder.join(file).display()));
            }
            server
        };
        let check = |port: u16| {
            let mut check = Command::new("mariadb-admin");
            check.args(["--no-defaults", "--host=127.0.0.1", "ping", "--silent", "--connect-timeout=5"]);
            check.args([format!("--port={port}"), format!("--user={USER}"), format!("--password={PASSWORD}")]);
            check
        };
        Some(Self::start(server, check, "shop", folder.clone()))
    }

    /// Starts a server at a free port. Another program may take the port before the server does: then it gets another one.
    fn start(
        server: impl Fn(u16) -> Command,
        check: impl Fn(u16) -> Command,
        database: &'static str,
        folder: PathBuf,
    ) -> Self {
        let log = folder.join("log");
        for _ in 0..PORTS {
            let (port, output) = (free_port(), fs::File::create(&log).expect("a file"));
            let process = server(port).stdout(Stdio::null()).stderr(output).spawn().expect("the server is installed");
            if let Some(process) = once_it_answers(process, || check(port), &log) {
                return Self { port, database, authority: folder.join("authority.pem"), folder, process };
            }
        }
        panic!("the server does not start: {}", fs::read_to_string(log).unwrap_or_default())
    }
}

/// Waits until a server answers. None if it has ended.
fn once_it_answers(mut process: Child, check: impl Fn() -> Command, log: &Path) -> Option<Child> {
    for _ in 0..ATTEMPTS {
        let answers = check().stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        // If it has ended, the answer may be that of another server, which has the port.
        if process.try_wait().expect("a process").is_some() {
            return None;
        }
        if answers {
            return Some(process);
        }
        sleep(PAUSE);
    }
    drop(process.kill());
    panic!("the server does not answer: {}", fs::read_to_string(log).unwrap_or_default())
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // Unlike a kill, it lets the server remove what it shares with its processes.
        let quit = Command::new("kill").args(["-QUIT", &self.process.id().to_string()]).status();
        if !quit.is_ok_and(|status| status.success()) || self.folder.join("pid").exists() {
            drop(self.process.kill());
        }
        drop(self.process.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn installed<T>(found: Option<T>, package: &str) -> Option<T> {
    if found.is_none() {
        eprintln!("skipped: {package} is not installed");
    }
    found
}

/// A folder of the server's user, with its certificate. None, with a line that says so, if OpenSSL is missing or the process is root
/// and the user does not exist.
fn new_folder(user: &str) -> Option<(PathBuf, Option<Owner>)> {
    let owner = match fs::metadata("/proc/self").expect("Linux").uid() {
        0 => Some(installed(find_user(user), user)?),
        _ => None,
    };
    installed(Command::new("openssl").arg("version").output().ok(), "openssl")?;
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("atelier-{user}-{}-{number}", std::process::id()));
    // A process that was killed may have left it.
    drop(fs::remove_dir_all(&folder));
    fs::create_dir(&folder).expect("a folder");
    certify(&folder);
    fs::set_permissions(folder.join("server.key"), fs::Permissions::from_mode(0o600)).expect("a file");
    if let Some(Owner { user, group }) = owner {
        for path in [folder.clone(), folder.join("server.key")] {
            chown(path, Some(user), Some(group)).expect("root may");
        }
    }
    Some((folder, owner))
}

fn find_user(name: &str) -> Option<Owner> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    users.lines().map(|line| line.split(':').collect::<Vec<_>>()).find_map(|user| match user[..] {
        [found, _, user, group, ..] if found == name => {
            Some(Owner { user: user.parse().ok()?, group: group.parse().ok()? })
        }
        _ => None,
    })
}

/// Writes the certificate of an authority, and that of the server with its key.
fn certify(folder: &Path) {
    let openssl = |name: &str, subject: &str, more: &[&str]| {
        let mut request = Command::new("openssl");
        request.current_dir(folder).args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        request.args(["-nodes", "-days", "2", "-subj", subject, "-out", &format!("{name}.pem")]);
        run(request.args(["-keyout", &format!("{name}.key")]).args(more));
    };
    openssl("authority", "/CN=authority", &[]);
    let signed = ["-CA", "authority.pem", "-CAkey", "authority.key", "-addext", "subjectAltName=DNS:localhost"];
    openssl("server", "/CN=localhost", &[&signed[..], &["-addext", "basicConstraints=critical,CA:FALSE"]].concat());
}

fn command(program: &Path, owner: Option<Owner>, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder);
    if let Some(Owner { user, group }) = owner {
        command.uid(user).gid(group);
    }
    command
}

fn run(command: &mut Command) {
    let output = command.output().expect("the program is installed");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

//! The commands `local setup` and `local doctor`, as an operator runs them: through the real binary, beside a platform that
//! runs in another process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::LazyLock;

use serde_json::{Value, json};
use tests::binaries;
use tests::client::Person;
use tests::provider::{Behaviour, FakeProvider};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

static BINARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let built = binaries::build(&["local".to_owned()], "dev", Some(env!("CARGO_PKG_NAME")));
    built["local"].clone()
});
const KEY: &str = "sk-key-of-the-newcomer";

/// A data folder, which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("atelier-commands-{}", uuid::Uuid::now_v7().simple())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn local(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(&*BINARY);
    command.args(arguments).arg("--data-dir").arg(folder).kill_on_drop(true);
    for variable in ["OPENAI_API_KEY", "BASE_URL", "OUTBOUND_ALLOWED_CIDRS", "WORKBENCH_CAPACITY", "LOG_LEVEL"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A platform that has started. It is killed on drop.
struct Running {
    child: Child,
    /// The process writes to it.
    _output: Lines<BufReader<ChildStdout>>,
}

impl Running {
    async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }
}

async fn start(folder: &Path) -> Running {
    let mut child = local(folder, &["--port", "0"]).stderr(Stdio::inherit()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.starts_with("Atelier is at") {
            return Running { child, _output: lines };
        }
    }
    panic!("the platform did not start");
}

async fn run(mut command: Command, input: &str) -> Output {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    child.wait_with_output().await.unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A provider that accepts only the newcomer's key for models, and answers chats.
async fn provider() -> FakeProvider {
    let fake = FakeProvider::start().await;
    let choice =
        json!({"index": 0, "message": {"role": "assistant", "content": "Hello, newcomer."}, "finish_reason": "stop"});
    let usage = json!({"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8});
    fake.respond_at("/v1/models", Behaviour::json(200, json!({"data": [{"id": "gpt-5-mini"}, {"id": "whisper-1"}]})));
    fake.respond_at(
        "/v1/chat/completions",
        Behaviour::json(200, json!({"id": "x", "choices": [choice], "usage": usage})),
    );
    fake
}

/// Makes the call of the printed line.
async fn call_as_printed(report: &str) -> Value {
    let line = report.lines().find(|line| line.starts_with("curl ")).unwrap_or_else(|| panic!("{report}"));
    let url = line.split(' ').find(|word| word.starts_with("http")).unwrap();
    let (base_url, path) = url.split_at(url.find("/gateway").unwrap());
    let key = line.split("Bearer ").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let body = line.split('\'').nth(1).unwrap();
    let answer = Person::new(base_url, Some(key.to_owned())).post_json(path, serde_json::from_str(body).unwrap()).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    answer.json
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_calls_their_own_provider_after_one_command() {
    let (folder, fake) = (Folder::new(), provider().await);
    let _running = start(&folder.0).await;
    let url = format!("{}/v1", fake.base_url);
    let options = ["setup", "--preset", "openai", "--provider-url", &url];

    let none = run(local(&folder.0, &options), "").await;
    assert!(!none.status.success() && text(&none.stderr).contains("OPENAI_API_KEY is not set"), "{none:?}");
    let mut command = local(&folder.0, &options);
    command.env("OPENAI_API_KEY", KEY);
    let unchosen = run(command, "").await;
    let expected = "add --models with names, or --models all: it lists gpt-5-mini, whisper-1";
    assert!(!unchosen.status.success() && text(&unchosen.stderr).contains(expected), "{unchosen:?}");

    let with_models = [&options[..], &["--models", "gpt-5-mini", "--alias", "fast", "--key-stdin"]].concat();
    let done = run(local(&folder.0, &with_models), &format!("{KEY}\n")).await;
    let report = text(&done.stdout);
    assert!(done.status.success(), "{report} {}", text(&done.stderr));
    for part in [
        "unchanged  provider      openai",
        "created    model         gpt-5-mini",
        "created    alias         fast",
        "fast answers: Hello, newcomer.",
    ] {
        assert!(report.contains(part), "{report}");
    }
    assert!(!report.contains(KEY), "{report}");
    let reply = call_as_printed(&report).await;
    assert_eq!(reply["choices"][0]["message"]["content"], "Hello, newcomer.");
    let sent = fake.take_requests().pop().unwrap();
    assert_eq!(
        (sent.headers["authorization"].to_str().unwrap(), &sent.body["model"]),
        (format!("Bearer {KEY}").as_str(), &json!("gpt-5-mini"))
    );

    // A repetition changes nothing. For another organization, it creates a key.
    let repeated = text(&run(local(&folder.0, &with_models), KEY).await.stdout);
    assert!(!repeated.lines().any(|line| line.starts_with("created") || line.starts_with("changed")), "{repeated}");
    let hooli = [&with_models[..], &["--org", "hooli", "--user", "gavin"]].concat();
    let other = text(&run(local(&folder.0, &hooli), KEY).await.stdout);
    assert!(other.contains("created    key") && other.contains("created    credits"), "{other}");
    call_as_printed(&other).await;

    let wrong = [&options[..], &["--models", "gpt-9", "--key-stdin"]].concat();
    let refused = run(local(&folder.0, &wrong), KEY).await;
    assert!(text(&refused.stderr).contains("the provider does not list `gpt-9`"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setup_takes_the_known_prices_with_its_option() {
    let (folder, fake) = (Folder::new(), provider().await);
    let _running = start(&folder.0).await;
    let url = format!("{}/v1", fake.base_url);
    let options = ["setup", "--preset", "openai", "--provider-url", &url, "--models", "gpt-5-mini", "--key-stdin"];
    let conflicting = [&options[..], &["--known-prices", "--input-price", "1", "--output-price", "2"]].concat();
    assert!(text(&run(local(&folder.0, &conflicting), KEY).await.stderr).contains("cannot be used with"));

    let with_prices = [&options[..], &["--known-prices"]].concat();
    let report = text(&run(local(&folder.0, &with_prices), KEY).await.stdout);
    for part in ["created    provider      openai", "created    model         gpt-5-mini", "answers: Hello, newcomer."]
    {
        assert!(report.contains(part), "{report}");
    }
    assert!(!report.contains("cost nothing"), "{report}");
    let credentials: Value = serde_json::from_slice(&fs::read(folder.0.join("credentials.json")).unwrap()).unwrap();
    let operator = credentials["operator"]["apiKey"].as_str().unwrap().to_owned();
    let base_url = credentials["baseUrl"].as_str().unwrap();
    let model = Person::new(base_url, Some(operator)).get("/gateway/v1/admin/models/gpt-5-mini").await;
    assert_eq!((&model.json["pricing"]["input"], &model.json["context_window"]), (&json!(0.25), &json!(400_000)));

    let repeated = text(&run(local(&folder.0, &with_prices), KEY).await.stdout);
    assert!(!repeated.lines().any(|line| line.starts_with("created") || line.starts_with("changed")), "{repeated}");
}

#[tokio::test]
async fn a_setup_without_a_platform_says_how_to_start_it() {
    let folder = Folder::new();
    let never = run(local(&folder.0, &["setup", "--preset", "ollama"]), "").await;
    assert!(
        !never.status.success() && text(&never.stderr).contains("holds no platform's data yet; run `"),
        "{never:?}"
    );
    start(&folder.0).await.stop().await;
    let stopped = run(local(&folder.0, &["setup", "--preset", "ollama"]), "").await;
    assert!(text(&stopped.stderr).contains("/debug/local` in another terminal"), "{stopped:?}");
}

/// The report, and whether the command succeeded.
async fn doctor(folder: &Path, arguments: &[&str]) -> (String, bool) {
    let output = run(local(folder, &[&["doctor"], arguments].concat()), "").await;
    (text(&output.stdout), output.status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_names_each_fault_and_its_fix() {
    let folder = Folder::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = free.local_addr().unwrap().port().to_string();
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(is_fine && report.contains("does not exist yet"), "{report}");

    let settings = [
        "--port",
        &taken,
        "--outbound-allowed-cidrs",
        "127.0.0.0/8,abc",
        "--workbench-capacity",
        "cpu=8,ram=4",
        "--base-url",
        "foo",
    ];
    let (report, is_fine) = doctor(&folder.0, &settings).await;
    assert!(!is_fine, "{report}");
    for fault in [
        format!("port {taken} cannot be opened"),
        "\"abc\" is not an address".to_owned(),
        "ram: must be cpu, memory".to_owned(),
        "(it is \"foo\")".to_owned(),
    ] {
        assert!(report.contains(&format!("problem  {fault}")) || report.contains(&fault), "{fault}: {report}");
    }
    assert_eq!(report.matches("problem  ").count(), 4, "{report}");
    assert_eq!(report.matches("fix: ").count(), report.matches("problem  ").count() + report.matches("note  ").count());

    start(&folder.0).await.stop().await;
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(is_fine && report.contains("the files of the data folder are there"), "{report}");

    // Each fault is provoked, found and undone.
    let database = folder.0.join("dynamodb.sqlite");
    let kept = fs::read(&database).unwrap();
    fs::write(&database, "").unwrap();
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(!is_fine && report.contains("dynamodb.sqlite is not a database, or is empty"), "{report}");
    fs::remove_file(&database).unwrap();
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(!is_fine && report.contains("dynamodb.sqlite is missing"), "{report}");
    fs::write(&database, kept).unwrap();
    let credentials = folder.0.join("credentials.json");
    fs::write(&credentials, "{").unwrap();
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(!is_fine && report.contains("credentials.json is damaged"), "{report}");
    fs::remove_file(&credentials).unwrap();
    let (report, is_fine) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(!is_fine && report.contains("credentials.json is missing"), "{report}");
    set_mode(&folder.0.join("issuer.json"), 0o644);
    let (report, _) = doctor(&folder.0, &["--port", "0"]).await;
    assert!(report.contains("issuer.json, which holds secrets"), "{report}");
    set_mode(&folder.0.join("issuer.json"), 0o600);

    let file = Folder::new();
    fs::write(&file.0, "a file").unwrap();
    let (report, is_fine) = doctor(&file.0, &["--port", "0"]).await;
    assert!(!is_fine && report.contains("cannot be written"), "{report}");
    fs::remove_file(&file.0).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_examines_a_running_platform() {
    let (folder, fake) = (Folder::new(), provider().await);
    let _running = start(&folder.0).await;
    let (report, is_fine) = doctor(&folder.0, &[]).await;
    assert!(is_fine && report.contains("the operator's key is valid"), "{report}");
    let url = format!("{}/v1", fake.base_url);
    let setup = ["setup", "--preset", "vllm", "--provider-url", &url, "--models", "gpt-5-mini", "--no-call"];
    assert!(run(local(&folder.0, &setup), "").await.status.success());
    let (report, is_fine) = doctor(&folder.0, &[]).await;
    assert!(is_fine && report.contains("the provider vllm accepts its key"), "{report}");
    fake.respond_at("/v1/models", Behaviour::json(401, json!({"error": {"message": "No such key"}})));
    let (report, is_fine) = doctor(&folder.0, &[]).await;
    assert!(!is_fine && report.contains("the provider vllm fails its test: No such key"), "{report}");

    let credentials = folder.0.join("credentials.json");
    let mut stored: Value = serde_json::from_slice(&fs::read(&credentials).unwrap()).unwrap();
    stored["operator"]["apiKey"] = json!("sk-svc-nobody");
    fs::write(&credentials, stored.to_string()).unwrap();
    let (report, is_fine) = doctor(&folder.0, &[]).await;
    assert!(!is_fine && report.contains("the operator's key in credentials.json is refused"), "{report}");
}

fn set_mode(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

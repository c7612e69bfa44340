//! `local setup`: connects a provider of models to the running platform, and ends with a call that works. It asks for what
//! its options do not say if a person is at the terminal, and uses the operator's API otherwise.

mod api;
mod key;
mod known;
mod prompt;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::credentials::StoredCredentials;
use crate::failure::Failure;
pub use api::Api;

/// Model calls see a new model within 30 seconds.
const MOST_ATTEMPTS: usize = 40;
const PAUSE: Duration = Duration::from_secs(1);
/// How many of the offered models a question or an error lists.
const MOST_LISTED: usize = 60;

#[derive(Args)]
pub struct SetupArgs {
    /// The provider, such as openai, anthropic, gemini or ollama
    #[arg(long)]
    pub preset: Option<String>,
    /// Name of the provider on the platform; by default that of the preset
    #[arg(long)]
    pub provider_name: Option<String>,
    /// Base URL of the provider; by default that of the preset
    #[arg(long)]
    pub provider_url: Option<String>,
    /// AWS region of Bedrock
    #[arg(long)]
    pub region: Option<String>,
    /// Environment variable that holds the provider's key; by default that of the vendor's tools, such as `OPENAI_API_KEY`
    #[arg(long)]
    pub key_env: Option<String>,
    /// Read the provider's key from standard input
    #[arg(long, conflicts_with = "key_env")]
    pub key_stdin: bool,
    /// The models to offer, by the provider's names and separated by commas, or `all`
    #[arg(long, value_delimiter = ',')]
    pub models: Vec<String>,
    /// An alias of the first model
    #[arg(long)]
    pub alias: Option<String>,
    /// Price of a million input tokens in US dollars; without prices, calls of new models cost nothing
    #[arg(long, requires = "output_price")]
    pub input_price: Option<String>,
    /// Price of a million output tokens in US dollars
    #[arg(long, requires = "input_price")]
    pub output_price: Option<String>,
    /// Take the prices and limits that the platform knows of new models, instead of asking
    #[arg(long, conflicts_with = "input_price")]
    pub known_prices: bool,
    /// The organization that calls the models
    #[arg(long, default_value = "acme")]
    pub org: String,
    /// The user who calls the models
    #[arg(long, default_value = "ada")]
    pub user: String,
    /// First credits of a new organization, in US dollars
    #[arg(long, default_value = "25")]
    pub credits: String,
    /// Do not call the first model at the end
    #[arg(long)]
    pub no_call: bool,
}

/// Sets the platform up, and returns the report to print.
pub async fn run(args: SetupArgs, folder: &Path) -> Result<String, Failure> {
    let not_started = || Failure::NotStarted { folder: folder.to_owned() };
    let stored = StoredCredentials::read(folder)?.ok_or_else(not_started)?;
    let api = Api::new(&stored.base_url, &stored.operator.api_key);
    let presets = api.get("/gateway/v1/admin/provider-presets").await?;
    let preset = choose_preset(&args, &presets["data"])?;
    let mut provider = provider_body(&args, preset)?;
    let names = match args.models.as_slice() {
        [] => {
            let provider = provider.clone();
            choose_models(&api, provider).await?
        }
        [all] if all == "all" => json!("all"),
        names => json!(names),
    };
    let created = known::import(&api, &args, &provider, &names).await?;
    provider["models"] = names;
    if let (Some(input), Some(output)) = (&args.input_price, &args.output_price) {
        provider["pricing"] = json!({"input": input, "output": output});
    }
    let known_key = stored.users.get(&args.user).filter(|user| user.org == args.org).map(|user| user.api_key.clone());
    let mut body = json!({
        "organization": {"name": args.org}, "user": {"name": args.user}, "credits": {"amount": args.credits},
        "provider": provider,
    });
    if known_key.is_none() {
        body["key"] = json!({"name": "local setup"});
    }
    let mut done = api.post("/gateway/v1/admin/setup", &body).await?;
    check_test(&done)?;
    known::report(&created, &mut done);
    let first = done["parts"].as_array().into_iter().flatten().find(|part| part["part"] == "model");
    let first = first.and_then(|part| part["id"].as_str()).ok_or_else(no_models)?.to_owned();
    if let Some(alias) = &args.alias {
        let aliased = api.post("/gateway/v1/admin/setup", &json!({"aliases": {alias: first}})).await?;
        let parts = aliased["parts"].as_array().cloned().unwrap_or_default();
        done["parts"].as_array_mut().into_iter().for_each(|list| list.extend(parts.clone()));
    }
    let model = args.alias.clone().unwrap_or(first);
    let key = known_key.or_else(|| done["secret"].as_str().map(str::to_owned));
    let reply = match &key {
        Some(key) if !args.no_call => Some(call(&Api::new(&stored.base_url, key), &model).await?),
        _ => None,
    };
    Ok(report(&stored.base_url, &done, &model, key.as_deref(), reply.as_deref()))
}

fn choose_preset<'p>(args: &SetupArgs, presets: &'p Value) -> Result<&'p Value, Failure> {
    let presets = presets.as_array().map(Vec::as_slice).unwrap_or_default();
    let ids: Vec<&str> = presets.iter().filter_map(|preset| preset["id"].as_str()).collect();
    let chosen = match &args.preset {
        Some(id) => id.clone(),
        None if prompt::is_possible() => {
            for (number, preset) in presets.iter().enumerate() {
                prompt::show(&format!("{:>3}  {}", number + 1, preset["name"].as_str().unwrap_or_default()));
            }
            let answer = prompt::ask("Provider (number or name)", None)?;
            let by_number = answer.parse::<usize>().ok().and_then(|number| ids.get(number.checked_sub(1)?));
            by_number.map_or(answer.clone(), |id| (*id).to_owned())
        }
        None => {
            return Err(Failure::Other(format!("no provider is chosen; add --preset with one of {}", ids.join(", "))));
        }
    };
    let found = presets.iter().find(|preset| {
        let is_name = |field: &str| preset[field].as_str().is_some_and(|name| name.eq_ignore_ascii_case(&chosen));
        is_name("id") || is_name("name")
    });
    found.ok_or_else(|| Failure::Other(format!("no such preset: {chosen}; use one of {}", ids.join(", "))))
}

/// The settings of the provider, with its key.
fn provider_body(args: &SetupArgs, preset: &Value) -> Result<Value, Failure> {
    let mut provider = json!({"preset": preset["id"]});
    let example = preset["base_url_example"].as_str();
    let url = match (&args.provider_url, preset["base_url"].as_str()) {
        (Some(url), _) => Some(url.clone()),
        (None, usual @ Some(_)) if prompt::is_possible() && args.preset.is_none() => {
            Some(prompt::ask("Base URL", usual)?)
        }
        (None, Some(_)) => None,
        (None, None) => match example {
            Some(example) if prompt::is_possible() => Some(prompt::ask(&format!("Base URL, such as {example}"), None)?),
            Some(example) => {
                let message =
                    format!("this provider has one URL for each customer; add --provider-url, such as {example}");
                return Err(Failure::Other(message));
            }
            None => None,
        },
    };
    let key = key::read(args, preset)?;
    for (field, value) in
        [("base_url", url), ("api_key", key), ("region", args.region.clone()), ("name", args.provider_name.clone())]
    {
        if let Some(value) = value {
            provider[field] = json!(value);
        }
    }
    Ok(provider)
}

/// Stores the provider, lists what it offers, and asks which models to take.
async fn choose_models(api: &Api, provider: Value) -> Result<Value, Failure> {
    let done = api.post("/gateway/v1/admin/setup", &json!({"provider": provider})).await?;
    check_test(&done)?;
    let name = done["parts"][0]["id"].as_str().unwrap_or_default().to_owned();
    let offered = match done["provider_test"].is_null() {
        true => Value::Null,
        false => api.get(&format!("/gateway/v1/admin/providers/{name}/models")).await?,
    };
    let offered = offered["data"].as_array().cloned().unwrap_or_default();
    let names: Vec<&str> = offered.iter().filter_map(|model| model["id"].as_str()).collect();
    let more =
        if names.len() > MOST_LISTED { format!(" and {} more", names.len() - MOST_LISTED) } else { String::new() };
    let listed = format!("{}{more}", names[..names.len().min(MOST_LISTED)].join(", "));
    if !prompt::is_possible() {
        let listed = if names.is_empty() { "it lists none".to_owned() } else { format!("it lists {listed}") };
        return Err(Failure::Other(format!(
            "no models are chosen; add --models with names, or --models all: {listed}"
        )));
    }
    prompt::show(&format!("Models: {listed}"));
    let usual = names.first().copied();
    let answer = prompt::ask("Models to offer (names separated by commas, or all)", usual)?;
    match answer.trim() {
        "all" => Ok(json!("all")),
        names => Ok(names.split(',').map(|name| json!(name.trim())).collect()),
    }
}

fn check_test(done: &Value) -> Result<(), Failure> {
    let test = &done["provider_test"];
    if test.is_null() || test["ok"] == true {
        return Ok(());
    }
    let message = test["error"]["message"].as_str().unwrap_or("it gave no reason");
    let problem = "the provider is stored, but its test failed";
    Err(Failure::Other(format!("{problem}: {message}; check its URL and its key, then repeat the command")))
}

fn no_models() -> Failure {
    Failure::Other("no model was added; name the models with --models".to_owned())
}

/// Calls the model, and returns its answer.
async fn call(api: &Api, model: &str) -> Result<String, Failure> {
    let messages = json!([{"role": "user", "content": "Say hello in one short sentence."}]);
    let body = json!({"model": model, "messages": messages});
    for _ in 0..MOST_ATTEMPTS {
        let answer = api.call("POST", "/gateway/v1/chat/completions", Some(&body)).await?;
        match answer.status {
            200 => {
                let text = answer.body["choices"][0]["message"]["content"].as_str();
                return Ok(text.unwrap_or_default().trim().to_owned());
            }
            404 if answer.body["error"]["code"] == "model_not_found" => tokio::time::sleep(PAUSE).await,
            _ => {
                let problem = format!("everything is set up, but {model} did not answer");
                return Err(Failure::Other(format!(
                    "{problem}: {}; check the model's name at the provider",
                    answer.message()
                )));
            }
        }
    }
    Err(Failure::Other(format!("{model} is not visible to the organization; check the models of its plan")))
}

fn report(base_url: &str, done: &Value, model: &str, key: Option<&str>, reply: Option<&str>) -> String {
    let mut text = String::new();
    for part in done["parts"].as_array().into_iter().flatten() {
        let [outcome, kind, id] = ["outcome", "part", "id"].map(|field| part[field].as_str().unwrap_or_default());
        text.push_str(&format!("{outcome:<10} {kind:<13} {id}\n"));
    }
    for note in done["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("note: {note}\n"));
    }
    if let Some(reply) = reply {
        text.push_str(&format!("\n{model} answers: {reply}\n"));
    }
    if key.is_none() {
        text.push_str("\nThe secret of the key was shown when it was created; put it into ATELIER_KEY.\n");
    }
    let in_shell = key.unwrap_or("$ATELIER_KEY");
    let in_python = key.map_or("os.environ[\"ATELIER_KEY\"]".to_owned(), |key| format!("\"{key}\""));
    let import = if key.is_some() { "" } else { "import os; " };
    let body = json!({"model": model, "messages": [{"role": "user", "content": "Hello"}]});
    text.push_str(&format!(
        "\nIn a shell:\n\n\
         curl -s {base_url}/gateway/v1/chat/completions -H \"Authorization: Bearer {in_shell}\" --json '{body}'\n\
         \nIn Python (pip install openai):\n\n\
         {import}from openai import OpenAI\n\
         client = OpenAI(base_url=\"{base_url}/gateway/v1\", api_key={in_python})\n\
         answer = client.chat.completions.create(\n    \
             model=\"{model}\", messages=[{{\"role\": \"user\", \"content\": \"Hello\"}}],\n\
         )\n\
         print(answer.choices[0].message.content)\n"
    ));
    text
}

//! The prices and limits that the platform knows of the chosen models. They are taken with `--known-prices`, or if the person
//! at the terminal agrees.

use serde_json::{Value, json};

use super::{Api, SetupArgs, check_test, prompt};
use crate::failure::Failure;

/// How many models one import takes.
const MOST_IMPORTED: usize = 100;

/// The parts that this step created: each has a kind and an id, as in the result of the setup.
pub type CreatedParts = Vec<(&'static str, String)>;

/// Adds those of the chosen models to the catalog that are known and not there yet. The setup leaves them as they are.
pub async fn import(api: &Api, args: &SetupArgs, provider: &Value, names: &Value) -> Result<CreatedParts, Failure> {
    if args.input_price.is_some() || !(args.known_prices || prompt::is_possible()) {
        return Ok(Vec::new());
    }
    let stored = api.post("/gateway/v1/admin/setup", &json!({"provider": provider})).await?;
    check_test(&stored)?;
    let part = &stored["parts"][0];
    let name = part["id"].as_str().unwrap_or_default();
    let mut created = CreatedParts::new();
    if part["outcome"] == "created" {
        created.push(("provider", name.to_owned()));
    }
    if stored["provider_test"].is_null() {
        return Ok(created);
    }
    let offered = api.get(&format!("/gateway/v1/admin/providers/{name}/models")).await?;
    let known: Vec<&Value> =
        offered["data"].as_array().into_iter().flatten().filter(|model| is_new(model, names)).collect();
    if known.is_empty() || !(args.known_prices || agrees(&known)?) {
        return Ok(created);
    }
    for models in known.chunks(MOST_IMPORTED) {
        let models: Vec<Value> = models.iter().map(|model| json!({"id": model["id"]})).collect();
        let body = json!({"provider": name, "models": models});
        let imported = api.post("/gateway/v1/admin/models/import", &body).await?;
        for model in imported["data"].as_array().into_iter().flatten() {
            let id = model["name"].as_str().unwrap_or_default();
            match model["outcome"].as_str() {
                Some("created") => created.push(("model", id.to_owned())),
                Some("refused") => {
                    let reason = model["error"]["message"].as_str().unwrap_or_default();
                    prompt::show(&format!("The facts of {id} are not taken: {reason}"));
                }
                _ => {}
            }
        }
    }
    Ok(created)
}

/// Whether the model is chosen, has facts, and is not in the catalog.
fn is_new(model: &Value, names: &Value) -> bool {
    let is_chosen = names.as_array().is_none_or(|names| names.contains(&model["id"]));
    is_chosen && !model["known"].is_null() && model["catalog"].as_array().is_some_and(Vec::is_empty)
}

/// Shows the facts, and asks whether to take them.
fn agrees(known: &[&Value]) -> Result<bool, Failure> {
    prompt::show("Known prices in US dollars per million tokens:");
    for model in known {
        let facts = &model["known"];
        let [id, date, source] =
            [&model["id"], &facts["as_of"], &facts["source"]].map(|text| text.as_str().unwrap_or("?"));
        let pricing = &facts["pricing"];
        prompt::show(&format!("  {id}: input {}, output {} ({source}, {date})", pricing["input"], pricing["output"]));
        if let Some(note) = facts["note"].as_str() {
            prompt::show(&format!("    {note}"));
        }
    }
    let answer = prompt::ask("Take these prices and the known limits (yes or no)", Some("yes"))?;
    Ok(matches!(answer.to_ascii_lowercase().as_str(), "yes" | "y"))
}

/// Reports what this step created, although the setup found it there.
pub fn report(created: &CreatedParts, done: &mut Value) {
    for part in done["parts"].as_array_mut().into_iter().flatten() {
        if created.iter().any(|(kind, id)| part["part"] == *kind && part["id"] == *id) {
            part["outcome"] = json!("created");
        }
    }
}

//! Parses `infra/template.yaml`. `local` takes its tables, queues, buckets, routes and settings from it, so they are
//! those of a deployment.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use serde_json::{Value as Json, json};
use yaml_serde::Value as Yaml;

const TEMPLATE: &str = include_str!("../../template.yaml");

/// One Lambda function of the template.
#[derive(Clone, Debug, Default)]
pub struct LambdaFunction {
    pub settings: BTreeMap<String, Setting>,
    /// The queue whose messages the function handles.
    pub source: Option<QueueSource>,
    /// The AWS calls that the function may make.
    pub grants: Vec<PolicyGrant>,
    /// Lambda bills the time of a function by its memory.
    pub memory_mb: u32,
}

/// How a function receives the messages of a queue.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSource {
    pub queue: String,
    pub batch_size: u32,
    /// The maximum number of batches that the function handles at once.
    pub max_concurrency: u32,
}

/// One statement of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyGrant {
    pub actions: Vec<String>,
    pub resources: Vec<GrantedResource>,
    /// The condition keys that a call must have, each with its allowed values.
    pub conditions: BTreeMap<String, Vec<String>>,
}

impl PolicyGrant {
    /// Each action with each resource.
    pub fn permissions(&self) -> impl Iterator<Item = (&str, &GrantedResource)> {
        self.resources.iter().flat_map(|resource| self.actions.iter().map(move |action| (action.as_str(), resource)))
    }

    /// ` with …`, if there are conditions.
    pub fn conditions_text(&self) -> String {
        let texts = self.conditions.iter().map(|(key, values)| format!("{key} {}", values.join(" or ")));
        let text = texts.collect::<Vec<_>>().join(", ");
        if text.is_empty() { text } else { format!(" with {text}") }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum GrantedResource {
    /// Resources of a service that is not embedded here, such as the models of Bedrock.
    OfService(String),
    /// The resource with this logical id if `part` is empty, else the part of it that `part` names (`/index/*`).
    Part { id: String, part: String },
}

impl fmt::Display for GrantedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OfService(service) => f.write_str(service),
            Self::Part { id, part } => write!(f, "{id}{part}"),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    Text(String),
    /// A reference to the resource or parameter with this logical id.
    Ref(String),
}

#[derive(Clone, Debug)]
pub struct Route {
    pub path: String,
    pub methods: Vec<String>,
    pub function: String,
}

#[derive(Clone, Debug)]
pub struct QueueResource {
    pub visibility_timeout_s: u32,
    /// The dead-letter queue, and the number of deliveries before a message is moved to it.
    pub dead_letters: Option<(String, u32)>,
}

/// A lifecycle rule: objects with this prefix expire after this number of days.
#[derive(Clone, Debug, PartialEq)]
pub struct LifecycleRule {
    pub prefix: String,
    pub days: u32,
}

#[derive(Clone, Debug, Default)]
pub struct SamTemplate {
    /// The default values of the parameters.
    pub parameters: BTreeMap<String, String>,
    /// The properties of the tables. CloudFormation uses the names of DynamoDB's API.
    pub tables: BTreeMap<String, Json>,
    pub queues: BTreeMap<String, QueueResource>,
    pub buckets: BTreeMap<String, Vec<LifecycleRule>>,
    pub keys: Vec<String>,
    pub functions: BTreeMap<String, LambdaFunction>,
    pub routes: Vec<Route>,
    /// The number of alarms.
    pub alarms: u32,
}

impl SamTemplate {
    /// The template, which is compiled into the program. It is parsed once. An invalid template panics, so every test finds it.
    pub fn read() -> Self {
        static PARSED: LazyLock<SamTemplate> = LazyLock::new(SamTemplate::parse);
        PARSED.clone()
    }

    fn parse() -> Self {
        let template: Yaml = yaml_serde::from_str(TEMPLATE).expect("the template is YAML");
        let template = yaml_to_json(&template);
        let mut read = Self::default();
        let default = |(id, parameter): (&String, &Json)| Some((id.clone(), parameter["Default"].as_str()?.to_owned()));
        read.parameters = entries(&template["Parameters"]).filter_map(default).collect();
        let common = &template["Globals"]["Function"];
        for (id, resource) in entries(&template["Resources"]) {
            let properties = &resource["Properties"];
            match text(&resource["Type"]) {
                "AWS::DynamoDB::Table" => drop(read.tables.insert(id.clone(), properties.clone())),
                "AWS::SQS::Queue" => drop(read.queues.insert(id.clone(), parse_queue(properties))),
                "AWS::S3::Bucket" => drop(read.buckets.insert(id.clone(), parse_lifecycle_rules(properties))),
                "AWS::KMS::Key" => read.keys.push(id.clone()),
                "AWS::CloudWatch::Alarm" => read.alarms += 1,
                "AWS::Serverless::Api" => read.routes = parse_routes(&properties["DefinitionBody"]["paths"]),
                "AWS::Serverless::Function" => {
                    drop(read.functions.insert(name(id), parse_function(properties, common)))
                }
                _ => {}
            }
        }
        read
    }
}

/// `AttentionWorkerFunction` → `attention-worker`
fn name(logical_id: &str) -> String {
    let words = logical_id.trim_end_matches("Function");
    let mut name = String::new();
    for c in words.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

fn parse_function(properties: &Json, common: &Json) -> LambdaFunction {
    let variables = [common, properties].map(|function| &function["Environment"]["Variables"]);
    let settings = variables.into_iter().flat_map(entries).map(|(name, value)| (name.clone(), parse_setting(value)));
    let sources = entries(&properties["Events"]).filter(|(_, event)| text(&event["Type"]) == "SQS");
    let mut sources = sources.map(|(_, event)| {
        let properties = &event["Properties"];
        QueueSource {
            queue: text(&properties["Queue"]["Fn::GetAtt"]).trim_end_matches(".Arn").to_owned(),
            batch_size: number(&properties["BatchSize"], 10),
            max_concurrency: number(&properties["ScalingConfig"]["MaximumConcurrency"], 1),
        }
    });
    let statements = items(&properties["Policies"]).flat_map(|policy| items(&policy["Statement"]));
    LambdaFunction {
        settings: settings.collect(),
        source: sources.next(),
        grants: statements.map(parse_grant).collect(),
        memory_mb: number(&properties["MemorySize"], number(&common["MemorySize"], 128)),
    }
}

/// The effect is ignored, because all statements of functions have the effect `Allow`.
fn parse_grant(statement: &Json) -> PolicyGrant {
    let texts = |values: &Json| items(values).map(|value| text(value).to_owned()).collect();
    PolicyGrant {
        actions: texts(&statement["Action"]),
        resources: items(&statement["Resource"]).map(parse_resource).collect(),
        conditions: entries(&statement["Condition"])
            .flat_map(|(operator, keys)| {
                assert_eq!(operator, "StringEquals", "local does not know this operator of a policy's condition");
                entries(keys).map(|(key, values)| (key.clone(), texts(values)))
            })
            .collect(),
    }
}

/// `!GetAtt X.Arn`, `!Sub ${X.Arn}/part/*` or `!Sub arn:${AWS::Partition}:service:…`
fn parse_resource(resource: &Json) -> GrantedResource {
    if let Some(service) = text(&resource["Fn::Sub"]).strip_prefix("arn:").and_then(|arn| arn.split(':').nth(3)) {
        return GrantedResource::OfService(service.to_owned());
    }
    let whole = text(&resource["Fn::GetAtt"]).strip_suffix(".Arn").map(|id| (id, ""));
    let within = || text(&resource["Fn::Sub"]).strip_prefix("${")?.split_once(".Arn}");
    let (id, part) = whole.or_else(within).unwrap_or_default();
    GrantedResource::Part { id: id.to_owned(), part: part.to_owned() }
}

/// `!If` has its first value, because its conditions are that a parameter is set: `local` sets those.
fn parse_setting(value: &Json) -> Setting {
    let value = value["Fn::If"].get(1).unwrap_or(value);
    match value["Ref"].as_str() {
        Some(id) => Setting::Ref(id.to_owned()),
        None => Setting::Text(text(value).to_owned()),
    }
}

fn parse_queue(properties: &Json) -> QueueResource {
    let redrive = &properties["RedrivePolicy"];
    let dead_letters = redrive["deadLetterTargetArn"]["Fn::GetAtt"].as_str();
    QueueResource {
        visibility_timeout_s: number(&properties["VisibilityTimeout"], 30),
        dead_letters: dead_letters
            .map(|arn| (arn.trim_end_matches(".Arn").to_owned(), number(&redrive["maxReceiveCount"], 5))),
    }
}

fn parse_lifecycle_rules(bucket: &Json) -> Vec<LifecycleRule> {
    let rules = items(&bucket["LifecycleConfiguration"]["Rules"]);
    let parse_rule = |rule: &Json| {
        let days = rule["ExpirationInDays"].as_u64()?.try_into().ok()?;
        Some(LifecycleRule { prefix: text(&rule["Prefix"]).to_owned(), days })
    };
    rules.filter_map(parse_rule).collect()
}

fn parse_routes(paths: &Json) -> Vec<Route> {
    let routes = entries(paths).map(|(path, methods)| {
        let uri = &methods["get"]["x-amazon-apigateway-integration"]["uri"];
        let uri = text(&uri["Fn::Sub"]);
        let target = uri.split_once("functions/${").and_then(|(_, rest)| rest.split_once(".Arn}"));
        Route {
            path: path.clone(),
            methods: entries(methods).map(|(method, _)| method.to_uppercase()).collect(),
            function: name(target.map_or("", |(id, _)| id)),
        }
    });
    routes.collect()
}

/// Converts YAML to JSON. The short form of CloudFormation's functions (`!Ref x`) becomes the long form (`{Ref: x}`).
fn yaml_to_json(yaml: &Yaml) -> Json {
    match yaml {
        Yaml::Tagged(tagged) => {
            let tag = tagged.tag.to_string();
            let function = tag.trim_start_matches('!');
            let function = if function == "Ref" { function.to_owned() } else { format!("Fn::{function}") };
            json!({ function: yaml_to_json(&tagged.value) })
        }
        Yaml::Mapping(map) => {
            let key = |key: &Yaml| key.as_str().map_or_else(|| yaml_to_json(key).to_string(), str::to_owned);
            Json::Object(map.iter().map(|(k, value)| (key(k), yaml_to_json(value))).collect())
        }
        Yaml::Sequence(list) => Json::Array(list.iter().map(yaml_to_json).collect()),
        scalar => serde_json::to_value(scalar).unwrap_or_default(),
    }
}

fn entries(map: &Json) -> impl Iterator<Item = (&String, &Json)> {
    map.as_object().into_iter().flatten()
}

/// The entries of a list. A single value counts as a list of one.
fn items(value: &Json) -> impl Iterator<Item = &Json> {
    let (list, one) = match value {
        Json::Null => (None, None),
        Json::Array(list) => (Some(list), None),
        one => (None, Some(one)),
    };
    list.into_iter().flatten().chain(one)
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Json, default: u32) -> u32 {
    value.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_parsed() {
        let template = SamTemplate::read();
        assert!(template.tables.contains_key("EntitiesTable"));
        let worker = &template.functions["attention-worker"];
        let source = QueueSource { queue: "AttentionQueue".to_owned(), batch_size: 10, max_concurrency: 10 };
        assert_eq!(worker.source, Some(source));
        assert_eq!(worker.settings["TABLE_ENTITIES"], Setting::Ref("EntitiesTable".to_owned()));
        assert_eq!(worker.grants[0].resources, [part("EntitiesTable", "")]);
        assert_eq!(template.parameters["StreamSeconds"], "285");
        assert_eq!((worker.memory_mb, template.functions["run-worker"].memory_mb), (256, 512));
        assert_eq!(template.alarms, TEMPLATE.matches("Type: AWS::CloudWatch::Alarm").count() as u32);
        // With a user pool of the template, the issuer is not the parameter.
        for function in template.functions.values() {
            assert_eq!(function.settings["AUTH_ISSUER"], Setting::Ref("AuthIssuer".to_owned()));
        }
        assert!(!TEMPLATE.contains("AUTH_ISSUER: !Ref"), "only `Globals` sets the issuer, which may be a user pool");
        let base_url = &template.functions["workbench-worker"].settings["BASE_URL"];
        assert_eq!(*base_url, Setting::Ref("BaseUrl".to_owned()));
        let workflows = &template.functions["workflows"].grants;
        let of = |action: &str| workflows.iter().find(|grant| grant.actions.iter().any(|granted| granted == action));
        assert_eq!(of("sqs:SendMessage").unwrap().actions, ["sqs:SendMessage"]);
        let objects = [part("FilesBucket", "/graphs/*"), part("FilesBucket", "/manifests/*")];
        assert_eq!(of("s3:PutObject").unwrap().resources, objects);
        let dead_letters = template.queues["AttentionQueue"].dead_letters.clone();
        assert_eq!(dead_letters, Some(("AttentionDeadLetters".to_owned(), 5)));
        let rule = |prefix: &str, days| LifecycleRule { prefix: prefix.to_owned(), days };
        assert_eq!(
            template.buckets["FilesBucket"],
            [
                rule("tmp/", 2),
                rule("exports/", 7),
                rule("images/", 8),
                rule("files/", 31),
                rule("batches/", 33),
                rule("webhook-events/", 31),
                rule("runs/7d/", 98),
                rule("runs/30d/", 121),
                rule("runs/90d/", 181),
                rule("runs/365d/", 456),
                rule("threads/7d/", 8),
                rule("threads/30d/", 31),
                rule("threads/90d/", 91),
                rule("threads/365d/", 366),
                rule("responses/7d/", 8),
                rule("responses/30d/", 31),
                rule("responses/90d/", 91),
                rule("responses/365d/", 366),
                rule("invocations/7d/", 8),
                rule("invocations/30d/", 31),
                rule("invocations/90d/", 91),
                rule("invocations/365d/", 366),
                rule("call-bodies/1d/", 1),
                rule("call-bodies/3d/", 3),
                rule("call-bodies/7d/", 7),
                rule("call-bodies/14d/", 14),
                rule("call-bodies/30d/", 30),
                rule("vectors/", 90),
            ]
        );
        let agents: Vec<_> = template.routes.iter().filter(|route| route.function == "agents").collect();
        assert_eq!(agents.len(), 4);
        assert_eq!(agents[0].methods.len(), 7);
    }

    fn part(id: &str, part: &str) -> GrantedResource {
        GrantedResource::Part { id: id.to_owned(), part: part.to_owned() }
    }

    #[test]
    fn cargo_lambda_watch_has_the_routes_of_the_template() {
        let manifest = include_str!("../../../Cargo.toml");
        let (_, router) = manifest.split_once("[workspace.metadata.lambda.watch.router]").expect("a router");
        let mut watched: Vec<_> = router.lines().filter(|line| line.starts_with('"')).collect();
        let routes = SamTemplate::read().routes.into_iter();
        let mut declared: Vec<_> = routes
            .map(|route| format!("{:?} = {:?}", route.path.replace("{proxy+}", "{*path}"), route.function))
            .collect();
        watched.sort_unstable();
        declared.sort_unstable();
        assert_eq!(watched, declared);
    }
}

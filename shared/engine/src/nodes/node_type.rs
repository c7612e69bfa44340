//! [`NodeType`]: what holds for all nodes of a type, without its Rust type.

use std::borrow::Cow;
use std::fmt;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Map, Value, json};
use utoipa::PartialSchema;

use super::item_mode::{ItemMode, ItemRun};
use super::r#loop::{LoopNode, OnItemError};
use super::simplify::simplify_schema;
use super::spanish::in_spanish;
use super::{
    Category, ERROR, FieldWarning, IN, Join, NodeConfig, NodeKind, OUT, each, item_mode, r#loop, own_fields, policy,
    redaction,
};
use crate::schema::{FieldProblem, convert_whole_floats, example};
use domain::catalog::Purpose;
use domain::language::{Language, Translated};
use domain::reference::Reference;
use domain::translated;

/// A node type without its Rust type.
pub struct NodeType {
    pub name: &'static str,
    pub category: Category,
    pub description: Translated,
    pub effects: bool,
    /// Whether its result is stored.
    pub is_stored: bool,
    /// Whether its expressions are conditions.
    pub has_conditions: bool,
    pub is_loop: bool,
    pub attempts: u32,
    /// The purpose of the model that it calls.
    pub model_purpose: Option<Purpose>,
    /// Whether its credential is a user and a password.
    pub logs_in: bool,
    pub inputs: &'static [InputPort],
    /// The JSON Schema of the configuration, which is published and enforced.
    pub schema: Value,
    schema_in_spanish: OnceLock<Value>,
    pub example: Value,
    parse: fn(Value) -> Result<NodeConfig, serde_json::Error>,
}

/// The name identifies the type. What is computed once, such as the schema in Spanish, is no part of what it is.
impl fmt::Debug for NodeType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeType({:?})", self.name)
    }
}

/// An input port.
#[derive(Debug, PartialEq, Eq)]
pub struct InputPort {
    pub name: &'static str,
    pub optional: bool,
}

/// What the compiler reads from a configuration.
#[derive(Default)]
pub struct NodeSummary {
    pub join: Join,
    /// The input ports, if the configuration names them.
    pub inputs: Option<Vec<Cow<'static, str>>>,
    pub outputs: Vec<Cow<'static, str>>,
    pub problems: Vec<FieldProblem>,
    pub warnings: Vec<FieldWarning>,
    pub references: Vec<(Reference, &'static str)>,
    pub credential: Option<(uuid::Uuid, &'static str)>,
}

impl NodeSummary {
    pub(super) fn new(node: &impl NodeKind) -> Self {
        Self {
            join: node.join(),
            inputs: node.inputs(),
            outputs: node.outputs(),
            problems: node.problems(),
            warnings: node.warnings(),
            references: node.references(),
            credential: node.credential(),
        }
    }
}

impl NodeType {
    pub(super) fn new<K: NodeKind>(parse: fn(Value) -> Result<NodeConfig, serde_json::Error>) -> Self {
        let inputs: &[InputPort] = match K::CATEGORY {
            Category::Trigger => &[],
            _ if K::IS_LOOP => r#loop::INPUTS,
            _ => &[InputPort { name: IN, optional: false }],
        };
        let schema = simplify_schema(policy::with_policy_fields(K::POLICIES, schema::<K>()));
        let can_repeat = K::CAN_REPEAT && !K::IS_LOOP && K::CATEGORY != Category::Trigger;
        let schema = if can_repeat { each::with_field(schema) } else { schema };
        let can_work_on_items = K::CAN_WORK_ON_ITEMS && K::CATEGORY != Category::Trigger;
        let schema = if can_work_on_items { item_mode::with_field(schema) } else { schema };
        Self {
            name: K::NAME,
            category: K::CATEGORY,
            description: K::DESCRIPTION,
            effects: K::EFFECTS,
            is_stored: K::IS_STORED,
            has_conditions: K::HAS_CONDITIONS,
            is_loop: K::IS_LOOP,
            attempts: K::ATTEMPTS,
            model_purpose: K::MODEL_PURPOSE,
            logs_in: K::LOGS_IN,
            inputs,
            schema: redaction::with_field(K::NAME, schema),
            schema_in_spanish: OnceLock::new(),
            example: json!({"config": K::example()}),
            parse,
        }
    }

    /// Reads a configuration. It succeeds for every configuration that matches the schema.
    pub fn parse(&self, config: &Map<String, Value>) -> Result<NodeConfig, serde_json::Error> {
        (self.parse)(Value::Object(own_fields(self.with_integers(config))))
    }

    pub fn read(&self, config: &Map<String, Value>) -> Result<NodeSummary, serde_json::Error> {
        self.parse(config).map(|node| self.summarize(&node, config))
    }

    pub fn summarize(&self, node: &NodeConfig, config: &Map<String, Value>) -> NodeSummary {
        let mut summary = node.summarize();
        let item_mode = self.item_mode(config);
        if self.each(config).is_some() || self.runs_for_items(config) {
            summary.outputs = vec![Cow::Borrowed(OUT)];
        }
        if policy::has_error_port(config) || item_mode.as_ref().is_some_and(ItemMode::has_error_port) {
            summary.outputs.push(Cow::Borrowed(ERROR));
        }
        summary.problems.extend(item_mode.iter().flat_map(ItemMode::problems));
        if item_mode.is_some() && self.each(config).is_some() {
            let message = translated!(
                "is not allowed with itemMode; remove one of them",
                "no se permite con itemMode; quite uno de los dos"
            );
            summary.problems.push((each::FIELD.to_owned(), message));
        }
        if item_mode.is_none() && config.contains_key("inputs") {
            let message = translated!("is allowed only with itemMode; add it", "solo se permite con itemMode; añádalo");
            summary.problems.push(("inputs".to_owned(), message));
        }
        summary
    }

    /// How a node works on items, if it does.
    pub fn item_mode(&self, config: &Map<String, Value>) -> Option<ItemMode> {
        self.schema["properties"].get(item_mode::FIELD)?;
        ItemMode::read(&self.with_integers(config))
    }

    /// Whether a node runs once for each item of a list.
    pub fn runs_for_items(&self, config: &Map<String, Value>) -> bool {
        let can_repeat = self.schema["properties"].get(each::FIELD).is_some();
        can_repeat && self.item_mode(config).is_some_and(|mode| mode.run != Some(ItemRun::All))
    }

    /// The input ports of a configuration.
    pub fn input_names(&self, summary: Option<&NodeSummary>) -> Vec<Cow<'static, str>> {
        let named = summary.and_then(|summary| summary.inputs.clone());
        named.unwrap_or_else(|| self.inputs.iter().map(|input| Cow::Borrowed(input.name)).collect())
    }

    /// The list for whose elements a node runs, if it has `each`.
    pub fn each(&self, config: &Map<String, Value>) -> Option<LoopNode> {
        let can_repeat = self.schema["properties"].get(each::FIELD).is_some();
        if !can_repeat || !config.contains_key(each::FIELD) {
            return None;
        }
        LoopNode::deserialize(self.with_integers(config).get(each::FIELD)?).ok()
    }

    /// Returns the configuration with whole floats converted to integers.
    pub fn with_integers(&self, config: &Map<String, Value>) -> Map<String, Value> {
        let mut config = Value::Object(config.clone());
        convert_whole_floats(&self.schema, &mut config);
        match config {
            Value::Object(config) => config,
            _ => Map::new(),
        }
    }

    /// The JSON Schema of the value at an output port of a node that succeeds. If the node fails and its `onError` is
    /// `continue`, the value is null.
    pub fn output_schema(&self, config: &Map<String, Value>, port: &str) -> Result<Value, serde_json::Error> {
        if port == ERROR && policy::has_error_port(config) {
            return Ok(policy::error_schema());
        }
        let node = self.parse(config)?;
        if self.item_mode(config).is_some() {
            return Ok(json!({"type": "array", "items": {"type": "object"}}));
        }
        let Some(each) = self.each(config) else { return Ok(node.output_schema(port)) };
        let mut results: Vec<Value> = node.summarize().outputs.iter().map(|port| node.output_schema(port)).collect();
        if each.on_item_error == Some(OnItemError::Null) {
            results.push(json!({"type": "null"}));
        }
        Ok(each::list_schema(results))
    }

    /// An example of what the effect of a node gives: the first port, and a value that fits there. With `each` or `itemMode`, it
    /// is what the node gives for one element.
    pub fn example_answer(&self, config: &Map<String, Value>) -> (Cow<'static, str>, Value) {
        let Ok(node) = self.parse(config) else { return (OUT.into(), json!({})) };
        let port = node.summarize().outputs.into_iter().next().unwrap_or(OUT.into());
        let value = example(&node.output_schema(&port));
        (port, value)
    }

    /// The schema of the configuration, with descriptions in a language.
    pub fn schema_in(&self, language: Language) -> &Value {
        match language {
            Language::English => &self.schema,
            Language::Spanish => self.schema_in_spanish.get_or_init(|| in_spanish(&self.schema)),
        }
    }

    /// Whether a configuration can give the type an error port.
    pub fn can_have_error_port(&self) -> bool {
        self.schema["properties"].get("onError").is_some()
    }

    /// The configuration of the example.
    pub fn example_config(&self) -> Map<String, Value> {
        self.example["config"].as_object().cloned().unwrap_or_default()
    }

    /// The output ports of the example, each with the JSON Schema of its value. The catalogue shows them.
    pub fn example_outputs(&self) -> Vec<(Cow<'static, str>, Value)> {
        let config = self.example_config();
        let ports = self.read(&config).map(|summary| summary.outputs).unwrap_or_default();
        let with_schema = |port: Cow<'static, str>| {
            let schema = self.output_schema(&config, &port).unwrap_or(Value::Bool(true));
            (port, schema)
        };
        ports.into_iter().map(with_schema).collect()
    }

    pub fn is_trigger(&self) -> bool {
        self.category == Category::Trigger
    }

    /// Whether it is this type.
    pub fn is<K: NodeKind>(&self) -> bool {
        self.name == K::NAME
    }

    pub fn is_unknown(&self) -> bool {
        self.name.is_empty()
    }

    pub fn has_input(&self, port: &str) -> bool {
        self.inputs.iter().any(|input| input.name == port)
    }
}

/// A placeholder for an unknown type, so that the rest of the graph can be validated. It is never part of a plan.
pub(in super::super) fn unknown() -> &'static NodeType {
    static UNKNOWN: LazyLock<NodeType> = LazyLock::new(|| NodeType {
        name: "",
        category: Category::Logic,
        description: Translated::new("", ""),
        effects: true,
        is_stored: true,
        attempts: 1,
        has_conditions: false,
        is_loop: false,
        model_purpose: None,
        logs_in: false,
        inputs: &[],
        schema: Value::Bool(true),
        schema_in_spanish: OnceLock::new(),
        example: Value::Null,
        parse: |_| Err(serde_json::Error::custom("unknown type")),
    });
    &UNKNOWN
}

fn schema<K: NodeKind>() -> Value {
    serde_json::to_value(<K as PartialSchema>::schema()).expect("a schema is JSON")
}

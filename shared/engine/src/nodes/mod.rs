//! The node types, one file each. To add one, write its file and add its line to `node_types!` below.

mod action;
mod address;
pub mod each;
mod evaluation;
pub mod fields;
pub mod item_mode;
mod node_type;
mod operation;
pub mod policy;
mod port;
pub mod redaction;
mod simplify;
mod spanish;
mod sql;
pub mod webhook_answer;

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::schema::FieldProblem;
use domain::catalog::Purpose;
use domain::chat::ChatPrompt;
use domain::language::Translated;
use domain::reference::Reference;
use domain::run::{OnUncertain, StepError};
use policy::Policies;

/// A line has the configuration of a type and, if it has an effect, the variant of [`Operation`] that performs it.
macro_rules! node_types {
    ($($module:ident::$name:ident $(=> $operation:ident($payload:ty))?,)+) => {
        $(pub mod $module;)+

        static ALL: LazyLock<Vec<NodeType>> = LazyLock::new(|| {
            vec![$(NodeType::new::<$module::$name>(|config| serde_json::from_value(config).map(NodeConfig::$name))),+]
        });

        /// The configuration of a node, as it is written.
        #[derive(Debug)]
        pub enum NodeConfig {
            $($name($module::$name)),+
        }

        impl NodeConfig {
            fn summarize(&self) -> NodeSummary {
                match self {
                    $(Self::$name(node) => NodeSummary::new(node)),+
                }
            }

            fn output_schema(&self, port: &str) -> Value {
                match self {
                    $(Self::$name(node) => node.output_schema(port)),+
                }
            }

            /// See [`NodeKind::evaluate`].
            pub fn evaluate(&self, fields: &Fields) -> NodeResult {
                match self {
                    $(Self::$name(node) => node.evaluate(fields)),+
                }
            }
        }

        /// What an effect does, with the values of the expressions.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Operation {
            $($($operation($payload),)?)+
            LoadAgent(LoadAgent),
            /// Asks the model of an agent.
            AskModel(ChatPrompt),
        }

        impl Operation {
            pub fn defaults(&self) -> AttemptDefaults {
                match self {
                    $($(Self::$operation(_) => AttemptDefaults::of_type::<$module::$name>(),)?)+
                    Self::LoadAgent(_) => AttemptDefaults::LOAD_AGENT,
                    Self::AskModel(_) => AttemptDefaults::ASK_MODEL,
                }
            }
        }
    };
}

node_types! {
    input::InputNode,
    webhook::WebhookNode,
    form::FormNode,
    schedule::ScheduleNode,
    message::MessageNode,
    agent::AgentNode,
    model::ModelNode => Model(model::ModelNode<Value, String>),
    guard::GuardNode => Guard(guard::GuardNode<String>),
    embeddings::EmbeddingsNode => Embeddings(embeddings::EmbeddingsNode<Value>),
    image::ImageNode => Image(image::ImageNode<String>),
    retrieval::RetrievalNode => Retrieval(retrieval::RetrievalNode<String>),
    http::HttpNode => Http(http::HttpCall),
    database::DatabaseNode => Database(database::DatabaseNode<Value>),
    email::EmailNode => Email(email::EmailNode<Value, String>),
    feed::FeedNode => Feed(feed::FeedNode<String>),
    mcp::McpNode => Mcp(mcp::McpCall),
    condition::ConditionNode,
    switch::SwitchNode,
    transform::TransformNode,
    template::TemplateNode,
    code::CodeNode,
    table::TableNode => Table(table::TableNode<Value>),
    read_file::ReadFileNode => ReadFile(read_file::ReadFileNode<Value, String>),
    write_file::WriteFileNode => WriteFile(write_file::WriteFileNode<Value, String>),
    r#loop::LoopNode,
    merge::MergeNode,
    delay::DelayNode,
    review::ReviewNode,
    form_page::FormPageNode,
    workflow::WorkflowNode => Workflow(workflow::WorkflowCall),
    send_message::SendMessageNode => SendMessage(send_message::SendMessageNode<Value, String>),
    send_result::SendResultNode,
    fail::FailNode,
    placeholder::PlaceholderNode,
}

pub use action::{DueWork, Join, NodeAction, NodeResult};
pub use evaluation::Fields;
pub(super) use node_type::unknown;
pub use node_type::{InputPort, NodeSummary, NodeType};
pub use operation::{AttemptDefaults, LoadAgent};

/// All node types, in the order of the catalogue.
pub fn all() -> &'static [NodeType] {
    &ALL
}

pub fn find(name: &str) -> Option<&'static NodeType> {
    ALL.iter().find(|node_type| node_type.name == name)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Begins runs.
    Trigger,
    Ai,
    Integration,
    Logic,
    Data,
    People,
    /// Ends runs.
    Output,
}

/// What is valid, but probably not what the author intended.
pub struct FieldWarning {
    pub code: &'static str,
    pub field: &'static str,
    pub message: Translated<String>,
}

/// A node type. Its schema is derived from its configuration struct: a configuration that matches the schema can be
/// deserialized.
pub trait NodeKind: DeserializeOwned + ToSchema {
    const NAME: &'static str;
    const CATEGORY: Category;
    const DESCRIPTION: Translated;
    /// Whether it has effects outside of the run. They are recorded before the next node starts.
    const EFFECTS: bool = false;
    /// Whether its result is stored, because it has an effect or waits. Other results are computed again after a restart.
    const IS_STORED: bool = Self::EFFECTS;
    const IS_LOOP: bool = false;
    /// Whether its nodes can have the field `each`. Not if they only choose a port or end the run.
    const CAN_REPEAT: bool = true;
    /// Whether its nodes can have the field `itemMode`. Not if they choose a port for a whole value.
    const CAN_WORK_ON_ITEMS: bool = true;
    /// Whether its expressions are conditions.
    const HAS_CONDITIONS: bool = false;
    /// The purpose of the model that it calls, if its configuration names one.
    const MODEL_PURPOSE: Option<Purpose> = None;
    /// Whether its credential is a user and a password (`basic`), because it calls no HTTP server.
    const LOGS_IN: bool = false;
    /// The timeout of an attempt, if the configuration sets none.
    const TIMEOUT: Duration = Duration::from_secs(30);
    /// The number of attempts, if the configuration sets none.
    const ATTEMPTS: u32 = 1;
    /// What happens when a crash leaves in doubt whether the effect took place, if the configuration does not say.
    const ON_UNCERTAIN: OnUncertain = OnUncertain::Retry;
    /// The policy fields that the type has.
    const POLICIES: Policies = Policies::ERROR;

    fn example() -> Value;

    /// The input ports of a configuration, if it names them.
    fn inputs(&self) -> Option<Vec<Cow<'static, str>>> {
        None
    }

    /// The output ports of a configuration; `out` for most types.
    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![Cow::Borrowed(OUT)]
    }

    /// The JSON Schema of the value at an output port. By default it is any value: the node passes on its input, or a
    /// value that others choose.
    fn output_schema(&self, _port: &str) -> Value {
        json!({})
    }

    /// What its input is, if several edges lead into it.
    fn join(&self) -> Join {
        Join::default()
    }

    /// Evaluates the expressions that are needed, and returns what the step does. It must be deterministic.
    fn evaluate(&self, fields: &Fields) -> NodeResult;

    /// Returns problems that a schema cannot express.
    fn problems(&self) -> Vec<FieldProblem> {
        Vec::new()
    }

    /// Returns what is valid but probably not what its author intended.
    fn warnings(&self) -> Vec<FieldWarning> {
        Vec::new()
    }

    /// The agents, models and workflows that must exist, each with the field that names it.
    fn references(&self) -> Vec<(Reference, &'static str)> {
        Vec::new()
    }

    /// The credential of the workflow that it uses, and the field that names it.
    fn credential(&self) -> Option<(uuid::Uuid, &'static str)> {
        None
    }
}

/// The timeout of nodes that call models.
pub const SLOW: Duration = Duration::from_secs(120);

pub const IN: &str = "in";
pub const OUT: &str = "out";
/// The output port of a failed node whose `onError` is `branch`.
pub const ERROR: &str = "error";

/// The fields of a configuration that only its type has.
pub fn own_fields(config: Map<String, Value>) -> Map<String, Value> {
    item_mode::without_field(each::without_field(redaction::without_field(policy::without_policy_fields(config))))
}

/// The fields of a configuration that several types have: its policies, what is masked, `each` and `itemMode`.
pub fn shared_fields(config: &Map<String, Value>) -> Map<String, Value> {
    let own = own_fields(config.clone());
    let shared = config.iter().filter(|(name, _)| !own.contains_key(*name));
    shared.map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::expression::Expression;
    use crate::schema::{Program, check_config, check_value, example, faults};

    #[test]
    fn the_schemas_of_all_types_are_valid_and_closed() {
        for node_type in all() {
            assert_eq!(faults(&node_type.schema, "schema"), [], "{}", node_type.name);
            assert_eq!(node_type.schema["additionalProperties"], false, "{}", node_type.name);
            assert!(!node_type.schema.to_string().contains("$ref"), "{}", node_type.name);
        }
    }

    #[test]
    fn the_functions_in_the_description_of_transform_exist() {
        let description =
            find("transform").unwrap().description.en.split_once("there are: ").unwrap().1.trim_end_matches('.');
        for name in description.split(' ') {
            let problem = Expression::parse(&format!("{name}(1, 2, 3, 4, 5, 6)")).err().map(|problem| problem.message);
            assert!(!problem.is_some_and(|problem| problem.en.starts_with("there is no")), "{name}");
        }
    }

    #[test]
    fn the_schema_documents_on_error() {
        let description = find("http").unwrap().schema["properties"]["onError"]["description"].as_str().unwrap();
        assert!(description.contains("{code, message}") && description.contains("null"), "{description}");
    }

    #[test]
    fn the_output_schemas_of_all_types_are_valid() {
        for node_type in all() {
            for (port, schema) in node_type.example_outputs() {
                assert_eq!(faults(&schema, "schema"), [], "{} {port}", node_type.name);
                let example = example(&schema);
                assert_eq!(
                    check_value(&schema, &example, "value").violations,
                    [],
                    "{} {port}: {example}",
                    node_type.name
                );
            }
        }
        assert_eq!(faults(&policy::error_schema(), "schema"), []);
    }

    #[test]
    fn the_examples_of_all_types_are_valid() {
        let (mut names, mut expressions) = (HashSet::new(), 0);
        for node_type in all() {
            assert!(names.insert(node_type.name));
            let found = check_config(&node_type.schema, &node_type.example["config"], "config");
            assert_eq!(found.violations, [], "{}", node_type.name);
            expressions += found.expressions.len();
            for (field, language, text) in found.expressions {
                Program::parse(language, &text, &None)
                    .unwrap_or_else(|problem| panic!("{} {field}: {problem}", node_type.name));
            }
            let summary = node_type.read(&node_type.example_config()).unwrap();
            assert_eq!(summary.problems, [], "{}", node_type.name);
            assert!(!summary.outputs.is_empty() || node_type.category == Category::Output, "{}", node_type.name);
        }
        assert_ne!(expressions, 0);
    }
}

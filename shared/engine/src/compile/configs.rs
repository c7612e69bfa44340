//! Validates each node on its own: its type, its configuration against the type's JSON Schema, and the syntax of its
//! expressions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Each, PlanStep, Problems, Severity};
use crate::nodes::code::CodeNode;
use crate::nodes::policy::Policy;
use crate::nodes::redaction::Redaction;
use crate::nodes::{self, FieldWarning, NodeConfig};
use crate::schema::{ExpressionLanguage, Program, check_config};
use crate::script::OwnInterpreter;
use domain::graph::{Graph, Node};
use domain::language::Translated;
use domain::translated;

/// The maximum number of regular expressions in a graph. Each one is compiled to validate it.
const MAX_PATTERNS: usize = 1_000;
/// The maximum number of scripts in a graph, each of which is compiled in a process of its own.
const MAX_SCRIPTS: usize = 1_000;

/// What the expressions of the graph have so far.
#[derive(Default)]
struct Counts {
    patterns: usize,
    scripts: usize,
}

impl Counts {
    /// Counts an expression. Returns the problem of the first one that is too much, and of those after it.
    fn add(&mut self, language: ExpressionLanguage, text: &str) -> Option<(&'static str, Translated<String>)> {
        if language.is_javascript() {
            self.scripts += 1;
            let message = || {
                translated!(
                    "the graph has more than {MAX_SCRIPTS} scripts; use CEL or templates instead of some",
                    "el grafo tiene más de {MAX_SCRIPTS} programas de JavaScript; use CEL o plantillas en lugar de algunos"
                )
            };
            return (self.scripts > MAX_SCRIPTS).then(|| ("too_many_scripts", message()));
        }
        let patterns = text.matches("matches").count();
        self.patterns += patterns;
        let message = || {
            translated!(
                "the graph has more than {MAX_PATTERNS} regular expressions; remove some calls of `matches`",
                "el grafo tiene más de {MAX_PATTERNS} expresiones regulares; quite algunas llamadas a `matches`"
            )
        };
        (patterns > 0 && self.patterns > MAX_PATTERNS).then(|| ("too_many_patterns", message()))
    }
}

/// Builds one step per node, and reports the problems of its configuration. The configuration is none if it cannot be read.
pub fn read_nodes(
    graph: &Graph,
    interpreter: &OwnInterpreter,
    problems: &mut Problems,
) -> (Vec<PlanStep>, Vec<Option<NodeConfig>>) {
    let mut counts = Counts::default();
    let nodes = graph.nodes.iter().enumerate();
    nodes.map(|(index, node)| read_node(index, node, interpreter, &mut counts, problems)).unzip()
}

fn read_node(
    index: usize,
    node: &Node,
    interpreter: &OwnInterpreter,
    counts: &mut Counts,
    problems: &mut Problems,
) -> (PlanStep, Option<NodeConfig>) {
    let node_type = nodes::find(&node.r#type).unwrap_or_else(|| {
        let known: Vec<&str> = nodes::all().iter().map(|known| known.name).collect();
        let message = translated!("unknown node type `{}`", "tipo de nodo desconocido `{}`", node.r#type);
        let list = || translated!("; use one of {}", "; use uno de {}", known.join(", "));
        let fix = problems.suggest(&node.r#type, known.iter().copied()).unwrap_or_else(list);
        problems.error("unknown_type", index, message.with(&fix));
        nodes::unknown()
    });
    let config = Value::Object(node.config.clone());
    let found = check_config(&node_type.schema, &config, "config");

    let is_valid = found.is_valid();
    for (field, message) in found.violations {
        problems.field("invalid_config", index, &field, None, message);
    }
    let mut programs = BTreeMap::new();
    for (field, language, text) in found.expressions {
        if let Some((code, message)) = counts.add(language, &text) {
            problems.field(code, index, &field, None, message);
            continue;
        }
        let program = Program::parse(language, &text, interpreter).and_then(|program| {
            match &program {
                Program::Condition(expression) if node_type.has_conditions => expression.check_condition()?,
                _ => {}
            }
            Ok(program)
        });
        match program {
            Ok(program) => {
                programs.insert(field, program);
            }
            Err(problem) => {
                problems.field("invalid_expression", index, &field, Some(problem.at), problem.message);
            }
        }
    }
    let config = node_type.parse(&node.config);
    // Only a type whose schema accepts too much gets here, with a text of serde.
    if let (Err(error), true, false) = (&config, is_valid, node_type.is_unknown()) {
        problems.field("invalid_config", index, "config", None, Translated::untranslated(error.to_string()));
    }
    let config = config.ok();
    let summary = config.as_ref().map(|config| node_type.summarize(config, &node.config));
    // The ports of a node whose configuration cannot be read are unknown, so they are not checked.
    if summary.is_none() {
        problems.unreadable_nodes.insert(index);
    }
    for (field, message) in summary.iter().flat_map(|summary| &summary.problems) {
        problems.field("invalid_config", index, &format!("config.{field}"), None, message.clone());
    }
    for FieldWarning { code, field, message } in summary.iter().flat_map(|summary| &summary.warnings) {
        let field = format!("config.{field}");
        problems.add(Severity::Warning, code, index, Some(&field), None, message.clone());
    }
    let inputs = node_type.input_names(summary.as_ref()).into_iter().map(String::from).collect();
    let each = node_type.each(&node.config);
    let is_list = each.is_some() || node_type.runs_for_items(&node.config);
    let summary = summary.unwrap_or_default();
    // References of an invalid configuration are not looked up: they may be of any length.
    let (references, credential) = if is_valid { (summary.references, summary.credential) } else { Default::default() };
    let redaction = Redaction::read(&node.config);
    let whole = node_type.with_integers(&node.config);
    // Code that runs for the first item sees only that one, as in n8n.
    let reads_whole_input = !node_type.is::<CodeNode>() && programs.values().any(Program::reads_whole_input);
    let step = PlanStep {
        id: node.id.clone(),
        name: node.name.clone(),
        node_type,
        join: summary.join,
        inputs,
        outputs: summary.outputs.into_iter().map(String::from).collect(),
        programs,
        policy: Policy::read(&whole),
        config: whole,
        each: is_list.then(|| Each { r#loop: each, redaction: redaction.for_list() }),
        item_mode: node_type.item_mode(&node.config),
        redaction,
        reads: Vec::new(),
        reads_of_item: Vec::new(),
        reads_whole_input,
        parent_loop: None,
        references,
        credential,
        incoming: Vec::new(),
        outgoing: Vec::new(),
    };
    (step, config)
}

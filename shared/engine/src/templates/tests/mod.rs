//! Tests of the templates.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::*;
use crate::compile::compile;
use crate::schema::check_value;
use domain::graph::{CanvasPosition, Node};
use domain::language::Language;
use domain::reference::Reference;

fn has(template: &WorkflowTemplate, node_type: &str) -> bool {
    template.graph.en.nodes.iter().any(|node| node.r#type == node_type)
}

fn position(node: &Node) -> CanvasPosition {
    node.position.unwrap_or_else(|| panic!("{} has no position", node.id))
}

#[test]
fn every_file_is_a_template_with_a_unique_id_and_name() {
    // Read at runtime, because the crate may have moved since it was compiled.
    let crate_folder = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    let files = std::fs::read_dir(Path::new(&crate_folder).join("src/templates")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: HashSet<String> = names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect();
    let slugs: HashSet<String> = all().iter().map(|template| template.slug.to_owned()).collect();
    assert_eq!(slugs, files);
    assert_eq!(slugs.len(), all().len());
    assert_eq!(all().iter().map(|template| template.id).collect::<HashSet<_>>().len(), all().len());
    for language in [Language::English, Language::Spanish] {
        let names = all().iter().map(|template| template.name.get(language));
        assert_eq!(names.collect::<HashSet<_>>().len(), all().len());
    }
    let mut tags = HashMap::new();
    for template in all() {
        assert!(std::ptr::eq(find(template.slug).unwrap(), template));
        assert!(std::ptr::eq(find(&template.id.to_string()).unwrap(), template));
        let texts = [template.name, template.description]
            .into_iter()
            .chain(template.steps.iter().map(|step| Translated { en: step.en.as_str(), es: step.es.as_str() }));
        let names = template.graph.en.nodes.iter().zip(&template.graph.es.nodes);
        let texts = texts.chain(names.map(|(en, es)| Translated { en: en.name.as_str(), es: es.name.as_str() }));
        for text in texts {
            assert!(!text.en.is_empty() && !text.es.is_empty() && text.en != text.es, "{}: {text:?}", template.slug);
        }
        assert!(!template.tags.is_empty(), "{}", template.slug);
        for tag in &template.tags {
            assert!(!tag.en.is_empty() && !tag.es.is_empty(), "{}", template.slug);
            assert_eq!(*tags.entry(tag.en).or_insert(tag.es), tag.es, "a tag has one translation");
        }
    }
    assert!(find("nothing").is_none());
}

#[test]
fn every_graph_compiles_without_problems() {
    for template in all() {
        template.graph.all().into_iter().for_each(|graph| graph.check().unwrap());
        let (plan, problems) = compile(&template.graph.en).finish();
        let problems: Vec<_> = problems.into_iter().map(|problem| problem.message.en).collect();
        assert_eq!(problems, Vec::<String>::new(), "{}", template.slug);
        assert!(plan.is_some());
    }
}

#[test]
fn every_graph_is_laid_out_from_left_to_right() {
    const WIDTH: f64 = 240.0;
    const HEIGHT: f64 = 120.0;
    for (slug, graph) in all().iter().flat_map(|template| template.graph.all().map(|graph| (template.slug, graph))) {
        for (index, node) in graph.nodes.iter().enumerate() {
            let at = position(node);
            for other in &graph.nodes[..index] {
                assert_ne!(node.name, other.name, "{slug}");
                let apart = position(other);
                let is_clear = (at.x - apart.x).abs() >= WIDTH || (at.y - apart.y).abs() >= HEIGHT;
                assert!(is_clear, "{slug}: {} and {} overlap", node.id, other.id);
            }
        }
        let x = |id: &str| position(graph.nodes.iter().find(|node| node.id == id).unwrap()).x;
        for connection in graph.connections.iter().filter(|connection| connection.to.port != "next") {
            let (from, to) = (&connection.from.node, &connection.to.node);
            assert!(x(from) < x(to), "{slug}: from {from} to {to} leads back");
        }
    }
}

#[test]
fn templates_use_only_embedded_models() {
    for WorkflowTemplate { slug, graph: Translated { en: graph, .. }, .. } in all() {
        for step in compile(graph).finish().0.unwrap().steps {
            assert_eq!(step.credential, None, "{slug}");
            for (reference, _) in &step.references {
                let is_embedded =
                    matches!(reference, Reference::Model(model) if model == "dev-chat" || model == "dev-embed");
                assert!(is_embedded, "{slug}: {reference:?}");
            }
            if step.node_type.name == "http" {
                assert!(step.config["url"].as_str().unwrap().starts_with("https://example.com/"), "{slug}");
                assert_eq!(step.config["onError"], "branch", "{slug}");
            }
        }
    }
}

#[test]
fn every_output_port_is_connected() {
    for WorkflowTemplate { slug, graph: Translated { en: graph, .. }, .. } in all() {
        let plan = compile(graph).finish().0.unwrap();
        for step in &plan.steps {
            let is_end = matches!(step.node_type.name, "send_result" | "send_message");
            for port in step.outputs.iter().filter(|port| !(is_end && *port == "out")) {
                let leads = step.outgoing.iter().any(|edge| plan.edges[*edge].from_port == **port);
                assert!(leads, "{slug}: nothing is connected to {port} of {}", step.id);
            }
        }
    }
}

#[test]
fn the_example_input_matches_the_trigger() {
    for WorkflowTemplate { slug, graph: Translated { en: graph, .. }, example_input, .. } in all() {
        let triggers: Vec<_> =
            graph.nodes.iter().filter(|node| crate::nodes::find(&node.r#type).unwrap().is_trigger()).collect();
        let [trigger] = triggers[..] else { panic!("{slug} has {} triggers", triggers.len()) };
        match &*trigger.r#type {
            "input" => {
                let found = check_value(&trigger.config["schema"], example_input, "input");
                assert_eq!(found.violations, [], "{slug}");
            }
            "schedule" => assert_eq!(&trigger.config["input"], example_input, "{slug}"),
            _ => assert!(example_input.is_object(), "{slug}"),
        }
    }
}

#[test]
fn the_steps_explain_what_to_connect() {
    let expectations = [
        ("webhook", "Connect the webhook"),
        ("message", "Connect a messaging channel"),
        ("send_message", "messaging channel to"),
        ("schedule", "time zone"),
        ("http", "https://example.com"),
        ("review", "Choose who decides"),
        ("model", "`dev-chat`"),
        ("retrieval", "`dev-embed`"),
        ("embeddings", "`dev-embed`"),
    ];
    for template in all() {
        for (node_type, words) in expectations.iter().filter(|(node_type, _)| has(template, node_type)) {
            let is_documented = template.steps.iter().any(|step| step.en.contains(words));
            assert!(is_documented, "{}: no step contains `{words}`, but there is a {node_type}", template.slug);
        }
        // A capitalized name in backticks is the name of a node.
        for language in [Language::English, Language::Spanish] {
            let steps = template.steps.iter().map(|step| step.get(language));
            for named in steps.flat_map(|step| step.split('`').skip(1).step_by(2)) {
                let is_name = named.trim_start_matches('¿').starts_with(char::is_uppercase);
                let is_there = template.graph.get(language).nodes.iter().any(|node| node.name == named);
                assert!(!is_name || is_there, "{}: there is no node `{named}`", template.slug);
            }
        }
    }
}

//! Realistic Dify apps, with the complete translation of each.

use serde_json::json;

use super::*;
use engine::expression::{Expression, Scope};

pub const FILES: [(&str, &str); 13] = [
    ("agent-chat.yml", include_str!("../fixtures/dify/agent-chat.yml")),
    ("agent-with-tools.yml", include_str!("../fixtures/dify/agent-with-tools.yml")),
    ("completion.json", include_str!("../fixtures/dify/completion.json")),
    ("human-approval.yml", include_str!("../fixtures/dify/human-approval.yml")),
    ("iterate-reviews.yml", include_str!("../fixtures/dify/iterate-reviews.yml")),
    ("lead-scoring.yml", include_str!("../fixtures/dify/lead-scoring.yml")),
    ("loop-until.yml", include_str!("../fixtures/dify/loop-until.yml")),
    ("rag-chatbot.yml", include_str!("../fixtures/dify/rag-chatbot.yml")),
    ("scheduled-report.yml", include_str!("../fixtures/dify/scheduled-report.yml")),
    ("structured.yml", include_str!("../fixtures/dify/structured.yml")),
    ("support-chat.yml", include_str!("../fixtures/dify/support-chat.yml")),
    ("support-triage.yml", include_str!("../fixtures/dify/support-triage.yml")),
    ("webhook-enrichment.yml", include_str!("../fixtures/dify/webhook-enrichment.yml")),
];

#[test]
fn agent_chat() {
    assert_becomes(
        "agent-chat.yml",
        r##"
            input input
            model agent partial: create an agent from the parts listed under `reconnect`, and select it; add a guard node for its content moderation
            result send_result
        "##,
        "
            input>model model>result
        ",
    );
}

#[test]
fn agent_with_tools() {
    assert_becomes(
        "agent-with-tools.yml",
        r##"
            start transform
            agent agent partial: create an agent from the parts listed under `reconnect`, and select it
            remember transform
            answer send_message
        "##,
        "
            start_message>start_conversation start_conversation>start remember>remember_save start>agent
            agent>remember remember_save>answer
        ",
    );
}

#[test]
fn completion() {
    assert_becomes(
        "completion.json",
        r##"
            input input
            model model
            result send_result
        "##,
        "
            input>model model>result
        ",
    );
}

#[test]
fn human_approval() {
    assert_becomes(
        "human-approval.yml",
        r##"
            start input
            editor review partial: a review has two decisions: all buttons but the first reject; people decide on the platform, not in the message
            publish http partial: `{{#env.base#}}` is not translated: the environment variable does not exist; files are not sent
            read_file read_file partial: a file in the run's input is {base64, contentType, name}; tables (CSV, XLSX) give `rows` instead of `text`; Word, PowerPoint and e-book files cannot be read
            published send_result
            not_published send_result
            n -
        "##,
        "
            start>editor editor.approved>publish editor.rejected>not_published editor.rejected>read_file
            editor.expired>not_published publish>published read_file>not_published
        ",
    );
}

#[test]
fn iterate_reviews() {
    assert_becomes(
        "iterate-reviews.yml",
        r##"
            start input
            latest transform
            each_review loop
            itstart -
            judge model
            each_again loop
            it2start -
            wrap template
            long switch
            end send_result
        "##,
        "
            each_again_result>each_again.next start>latest latest>each_review each_review.item>judge
            each_review.done>each_again each_again.item>wrap wrap>long each_again.done>end
            judge>each_review.next long.true>each_again_result long.default>each_again_result
        ",
    );
}

#[test]
fn lead_scoring() {
    assert_becomes(
        "lead-scoring.yml",
        r##"
            lead transform
            size switch partial: `{{#env.partner#}}` is not translated: the environment variable does not exist
            big template
            score_it code
            either transform
            end send_result
            small send_result
        "##,
        "
            lead_input>lead either_merge>either lead>size size.true>big size.case 2>score_it size.default>small big>either_merge
            score_it>either_merge either>end
        ",
    );
}

#[test]
fn loop_until() {
    assert_becomes(
        "loop-until.yml",
        r##"
            start input
            improve loop partial: it runs all its rounds: write its end condition as a condition in the body; loop variables are not supported
            lps -
            write model partial: `{{#lp.draft#}}` is not translated: loop variables are not supported
            rate model
            good switch
            exit_loop - partial: left out: a loop cannot end early, so it runs all its rounds
            end send_result partial: `{{#lp.draft#}}` is not translated: loop variables are not supported
        "##,
        "
            start>improve improve.item>write write>rate rate>good improve.done>end good.true>improve.next
            good.default>improve.next
        ",
    );
}

#[test]
fn rag_chatbot() {
    assert_becomes(
        "rag-chatbot.yml",
        r##"
            start transform partial: a form starts each run here, because messages have no form and no content of files: there is no memory of a conversation unless `conversation_id` names one
            knowledge_retrieval retrieval partial: add the sources that it searches; reranking is not supported
            llm model partial: images are not sent to the model
            answer template
        "##,
        "
            start_input>start answer>answer_result start>knowledge_retrieval knowledge_retrieval>llm llm>answer
        ",
    );
}

#[test]
fn scheduled_report() {
    assert_becomes(
        "scheduled-report.yml",
        r##"
            every_morning schedule
            new_mail placeholder unsupported: this plugin's trigger is not supported: start the run by webhook
            fetch http partial: `{{#env.team#}}` is not translated: the environment variable does not exist
            summarize model
            send_to_slack transform partial: the tool `send_message` of `slack` is not in the file: give the address of an MCP server that has it, or call its service by http
            archive workflow
            failed send_result
        "##,
        "
            new_mail_start>new_mail send_to_slack_call>send_to_slack every_morning>fetch new_mail>fetch fetch>summarize fetch.error>failed summarize>send_to_slack_call
            summarize>archive
        ",
    );
}

#[test]
fn structured() {
    assert_becomes(
        "structured.yml",
        r##"
            start input
            model_a model
            model_b model
            model_c model partial: earlier answers of the model are part of the prompt; `{{#b.usage#}}` is not translated: only the text of an answer is available
            groups transform
            either merge
            bad_filter placeholder unsupported: cannot be converted to `template`: config.template: line 1, column 45: there is no filter `frobnicate`
            end send_result partial: `{{#gone.x#}}` is not translated: the node does not exist
        "##,
        "
            groups_merge>groups start>model_a start>model_b model_b>model_c model_a>groups_merge
            model_c>groups_merge model_b>either model_c>either start>bad_filter groups>end either>end
            bad_filter>end
        ",
    );
}

#[test]
fn support_chat() {
    assert_becomes(
        "support-chat.yml",
        r##"
            input input
            passages retrieval partial: add the sources that it searches
            model model partial: a model node has no memory of the conversation: use an agent for that; the opening message is not imported
            result send_result
        "##,
        "
            input>passages passages>model model>result
        ",
    );
}

#[test]
fn support_triage() {
    assert_becomes(
        "support-triage.yml",
        r##"
            start message
            question_classifier model
            billing model
            answer_billing send_message
            answer_broken send_message
        "##,
        "
            question_classifier>question_classifier_switch start>question_classifier
            question_classifier_switch.1 Refunds and invoices>billing question_classifier_switch.2 Something is
            broken>answer_broken billing>answer_billing
        ",
    );
}

#[test]
fn webhook_enrichment() {
    assert_becomes(
        "webhook-enrichment.yml",
        r##"
            webhook webhook
            extract model
            save http partial: its URL had no scheme: https is assumed; its header Authorization is left out: keep secrets in a credential; when it fails, its output is null instead of its default value
            end send_result partial: `{{#ex.__is_success#}}` is not translated: a failed extraction fails the node, so there is no success flag
        "##,
        "
            webhook>extract extract>save save>end
        ",
    );
}

#[test]
fn values_are_named_by_their_new_paths() {
    let imported = file("support-triage.yml");
    let cases = json!([
        {"name": "1 Refunds and invoices", "expression": "nodes.question_classifier.output.class == 'Refunds and invoices'"},
        {"name": "2 Something is broken", "expression": "nodes.question_classifier.output.class == 'Something is broken'"},
    ]);
    assert_eq!(config(&imported, "question_classifier_switch")["cases"], cases);
    let broken = "We are on it: {{ nodes.question_classifier.output.class }} {{ '{{' }}not this}}";
    assert_eq!(config(&imported, "answer_broken"), json!({"text": broken}));

    let imported = file("lead-scoring.yml");
    let cases = config(&imported, "size")["cases"].clone();
    let size = "(nodes.lead.output.employees >= 100) && (!(!has(nodes.lead.output.company) || nodes.lead.output.company in [null, '', [], {}]))";
    assert_eq!(cases[0]["expression"], size);
    let plan = "(nodes.lead.output.plan in (['team', 'enterprise'])) || (nodes.lead.output.company.contains(untranslated['{{#env.partner#}}']))";
    assert_eq!(cases[1]["expression"], plan);
    let either = "has(nodes.big.output) ? nodes.big.output : nodes.score_it.output.result";
    assert_eq!(config(&imported, "either"), json!({"value": either}));

    let imported = file("webhook-enrichment.yml");
    let body = "{'company': nodes.extract.output.company, 'size': nodes.extract.output.size, 'of': string(nodes.extract.output.company) + ' (' + string(nodes.extract.output.branch) + ')'}";
    assert_eq!(config(&imported, "save")["body"], json!({"type": "json", "value": body}));
    assert_eq!(config(&imported, "save")["onError"], "continue");

    let imported = file("iterate-reviews.yml");
    let each = json!({"items": "nodes.latest.output.result", "concurrency": 20, "onItemError": "skip"});
    assert_eq!(config(&imported, "each_review"), each);
    assert_eq!(config(&imported, "judge")["prompt"], "{{ vars.item }} no. {{ vars.index }}");

    let imported = file("scheduled-report.yml");
    assert_eq!(config(&imported, "every_morning"), json!({"cron": "30 9 * * MON,FRI", "zone": "Europe/Madrid"}));
    assert_eq!(config(&imported, "fetch")["retry"]["maxAttempts"], 4);
    let archive = "{'text': 'Digest: ' + string(nodes.summarize.output), 'raw': nodes.fetch.output.body, 'keep': 7}";
    assert_eq!(config(&imported, "archive")["input"], archive);
}

#[test]
fn first_and_last_of_an_empty_list_are_null() {
    let node = json!({"type": "list-operator", "title": "Cut", "variable": ["go", "list"], "limit": {"enabled": true, "size": 2}});
    let fields = config(&app_with(node), "cut")["fields"].clone();
    let cut = |list: Value| {
        let variables = serde_json::Map::from_iter([("nodes".to_owned(), json!({"go": {"output": {"list": list}}}))]);
        let scope = Scope::new(&variables, jiff::Timestamp::UNIX_EPOCH);
        ["result", "first_record", "last_record"]
            .map(|field| Expression::parse(fields[field].as_str().unwrap()).unwrap().evaluate(&scope).unwrap().0)
    };
    assert_eq!(cut(json!([])), [json!([]), json!(null), json!(null)]);
    assert_eq!(cut(json!([1, 2, 3])), [json!([1, 2]), json!(1), json!(2)]);
}

/// An app of a start node and another one.
fn app_with(node: Value) -> Imported {
    let nodes = json!([{"id": "go", "data": {"type": "start", "title": "Go"}}, {"id": "it", "data": node}]);
    let workflow = json!({"graph": {"nodes": nodes, "edges": [{"source": "go", "target": "it"}]}});
    read_sound(
        &json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": workflow}).to_string(),
    )
}

#[test]
fn code_in_javascript_is_called_with_its_variables() {
    let code = "function main({a, b}) {\n  return {sum: a + b, key: 'sk-proj-0123456789abcdefghijklmnop'};\n}\n";
    let variables =
        json!([{"variable": "a", "value_selector": ["go", "a"]}, {"variable": "b", "value_selector": ["go", "b c"]}]);
    let of = |language: &str| json!({"type": "code", "title": "It", "code": code, "code_language": language, "variables": variables});
    let imported = app_with(of("javascript"));
    let expected = "function main({a, b}) {\n  return {sum: a + b, key: '(left out)'};\n}\n\n\
                    return main({\"a\": nodes?.go?.output?.a, \"b\": nodes?.go?.output?.['b c']});";
    assert_eq!(config(&imported, "it"), json!({"javascript": expected}));
    let imported = app_with(of("python3"));
    let javascript = config(&imported, "it")["javascript"].as_str().unwrap().to_owned();
    assert!(javascript.contains("\n// function main({a, b}) {\n//   return"), "{javascript}");
    assert!(javascript.contains("\nconst values = {\"a\": nodes?.go?.output?.a,"), "{javascript}");
}

#[test]
fn each_file_of_a_list_is_read() {
    let node = json!({"type": "document-extractor", "title": "It", "is_array_file": true, "variable_selector": ["go", "files"]});
    let imported = app_with(node);
    let each = json!({"file": "vars.item", "each": {"items": "nodes.go.output.files"}});
    assert_eq!(config(&imported, "it_files"), each);
    assert_eq!(config(&imported, "it")["fields"]["text"], "input.map(file, has(file.text) ? file.text : null)");
}

#[test]
fn no_binding_is_kept() {
    let expected = [
        "fetch: a credential (bearer)",
        "summarize: model gpt-4o-mini of openai",
        "send_to_slack: an MCP server with the tool `send_message` of `slack`",
        "archive: workflow `Archive`",
    ];
    assert_eq!(reconnected(&file("scheduled-report.yml")), expected);
}

#[test]
fn an_app_without_a_graph_becomes_a_chain() {
    let imported = file("support-chat.yml");
    assert_eq!(
        (imported.name.as_str(), imported.description.as_deref()),
        ("Handbook chat", Some("Answers from the handbook"))
    );
    let model = json!({
        "model": "gpt-3.5-turbo", "temperature": 0.2, "maxTokens": 512,
        "system": "You help people of {{ nodes.input.output.department }}. Never say {{ '{{' }} this that }}.",
        "prompt": "Passages:\n{{ nodes.passages.output | tojson }}\n\n{{ nodes.input.output.query }}",
    });
    assert_eq!(config(&imported, "model"), model);
}

#[test]
fn an_app_may_be_json() {
    for (name, text) in FILES {
        let document = serde_json::from_str(text).unwrap_or_else(|_| yaml::read(text).unwrap());
        assert_eq!(read(&document.to_string()).unwrap(), read(text).unwrap(), "{name}");
    }
}

#[test]
fn a_sound_app_can_be_published_as_it_is() {
    for name in ["iterate-reviews.yml", "agent-chat.yml", "completion.json"] {
        assert!(compile::compile(&file(name).graph).finish().0.is_some(), "{name}: {:?}", problems(&file(name)));
    }
}

#[test]
fn system_variables_come_from_the_trigger() {
    let app = |mode: &str, name: &str| {
        let prompt = format!("{{{{#sys.{name}#}}}} {{{{#go.sys.{name}#}}}}");
        let nodes = json!([
            {"id": "go", "data": {"type": "start", "title": "Go"}},
            {"id": "answer", "data": {"type": "answer", "title": "Answer", "answer": "x"}},
            {"id": "llm", "data": {"type": "llm", "title": "LLM", "model": {"name": "x"}, "prompt_template": [{"text": prompt}]}},
        ]);
        let edges = json!([{"source": "go", "target": "answer"}, {"source": "answer", "target": "llm"}]);
        let workflow = json!({"graph": {"nodes": nodes, "edges": edges}});
        let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": mode}, "workflow": workflow});
        let imported = read_sound(&app.to_string());
        let last_line = report_lines(&imported).lines().last().unwrap().to_owned();
        (config(&imported, "llm")["prompt"].as_str().unwrap().to_owned(), last_line)
    };
    let twice = |path: &str| format!("{{{{ {path} }}}} {{{{ {path} }}}}");
    assert_eq!(app("advanced-chat", "query"), (twice("nodes.go.output.text"), "llm model".to_owned()));
    assert_eq!(app("advanced-chat", "workflow_run_id"), (twice("run.id"), "llm model".to_owned()));
    assert_eq!(app("advanced-chat", "user_id").0, twice("nodes.go.output.participant.id"));
    assert_eq!(app("advanced-chat", "conversation_id").0, twice("nodes.go.output.threadId"));
    let (prompt, last_line) = app("advanced-chat", "dialogue_count");
    assert!(prompt.starts_with("{{ untranslated['"), "{prompt}");
    assert!(last_line.contains("a message has no `dialogue_count`"), "{last_line}");
    assert_eq!(app("workflow", "user_id"), (twice("nodes.go.output.user_id"), "llm model".to_owned()));
}

/// An app with these nodes after a start, in a row.
fn chain(mode: &str, start: Value, nodes: Vec<Value>, workflow: Value) -> Imported {
    let mut all = vec![json!({"id": "go", "data": start})];
    all.extend(nodes);
    let ids: Vec<Value> = all.iter().map(|node| node["id"].clone()).collect();
    let edges: Vec<Value> = ids.windows(2).map(|ends| json!({"source": ends[0], "target": ends[1]})).collect();
    let mut workflow = workflow;
    workflow["graph"] = json!({"nodes": all, "edges": edges});
    let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": mode}, "workflow": workflow});
    let imported = read_sound(&app.to_string());
    let errors: Vec<_> =
        problems(&imported).into_iter().filter(|problem| problem.severity == compile::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    imported
}

#[test]
fn conversation_variables_are_rows_of_a_table() {
    let item = |operation: &str, name: &str, value: Value| json!({"operation": operation, "input_type": "constant", "variable_selector": ["conversation", name], "value": value});
    let nodes = vec![
        json!({"id": "a", "data": {"type": "assigner", "title": "A", "items": [item("append", "seen", json!("x")), item("+=", "n", json!(2))]}}),
        json!({"id": "b", "data": {"type": "assigner", "title": "B", "items": [item("clear", "seen", json!(null))]}}),
        json!({"id": "c", "data": {"type": "code", "title": "C", "code_language": "python3", "code": "def main(s):\n    return {'r': s}", "variables": [{"variable": "s", "value_selector": ["conversation", "seen"]}]}}),
        json!({"id": "d", "data": {"type": "answer", "title": "D", "answer": "{{#conversation.seen#}} {{#conversation.n#}} {{#env.team#}}"}}),
    ];
    let variables = json!({
        "conversation_variables": [{"name": "seen", "value_type": "array[string]", "value": []}, {"name": "n", "value_type": "number", "value": 1}],
        "environment_variables": [{"name": "team", "value_type": "string", "value": "it's us"}],
    });
    let imported = chain("advanced-chat", json!({"type": "start", "title": "Go"}), nodes, variables);
    let state = "merge({'n': 1, 'seen': []}, (input + [{}]).first())";
    assert_eq!(
        config(&imported, "go")["value"],
        format!("merge(nodes.go_message.output, {{'conversation': {state}}})")
    );
    let filter = json!([{"field": "id", "value": "input.threadId"}]);
    assert_eq!(config(&imported, "go_conversation")["filters"], filter);
    let fields =
        json!({"seen": "nodes.go.output.conversation.seen + ['x']", "n": "nodes.go.output.conversation.n + (2)"});
    assert_eq!(config(&imported, "a")["fields"], fields);
    assert_eq!(config(&imported, "b")["fields"], json!({"seen": "[]"}));
    let saved = json!({"table": "conversations", "action": "upsert", "filters": [{"field": "id", "value": "nodes.go.output.threadId"}], "values": "input"});
    assert_eq!(config(&imported, "a_save"), saved);
    let code = config(&imported, "c")["javascript"].as_str().unwrap().to_owned();
    let value = "nodes?.b?.output?.seen ?? nodes?.a?.output?.seen ?? nodes?.go?.output?.conversation?.seen";
    assert!(code.contains(&format!("const values = {{\"s\": {value}}};")), "{code}");
    let text = config(&imported, "d")["text"].as_str().unwrap().to_owned();
    assert!(
        text.starts_with("{{ (nodes.b.output.seen if nodes.b.output.seen is defined else (nodes.a.output"),
        "{text}"
    );
    assert!(text.ends_with("{{ 'it\\'s us' }}"), "{text}");
}

#[test]
fn a_chat_with_a_form_starts_with_an_input() {
    let form = json!({"type": "start", "title": "Go", "variables": [
        {"variable": "topic", "type": "text-input", "required": true}, {"variable": "tone", "type": "select", "options": ["kind"], "default": "kind"},
        {"variable": "count", "type": "number", "required": false},
    ]});
    let answer = |id: &str, text: &str| json!({"id": id, "data": {"type": "answer", "title": id, "answer": text}});
    let nodes = vec![answer("one", "{{#sys.query#}} on {{#go.topic#}}"), answer("two", "{{#go.tone#}} {{#go.count#}}")];
    let imported = chain("advanced-chat", form, nodes, json!({}));
    assert_eq!(config(&imported, "go")["value"], "merge({'query': '', 'tone': 'kind', 'count': null}, input)");
    assert_eq!(config(&imported, "go_input")["schema"]["required"], json!(["topic", "query"]));
    let output = "{'answer': ((has(nodes.one.output) ? [nodes.one.output] : []) + [nodes.two.output]).join('')}";
    assert_eq!(config(&imported, "two_result")["output"], output);
}

#[test]
fn calls_keep_their_meaning() {
    let call = json!({"id": "h", "data": {
        "type": "http-request", "title": "Call", "method": "get", "url": "https://x.example.com", "timeout": {"max_read_timeout": 0},
        "authorization": {"type": "api-key", "config": {"type": "custom", "header": "X-Api-Key", "api_key": "S3CRET"}},
    }});
    let condition = json!({"comparison_operator": "is", "varType": "string", "value": "200", "variable_selector": ["h", "status_code"]});
    let check = json!({"id": "i", "data": {"type": "if-else", "title": "If", "cases": [{"case_id": "true", "conditions": [condition]}]}});
    let end = json!({"id": "e", "data": {"type": "answer", "title": "Say", "answer": "x"}});
    let imported = chain("workflow", json!({"type": "start", "title": "Go"}), vec![call, end, check], json!({}));
    assert_eq!(config(&imported, "call").get("timeoutMs"), None);
    assert_eq!(config(&imported, "if")["cases"][0]["expression"], "nodes.call.output.status == 200");
    assert_eq!(reconnected(&imported), ["call: a credential (header X-Api-Key)"]);
}

#[test]
fn known_tools_call_their_services() {
    let tool = |id: &str, name: &str, settings: Value, parameters: Value| {
        json!({"id": id, "data": {
            "type": "tool", "title": id, "provider_type": "builtin", "provider_name": "p", "tool_name": name, "tool_configurations": settings, "tool_parameters": parameters,
        }})
    };
    let nodes = vec![
        tool("now", "current_time", json!({"timezone": "Asia/Shanghai", "format": "%H:%M"}), json!({})),
        tool("page", "webscraper", json!({}), json!({"url": {"type": "mixed", "value": "https://{{#go.site#}}/"}})),
        tool(
            "find",
            "tavily_search",
            json!({"max_results": 3}),
            json!({"query": {"type": "mixed", "value": "{{#page.text#}}"}}),
        ),
        tool(
            "odd",
            "add rows",
            json!({}),
            json!({"sheet": {"type": "mixed", "value": "a"}, "token": {"type": "mixed", "value": "S3CRET"}}),
        ),
        json!({"id": "end", "data": {"type": "end", "title": "End", "outputs": [{"variable": "r", "value_selector": ["odd", "text"]}]}}),
    ];
    let imported = chain(
        "workflow",
        json!({"type": "start", "title": "Go", "variables": [{"variable": "site", "required": true}]}),
        nodes,
        json!({}),
    );
    assert_eq!(config(&imported, "now")["fields"]["text"], "now().date('%H:%M', 'Asia/Shanghai')");
    assert_eq!(
        config(&imported, "page_call"),
        json!({"url": "https://{{ nodes.go.output.site }}/", "response": "text"})
    );
    assert_eq!(config(&imported, "page")["fields"]["text"], "input.text");
    let body = "{'query': nodes.page.output.text, 'max_results': 3, 'search_depth': 'basic'}";
    assert_eq!(config(&imported, "find_call")["body"]["value"], body);
    let server = json!({"url": "https://to-be-chosen.invalid/mcp", "tool": "add_rows", "arguments": "{'sheet': 'a'}"});
    assert_eq!(config(&imported, "odd_call"), server);
    let expected = [
        "find: a credential of Tavily",
        "odd: an MCP server with the tool `add_rows` of `p`",
        "odd: a secret for the argument token",
    ];
    assert_eq!(reconnected(&imported), expected);
}

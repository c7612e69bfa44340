//! Realistic n8n workflows, with the complete translation of each.

use serde_json::json;

use super::*;

pub const FILES: [(&str, &str); 12] = [
    ("agent-with-tools.json", include_str!("../fixtures/n8n/agent-with-tools.json")),
    ("drawn-circle.json", include_str!("../fixtures/n8n/drawn-circle.json")),
    ("error-handling.json", include_str!("../fixtures/n8n/error-handling.json")),
    ("human-approval.json", include_str!("../fixtures/n8n/human-approval.json")),
    ("lead-scoring.json", include_str!("../fixtures/n8n/lead-scoring.json")),
    ("loop-over-items.json", include_str!("../fixtures/n8n/loop-over-items.json")),
    ("merge-sources.json", include_str!("../fixtures/n8n/merge-sources.json")),
    ("rag-chatbot.json", include_str!("../fixtures/n8n/rag-chatbot.json")),
    ("remind-customers.json", include_str!("../fixtures/n8n/remind-customers.json")),
    ("scheduled-report.json", include_str!("../fixtures/n8n/scheduled-report.json")),
    ("support-triage.json", include_str!("../fixtures/n8n/support-triage.json")),
    ("webhook-enrichment.json", include_str!("../fixtures/n8n/webhook-enrichment.json")),
];

#[test]
fn agent_with_tools() {
    assert_becomes(
        "agent-with-tools.json",
        r##"
            telegram_trigger code
            ai_agent agent
            anthropic_chat_model -
            memory - partial: is part of `AI Agent`: the agent knows the conversation of the message that starts the run, not its last 5 exchanges; its session key is not imported
            find_order -
            refund_tool - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            output_parser - partial: is part of `AI Agent`: the agent is given its schema, but its answers are not validated against it
            send send_message
        "##,
        "
            telegram_trigger_message>telegram_trigger telegram_trigger>ai_agent ai_agent>send
        ",
    );
}

#[test]
fn drawn_cycle() {
    assert_becomes(
        "drawn-circle.json",
        r##"
            tick schedule partial: the time zone was the server's: America/New_York, the default of n8n, is assumed; schedules have no seconds: it runs once a minute
            check_job http
            done code
            wait delay
            take code
            gmail placeholder unsupported: the trigger `emailReadImap` is not supported: start the run by webhook
            repeat loop partial: it was added for a cycle of nodes, and repeats it at most 1000 times
        "##,
        "
            gmail_start>gmail repeat.item>check_job check_job>done done.false>wait repeat.done>take gmail>take
            tick>repeat wait>repeat.next done.true>repeat.result
        ",
    );
}

#[test]
fn error_handling() {
    assert_becomes(
        "error-handling.json",
        r##"
            order webhook
            charge http partial: n8n retries all items of the node; here only the failed calls are retried
            outcome code
            mark_paid http
            wait_a_day delay
            declined fail
            alert http partial: several branches lead here: n8n runs a node for each of them in turn; here it runs once, so items may have another order, and `$runIndex` is 0
            odd_call placeholder unsupported: its HTTP method is computed or not supported
        "##,
        "
            order>charge charge>outcome outcome.0>mark_paid outcome.1>wait_a_day outcome.fallback>declined
            charge.error>alert outcome.error>alert odd_call>alert wait_a_day>odd_call
        ",
    );
}

#[test]
fn human_approval() {
    assert_becomes(
        "human-approval.json",
        r##"
            slack_trigger code partial: every message starts a run: the event filter is not imported
            understand model
            mistral -
            ask_editor review partial: people decide on the platform, not in the slack message
            approved code
            last_look review partial: it waited for a form: here a person continues the run
            whatsapp send_message
            archive placeholder unsupported: the operation `channel archive` of the type `slack` is not supported: call its service by http
            later delay
            run_archive workflow partial: it waits for the sub-workflow's result
        "##,
        "
            slack_trigger_message>slack_trigger slack_trigger>understand understand>ask_editor ask_editor>approved
            approved.true>last_look last_look>whatsapp approved.false>archive archive>later later>run_archive
        ",
    );
}

#[test]
fn lead_scoring() {
    assert_becomes(
        "lead-scoring.json",
        r##"
            lead_form code
            score code
            route code
            create_lead http
            near code
            append_to_sheet http partial: fields without a column in the sheet are not written
            nothing -
            give_up fail
        "##,
        "
            lead_form_page>lead_form append_to_sheet_header>append_to_sheet lead_form>score score>route route.0>create_lead
            route.1>near near.true>append_to_sheet_header near.false>give_up
        ",
    );
}

#[test]
fn loop_over_items() {
    assert_becomes(
        "loop-over-items.json",
        r##"
            when_clicking_test input
            customers http
            split_out code
            loop_over_items loop
            greet code
            send_mail http
            wait delay
            done - partial: left out: it was disabled; its input goes to the next nodes
            old_loop loop
            log_each workflow
        "##,
        "
            when_clicking_test>customers customers>split_out split_out>loop_over_items wait>loop_over_items.next
            loop_over_items.item>greet greet>send_mail send_mail>wait loop_over_items.done>old_loop log_each>old_loop.next
            old_loop.item>log_each
        ",
    );
}

#[test]
fn merge_sources() {
    assert_becomes(
        "merge-sources.json",
        r##"
            called input partial: it gets all fields that its caller sends, not only those that it declares
            weather http
            news http
            together code
            text code
            all code
        "##,
        "
            called>weather called>news weather>together news>together.in2 together>text text>all news>all.in2 all>result
        ",
    );
}

#[test]
fn rag_chatbot() {
    assert_becomes(
        "rag-chatbot.json",
        r##"
            when_chat_message_received code
            search_handbook retrieval partial: add the sources that it searches
            embeddings_openai - partial: was part of `Search Handbook`: add it to the agent, or to the node in its place
            answer model
            gemini -
            guardrails code partial: it checks the platform's own risk categories; it checked pii, nsfw
            reply send_message
            decline send_message
        "##,
        "
            when_chat_message_received_message>when_chat_message_received guardrails_check>guardrails
            when_chat_message_received>search_handbook search_handbook>answer answer>guardrails_check
            guardrails.passed>reply guardrails.flagged>decline
        ",
    );
}

#[test]
fn remind_customers() {
    assert_becomes(
        "remind-customers.json",
        r##"
            by_hand input
            invoices http
            split_out code
            unpaid code
            remind http
            gather code
            tell http
        "##,
        "
            by_hand>invoices invoices>split_out split_out>unpaid unpaid>remind remind>gather gather>tell
        ",
    );
}

#[test]
fn scheduled_report() {
    assert_becomes(
        "scheduled-report.json",
        r##"
            schedule schedule
            old_cron - partial: left out: it was disabled
            get_sales http partial: only the first page is requested: pagination is not imported; n8n retries all items of the node; here only the failed calls are retried; its header Authorization is left out: it looks like a secret; variables are not imported: replace `$vars.region` by its value
            count code
            write_report model
            cover image partial: its items have the URL of each image, not a file
            post http
        "##,
        "
            schedule>get_sales schedule_time>get_sales get_sales>count count>write_report write_report>cover
            write_report>post
        ",
    );
}

#[test]
fn support_triage() {
    assert_becomes(
        "support-triage.json",
        r##"
            webhook webhook
            normalize code
            classify code
            openai_chat_model -
            tell_billing http
            urgent code
            page_on_call http
            respond send_result partial: several branches lead here: n8n runs a node for each of them in turn; here it runs once, so items may have another order, and `$runIndex` is 0
            sticky_note -
        "##,
        "
            classify_choice>classify webhook>normalize normalize>classify_choice classify.0>tell_billing
            classify.1>urgent urgent.true>page_on_call classify.2>respond tell_billing>respond urgent.false>respond
            page_on_call>respond
        ",
    );
}

#[test]
fn webhook_enrichment() {
    assert_becomes(
        "webhook-enrichment.json",
        r##"
            webhook webhook partial: calls are authenticated by the webhook's own token
            look_up http
            found code
            shape code
            failed code
        "##,
        "
            webhook>look_up look_up>found found>shape look_up.error>failed shape>result failed>result
        ",
    );
}

#[test]
fn expressions_and_parameters_stay_as_they_are() {
    let imported = file("support-triage.json");
    let normalize = "return n8n.set({\n  assignments: {\n    assignments: [\n      {\n        name: \"email\",\n        \
                     value: () => $value(() => $json.body.email.toLowerCase().trim()),\n        type: \"string\"\n      },";
    let written = config(&imported, "normalize");
    assert!(written["javascript"].as_str().unwrap().starts_with(normalize), "{written:#}");
    let answer = "({ body: n8n.responseBody($text`{\n  \"received\": true,\n  \"email\": \"${() => $('Normalize').item.json.email}\",\n  \
                  \"priority\": ${() => $('Normalize').item.json.priority}\n}`) })";
    assert_eq!(config(&imported, "respond")["output"], json!({"js": answer}));

    let imported = file("error-handling.json");
    let body = "n8n.jsonBody($value(() => JSON.stringify({ amount: $json.body.amount * 100, currency: 'eur', order: $json.body.id })))";
    let charge = json!({
        "method": "POST", "url": "https://pay.example.com/charge", "timeoutMs": 8_000,
        "body": {"type": "json", "value": {"js": body}},
        "itemMode": {
            "result": {"js": "n8n.httpItems(output)"}, "error": {"js": "n8n.callError(output)"}, "onItemError": "branch",
        },
        "retry": {"maxAttempts": 3, "backoffMs": 1_000, "maxBackoffMs": 1_000},
    });
    assert_eq!(config(&imported, "charge"), charge);
    assert_eq!(config(&imported, "outcome")["outputs"], json!(["0", "1", "fallback", "error"]));

    let imported = file("loop-over-items.json");
    assert_eq!(config(&imported, "loop_over_items"), json!({"items": {"js": "n8n.batches(10)"}, "itemMode": {}}));
    let mail = "{ to: $value(() => $('Loop Over Items').item.json.email), text: $json.greeting }";
    assert_eq!(config(&imported, "send_mail")["body"], json!({"type": "json", "value": {"js": mail}}));
    assert_eq!(config(&imported, "when_clicking_test"), json!({"example": {"segment": "all"}}));

    let imported = file("scheduled-report.json");
    assert_eq!(config(&imported, "schedule"), json!({"cron": "30 8 * * 1,4", "zone": "Europe/Berlin"}));
    assert_eq!(config(&imported, "schedule_time"), json!({"cron": "0 18 L * *", "zone": "Europe/Berlin"}));
    assert_eq!(config(&imported, "get_sales")["itemMode"]["zone"], "Europe/Berlin");

    let imported = file("agent-with-tools.json");
    let agent = json!({
        "agentId": "00000000-0000-0000-0000-000000000000", "message": {"js": "$value(() => $json.message.text)"},
        "memory": true, "itemMode": {"result": {"js": "({ output: n8n.jsonBody(output) })"}},
    });
    assert_eq!(config(&imported, "ai_agent"), agent);
    assert!(config(&imported, "send").get("to").is_none());
}

#[test]
fn a_body_reads_the_loop_around_it() {
    let found = problems(&file("loop-over-items.json"));
    assert!(found.iter().all(|problem| problem.code != "unknown_reference"), "{found:?}");
}

#[test]
fn no_binding_is_kept() {
    let expected = [
        "telegram_trigger: a messaging channel in place of telegram",
        "telegram_trigger: credential `Bot` (telegramApi)",
        "anthropic_chat_model: credential `Anthropic` (anthropicApi)",
        "send: a messaging channel for telegram",
    ];
    assert_eq!(reconnected(&file("agent-with-tools.json")), expected);
    let agent = &file("agent-with-tools.json").agents[0].fields;
    assert!(agent["config"]["instructions"].as_str().unwrap().starts_with("You help with orders."), "{agent}");
}

#[test]
fn a_sound_workflow_can_be_published_as_it_is() {
    for (name, published) in [
        ("support-triage.json", true),
        ("webhook-enrichment.json", true),
        ("loop-over-items.json", true),
        ("remind-customers.json", true),
        ("drawn-circle.json", true),
    ] {
        assert_eq!(
            compile::compile(&file(name).graph).finish().0.is_some(),
            published,
            "{name}: {:?}",
            problems(&file(name))
        );
    }
}

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
            telegram_trigger message
            ai_agent agent partial: create an agent from the parts listed under `reconnect`, and select it
            anthropic_chat_model - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            memory - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            find_order - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            refund_tool - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            output_parser - partial: was part of `AI Agent`: add it to the agent, or to the node in its place
            send send_message
        "##,
        "
            telegram_trigger>ai_agent ai_agent>send
        ",
    );
}

#[test]
fn drawn_cycle() {
    assert_becomes(
        "drawn-circle.json",
        r##"
            tick schedule partial: the time zone was the server's: UTC is assumed; schedules have no seconds: it runs once a minute
            check_job http partial: it is part of a cycle: only a loop may form one
            done condition partial: it is part of a cycle: only a loop may form one
            wait delay partial: it is part of a cycle: only a loop may form one
            take transform partial: `{{ $json.result.match(/[a-z]+/)[0] }}` is not translated: regular expressions are not supported; `{{ $jmespath($json, 'a.b') }}` is not translated: `$jmespath` is not supported
            gmail placeholder unsupported: the trigger `gmailTrigger` is not supported: start the run by webhook
        "##,
        "
            gmail_start>gmail tick>check_job wait>check_job check_job>done done.false>wait done.true>take gmail>take
        ",
    );
}

#[test]
fn error_handling() {
    assert_becomes(
        "error-handling.json",
        r##"
            order webhook
            charge http
            outcome switch
            mark_paid http
            wait_a_day delay
            declined fail
            alert send_message partial: the output of the first of Charge, Outcome, Odd Call that ran is taken
            odd_call placeholder unsupported: its HTTP method is computed or not supported
        "##,
        "
            order>charge charge>outcome outcome.paid>mark_paid outcome.pending>wait_a_day
            outcome.default>declined charge.error>alert outcome.error>alert odd_call>alert wait_a_day>odd_call
        ",
    );
}

#[test]
fn human_approval() {
    assert_becomes(
        "human-approval.json",
        r##"
            slack_trigger message partial: every message starts a run: the event filter is not imported
            understand model
            mistral -
            ask_editor review partial: people decide on the platform, not in the slack message; every decision continues the same way, as before
            approved condition
            last_look review partial: it waited for a form: here a person continues the run
            whatsapp send_message
            archive placeholder unsupported: the operation `channel archive` of slack is not supported: call it by http
            later delay
            run_archive workflow partial: it waits for the sub-workflow's result
        "##,
        "
            slack_trigger>understand understand>ask_editor ask_editor.approved>approved
            ask_editor.rejected>approved ask_editor.expired>approved approved.true>last_look
            last_look.approved>whatsapp last_look.rejected>whatsapp last_look.expired>whatsapp
            approved.false>archive archive>later later>run_archive
        ",
    );
}

#[test]
fn lead_scoring() {
    assert_becomes(
        "lead-scoring.json",
        r##"
            lead_form input partial: form pages are not supported: send the fields as the run's input
            score transform
            route switch
            create_lead http
            near condition
            append_to_sheet placeholder unsupported: the type `googleSheets` is not supported: call its service by http
            nothing -
            give_up fail
        "##,
        "
            lead_form>score score>route route.50>create_lead route.5>near route.default>near
            near.true>append_to_sheet near.false>give_up
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
            split_out transform partial: its output is the list: use a loop for its elements
            loop_over_items loop partial: it loops over a list: check that `nodes.split_out.output` is one; it processes the elements one by one, not in batches
            greet transform partial: the other fields of the input are not passed on: add those that are needed
            send_mail http
            wait delay
            done - partial: left out: it was disabled; its input goes to the next nodes
            old_loop loop partial: it loops over a list: check that `nodes.loop_over_items.output` is one
            log_each loop partial: it loops over a list: check that `vars.item` is one
        "##,
        "
            log_each.item>log_each_run log_each_run>log_each.next when_clicking_test>customers
            customers>split_out split_out>loop_over_items wait>loop_over_items.next loop_over_items.item>greet
            greet>send_mail send_mail>wait loop_over_items.done>old_loop log_each.done>old_loop.next
            old_loop.item>log_each
        ",
    );
}

#[test]
fn merge_sources() {
    assert_becomes(
        "merge-sources.json",
        r##"
            called input
            weather http
            news http
            together merge partial: its output is the list of its inputs, not their combined fields
            text transform partial: a merge gives a list of its inputs: the first one is taken
            all merge
        "##,
        "
            called>weather called>news weather>together news>together together>text text>all news>all all>result
        ",
    );
}

#[test]
fn rag_chatbot() {
    assert_becomes(
        "rag-chatbot.json",
        r##"
            when_chat_message_received message
            search_handbook retrieval partial: add the sources that it searches
            embeddings_openai - partial: was part of `Search Handbook`: add it to the agent, or to the node in its place
            answer model partial: a node has one output here, not a list of items
            gemini -
            guardrails guard partial: it checks the platform's own risk categories; it checked pii, nsfw
            reply send_message
            decline send_message
        "##,
        "
            when_chat_message_received>search_handbook search_handbook>answer answer>guardrails
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
            split_out loop partial: the other fields of the input are not passed on: add those that are needed
            unpaid condition partial: it passes or drops one value; it does not select items
            remind http
            gather transform
            tell send_message
        "##,
        "
            by_hand>invoices invoices>split_out remind>split_out.next split_out.item>unpaid unpaid.true>remind
            split_out.done>gather gather>tell
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
            get_sales http partial: its header Authorization is left out: keep secrets in a credential; variables are not imported: replace `vars.region` by its value; only the first page is requested: pagination is not imported; calls are sent one at a time: batching is not imported
            count placeholder unsupported: code is not supported: use transform, template or http instead
            write_report model
            cover image
            post send_message
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
            normalize transform
            classify model
            openai_chat_model -
            tell_billing send_message
            urgent condition
            page_on_call send_message
            respond send_result
            sticky_note -
        "##,
        "
            classify>classify_switch webhook>normalize normalize>classify classify_switch.1 Billing>tell_billing
            classify_switch.2 Technical>urgent urgent.true>page_on_call classify_switch.default>respond
            tell_billing>respond urgent.false>respond page_on_call>respond
        ",
    );
}

#[test]
fn webhook_enrichment() {
    assert_becomes(
        "webhook-enrichment.json",
        r##"
            webhook webhook partial: calls are authenticated by the webhook's own token
            look_up http partial: a response with an error status fails the node: `neverError` is not imported
            found condition partial: it passes or drops one value; it does not select items
            shape transform
            failed transform
        "##,
        "
            webhook>look_up look_up>found found.true>shape look_up.error>failed shape>result failed>result
        ",
    );
}

#[test]
fn values_are_named_by_their_new_paths() {
    let imported = file("support-triage.json");
    let fields = &config(&imported, "normalize")["fields"];
    assert_eq!(fields["email"], "input.body.email.lower().trim()");
    assert_eq!(fields["tags"], "['support', 'web']");
    let answer =
        "{'received': true, 'email': nodes.normalize.output.email, 'priority': nodes.normalize.output.priority}";
    assert_eq!(config(&imported, "respond"), json!({"output": answer}));

    let imported = file("error-handling.json");
    let charge = json!({
        "method": "POST", "url": "https://pay.example.com/charge", "timeoutMs": 8_000, "onError": "branch",
        "body": {"type": "json", "value": "{'amount': input.body.amount * 100, 'currency': 'eur', 'order': input.body.id}"},
        "retry": {"maxAttempts": 3, "backoffMs": 1_000, "maxBackoffMs": 1_000},
    });
    assert_eq!(config(&imported, "charge"), charge);
    let cases = config(&imported, "outcome")["cases"].clone();
    // The first condition ignores case, the second does not.
    assert_eq!(cases[0]["expression"], "nodes.charge.output.body.status.lower() == 'paid'");
    assert_eq!(cases[1]["expression"], "nodes.charge.output.body.status.startsWith('pend')");

    let imported = file("lead-scoring.json");
    let near = "(nodes.score.output.lead.country == 'ES') || (nodes.route.output.lead.country.matches('(?i)^P[TL]$'))";
    assert_eq!(config(&imported, "near"), json!({"expression": near}));

    let imported = file("loop-over-items.json");
    assert_eq!(config(&imported, "loop_over_items"), json!({"items": "nodes.split_out.output"}));
    assert_eq!(config(&imported, "split_out"), json!({"value": "nodes.customers.output.body.data.rows"}));
    let mail = "{'to': vars.item.email, 'text': nodes.greet.output.greeting}";
    assert_eq!(config(&imported, "send_mail")["body"], json!({"type": "json", "value": mail}));
    assert_eq!(config(&imported, "when_clicking_test"), json!({"example": {"segment": "all"}}));

    let imported = file("scheduled-report.json");
    assert_eq!(config(&imported, "schedule"), json!({"cron": "30 8 * * 1,4", "zone": "Europe/Berlin"}));
    assert_eq!(config(&imported, "schedule_time"), json!({"cron": "0 18 L * *", "zone": "Europe/Berlin"}));

    let imported = file("agent-with-tools.json");
    let agent =
        json!({"agentId": "00000000-0000-0000-0000-000000000000", "message": "{{ input.text }}", "memory": true});
    assert_eq!(config(&imported, "ai_agent"), agent);
}

#[test]
fn no_binding_is_kept() {
    let expected = [
        "telegram_trigger: a messaging channel in place of telegram",
        "telegram_trigger: credential `Bot` (telegramApi)",
        "ai_agent: an agent: model claude-3-5-sonnet; tools `Find Order`, `Refund Tool`; memory `Memory`; output parser `Output Parser`; its instructions",
        "anthropic_chat_model: credential `Anthropic` (anthropicApi)",
        "send: a messaging channel for telegram",
    ];
    assert_eq!(reconnected(&file("agent-with-tools.json")), expected);
    let original = file("agent-with-tools.json").report.nodes[1].original.clone().unwrap();
    assert_eq!(original["parameters"]["options"]["systemMessage"], "You help with orders.");
}

#[test]
fn a_sound_workflow_can_be_published_as_it_is() {
    for (name, published) in [
        ("support-triage.json", true),
        ("webhook-enrichment.json", true),
        ("loop-over-items.json", true),
        ("remind-customers.json", true),
        ("drawn-circle.json", false),
    ] {
        assert_eq!(
            compile::compile(&file(name).graph).finish().0.is_some(),
            published,
            "{name}: {:?}",
            problems(&file(name))
        );
    }
}

//! Realistic Dify apps, with the complete translation of each.

use super::*;

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

//! Agents that work with other agents: as members of a team, or as tools.

use super::*;

#[test]
fn an_agent_calls_another_one_as_a_tool() {
    let other = tool("expert", ToolTarget::Agent { agent_id: id(2) });
    let gone = tool("gone", ToolTarget::Agent { agent_id: id(3) });
    let mut play = Play::new(vec![agent(1, vec![other, gone]), agent(2, vec![lookup("lookup")])]);
    play.answer(calls(&[("expert", r#"{"message": "Find order 7."}"#), ("gone", "{}")]));
    let config = play.answer(calls(&[("lookup", r#"{"id": "7"}"#)]));
    assert_eq!(contents(&config), ["system: You are agent 2.", "user: Find order 7."]);
    play.answer(json!({"status": 200, "body": "found"}));
    play.answer(text("It is in Madrid."));
    let config = play.answer(text("Madrid."));
    assert_eq!(contents(&config)[3], "tool: It is in Madrid.");
    assert!(contents(&config)[4].contains("agent_not_found"));
    assert_eq!(play.output(), "Madrid.");
}

#[test]
fn agents_that_call_themselves_are_stopped() {
    let mut play = Play::new(vec![agent(1, vec![tool("me", ToolTarget::Agent { agent_id: id(1) })])]);
    for _ in 1..MAX_DEPTH {
        play.answer(calls(&[("me", r#"{"message": "Again."}"#)]));
    }
    play.answer(calls(&[("me", r#"{"message": "Again."}"#)]));
    assert!(contents(&play.answer(text("Enough.")))[3].contains("too_deep"));
    for _ in 1..MAX_DEPTH {
        play.answer(text("Enough."));
    }
    assert_eq!(play.output(), "Enough.");
}

#[test]
fn the_members_of_a_sequential_team_see_the_answer_before_theirs() {
    let mut play = Play::new(vec![team(1, Strategy::Sequential, &[2, 3]), agent(2, vec![]), agent(3, vec![])]);
    assert_eq!(contents(&play.answer(text("Draft.")))[1], "user: Where is order 7?");
    assert_eq!(contents(&play.answer(text("Final.")))[1], "user: Where is order 7?\n\nmember_2 answered:\nDraft.");
    assert_eq!(play.output(), "Final.");
    let messages = messages_of(play.run);
    assert_eq!((messages.len(), &messages[1]["content"]), (2, &json!("Final.")));
}

#[test]
fn a_router_lets_its_model_choose_one_member() {
    for choice in [calls(&[("member_3", "{}")]), text("I choose member_3.")] {
        let mut play = Play::new(vec![team(1, Strategy::Router, &[2, 3]), agent(2, vec![]), agent(3, vec![])]);
        let config = play.answer(choice);
        assert_eq!(config["tool_choice"], "required");
        assert_eq!(config["tools"][1]["function"]["description"], "Knows 3.");
        assert_eq!(contents(&play.answer(text("Here.")))[0], "system: You are agent 3.");
        assert_eq!(play.output(), "Here.");
    }
    let mut play = Play::new(vec![team(1, Strategy::Router, &[2, 22]), agent(2, vec![]), agent(22, vec![])]);
    play.answer(text("I choose member_22."));
    assert_eq!(contents(&play.answer(text("Here.")))[0], "system: You are agent 22.");
    let mut play = Play::new(vec![team(1, Strategy::Router, &[2]), agent(2, vec![])]);
    play.answer(text("Nobody."));
    assert_eq!(play.error(), "no_member_chosen");
}

#[test]
fn a_parallel_team_combines_the_answers_of_its_members() {
    let agents = || vec![team(1, Strategy::Parallel, &[2, 3]), agent(2, vec![]), agent(3, vec![])];
    let mut play = Play::new(agents());
    assert_eq!(play.open.len(), 2, "both members are asked at once");
    play.fail("provider_error");
    play.answer(text("Yes."));
    let config = play.answer(text("Together: yes."));
    assert_eq!(contents(&config)[1], "user: Where is order 7?\n\nmember_3 answered:\nYes.");
    assert_eq!(play.output(), "Together: yes.");
    let mut play = Play::new(agents());
    play.fail("provider_error");
    play.fail("provider_error");
    assert_eq!(play.error(), "provider_error");
}

#[test]
fn an_end_leaves_the_calls_that_are_open() {
    let limits = AgentLimits { max_steps: 2, ..AgentLimits::default() };
    let agents = vec![team(1, Strategy::Parallel, &[2, 3]), agent(2, vec![lookup("lookup")]), agent(3, vec![])];
    let mut play = Play::with(agents, limits, FunctionExecutor::Person);
    play.answer(calls(&[("lookup", "{}")]));
    assert_eq!(play.error(), "agent_limit");
    assert_eq!(play.run.open_calls().count(), 1, "the other member is still asked");
    play.answer(text("Too late."));
    assert_eq!(play.error(), "agent_limit");
}

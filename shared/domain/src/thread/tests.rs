//! The rules of `ThreadControl`, for any order of steps.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::Error;
use crate::id::RunId;

const PERMIT: Uuid = Uuid::nil();

fn at(seconds: i64) -> Time {
    Time::from_millis(1_790_000_000_000 + seconds * 1_000)
}

fn message(number: u64, position: u64) -> WaitingMessage {
    WaitingMessage { position, number }
}

fn begin(control: &ThreadControl, author: &Author, now: Time) -> SendPermit {
    control.begin_send(author, PERMIT, now).unwrap()
}

#[test]
fn waiting_messages_have_the_order_of_the_provider() {
    let mut control = ThreadControl::default();
    for (number, position) in [(1, 30), (2, 10), (3, 20), (4, 10)] {
        control = control.receive(message(number, position));
    }
    let mut answered = Vec::new();
    while let Some(next) = control.next_message() {
        let run = RunId::new();
        control = control.start_run(run, BusyPolicy::Enqueue);
        assert_eq!(control.next_message(), None, "one run at a time");
        control = control.end_run(run).unwrap();
        answered.push(next.number);
    }
    assert_eq!((answered, control.state()), (vec![2, 4, 3, 1], ThreadState::Idle));
}

#[test]
fn messages_that_find_too_many_waiting_start_no_run() {
    let mut control = ThreadControl::default();
    for number in 1..=MAX_WAITING as u64 {
        control = control.receive(message(number, number));
    }
    let first = control.next_message();
    assert_eq!(control.clone().receive(message(101, 0)), control);
    // The end of a run makes room.
    let run = RunId::new();
    let next = control.start_run(run, BusyPolicy::Enqueue).end_run(run).unwrap().receive(message(102, 102));
    assert_eq!((first, next.waiting.len()), (Some(message(1, 1)), MAX_WAITING));
    assert_eq!(next.waiting.last(), Some(&message(102, 102)));
}

#[test]
fn the_busy_policy_of_the_run_decides_about_new_messages() {
    let run = RunId::new();
    let during = |busy| {
        let control = ThreadControl::default().receive(message(1, 1)).start_run(run, busy);
        let control = control.receive(message(2, 2));
        (control.waiting.len(), control.interrupted_run())
    };
    assert_eq!(during(BusyPolicy::Enqueue), (1, None));
    assert_eq!(during(BusyPolicy::Interrupt), (1, Some(run)));
    assert_eq!(during(BusyPolicy::Reject), (0, None));
}

#[test]
fn only_the_holder_writes_and_releases() {
    let taken = ThreadControl::default().take("ada", at(0)).unwrap();
    assert_eq!(taken.clone().take("ada", at(9)).unwrap(), taken, "a repeated take changes nothing");
    for refused in [taken.clone().take("bo", at(1)), taken.clone().release(Some("bo"))] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, Error::Conflict { code: "thread_taken", .. }), "{refused:?}");
    }
    let permit = |author: Author| taken.begin_send(&author, PERMIT, at(1));
    assert!(matches!(permit(Author::Operator("ada".to_owned())), Ok(SendPermit::Granted(_))));
    assert!(matches!(permit(Author::Operator("bo".to_owned())), Err(Error::Conflict { code: "thread_taken", .. })));
    assert!(matches!(permit(Author::Reminder), Err(Error::Conflict { code: "thread_taken", .. })));
    assert_eq!(permit(Author::Run(RunId::new())).unwrap(), SendPermit::Suppressed);
    for released in [taken.clone().release(Some("ada")), taken.clone().release(None)] {
        assert_eq!(released.unwrap().state(), ThreadState::Idle);
    }
}

#[test]
fn messages_of_a_taken_thread_start_no_run() {
    let taken = ThreadControl::default().receive(message(1, 1)).take("ada", at(0)).unwrap();
    let taken = taken.receive(message(2, 2));
    let released = taken.release(None).unwrap();
    assert_eq!((released.needs_run(), released.receive(message(3, 3)).needs_run()), (false, true));
}

#[test]
fn the_run_from_which_an_operator_took_over_sends_nothing_later() {
    let (run, next) = (RunId::new(), RunId::new());
    let control = ThreadControl::default().receive(message(1, 1)).start_run(run, BusyPolicy::Enqueue);
    let taken = control.take("ada", at(0)).unwrap();
    let released = taken.release(None).unwrap();
    assert_eq!(begin(&released, &Author::Run(run), at(1)), SendPermit::Suppressed);
    let again = released.end_run(run).unwrap().receive(message(2, 2)).start_run(next, BusyPolicy::Enqueue);
    assert_eq!(begin(&again, &Author::Run(run), at(1)), SendPermit::Suppressed);
    assert!(matches!(begin(&again, &Author::Run(next), at(1)), SendPermit::Granted(_)));
}

#[test]
fn one_delivery_at_a_time_until_its_permit_ends() {
    let (one, other) = (Author::Run(RunId::new()), Author::Reminder);
    let SendPermit::Granted(sending) = begin(&ThreadControl::default(), &one, at(0)) else { panic!("not granted") };
    assert_eq!(begin(&sending, &other, at(19)), SendPermit::Occupied(at(20)));
    assert!(matches!(begin(&sending, &other, at(20)), SendPermit::Granted(_)));
    assert_eq!(sending.clone().end_send(Uuid::max()), sending);
    assert!(matches!(begin(&sending.end_send(PERMIT), &other, at(1)), SendPermit::Granted(_)));
}

#[test]
fn one_message_is_dropped_without_the_others() {
    let control = ThreadControl::default().receive(message(1, 1)).receive(message(2, 2));
    assert_eq!(control.drop_message(1).next_message(), Some(message(2, 2)));
}

#[test]
fn a_participant_is_reminded_once_an_hour() {
    let SendPermit::Granted(reminded) = begin(&ThreadControl::default(), &Author::Reminder, at(0)) else {
        panic!("not granted")
    };
    let reminded = reminded.end_send(PERMIT);
    let again = reminded.begin_send(&Author::Reminder, PERMIT, at(60));
    assert!(matches!(again, Err(Error::TooManyRequests { retry_after_s: 3_540, .. })), "{again:?}");
    assert!(matches!(begin(&reminded, &Author::Reminder, at(3_600)), SendPermit::Granted(_)));
}

/// What may happen to a thread.
#[derive(Clone, Debug)]
enum Step {
    Receive,
    StartRun,
    EndRun,
    Take(bool),
    Release,
    BeginSend {
        by_run: bool,
        process: usize,
    },
    /// The provider accepts the message of the process.
    Accept(usize),
    EndSend(usize),
    Wait(i64),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Receive),
        2 => Just(Step::StartRun),
        2 => Just(Step::EndRun),
        2 => any::<bool>().prop_map(Step::Take),
        1 => Just(Step::Release),
        4 => (any::<bool>(), 0..2usize).prop_map(|(by_run, process)| Step::BeginSend { by_run, process }),
        3 => (0..2usize).prop_map(Step::Accept),
        3 => (0..2usize).prop_map(Step::EndSend),
        1 => (1i64..30).prop_map(Step::Wait),
    ]
}

proptest! {
    /// A take is answered when no delivery is in flight. From then on, the provider accepts no message of a run until the
    /// thread is released. Two processes send, each with permits of its own; a process sends nothing after its permit, but
    /// may report its end late.
    #[test]
    fn a_bot_never_answers_over_a_human(steps in prop::collection::vec(any_step(), 1..80)) {
        let (mut control, mut now, mut number) = (ThreadControl::default(), at(0), 0);
        let mut in_flight: [Option<(Author, Sending)>; 2] = [None, None];
        let mut take_is_answered = false;
        for step in steps {
            match step {
                Step::Receive => {
                    number += 1;
                    control = control.receive(message(number, number));
                }
                Step::StartRun if control.needs_run() => control = control.start_run(RunId::new(), BusyPolicy::Enqueue),
                Step::EndRun => {
                    if let Some(run) = control.run {
                        control = control.end_run(run).unwrap();
                    }
                }
                Step::Take(is_ada) => {
                    let operator = if is_ada { "ada" } else { "bo" };
                    control = control.clone().take(operator, now).unwrap_or(control);
                }
                Step::Release => {
                    control = control.release(None).unwrap();
                    take_is_answered = false;
                }
                Step::BeginSend { by_run, process } => {
                    let author = if by_run { Author::Run(RunId::new()) } else { Author::Operator("ada".to_owned()) };
                    let permit = control.begin_send(&author, Uuid::now_v7(), now);
                    if let (None, Ok(SendPermit::Granted(granted))) = (&in_flight[process], permit) {
                        in_flight[process] = granted.sending.clone().map(|sending| (author, sending));
                        control = granted;
                    }
                }
                Step::Accept(process) => {
                    if let Some((author, sending)) = &in_flight[process] && now < sending.until {
                        let is_human = matches!(author, Author::Operator(_));
                        prop_assert!(is_human || !take_is_answered, "a run sent a message after the take");
                    }
                }
                Step::EndSend(process) => {
                    if let Some((_, sending)) = in_flight[process].take() {
                        control = control.end_send(sending.permit);
                    }
                }
                Step::Wait(seconds) => now = now.plus(std::time::Duration::from_secs(seconds.unsigned_abs())),
                Step::StartRun => {}
            }
            take_is_answered |= control.hold.is_some() && control.sending_until(now).is_none();
            prop_assert!(control.hold.is_none() || control.waiting.is_empty());
        }
    }
}

#[test]
fn a_participant_waits_for_the_operator_until_an_answer_or_the_release() {
    let control = ThreadControl::default().receive(message(1, 1));
    assert!(!control.waits_for_operator(), "the bot answers");
    let held = control.take("Bo", at(0)).unwrap();
    assert!(held.waits_for_operator());
    let answered = held.answer();
    assert!(!answered.waits_for_operator());
    let again = answered.receive(message(2, 2));
    assert!(again.waits_for_operator());
    assert!(!again.release(Some("Bo")).unwrap().waits_for_operator());
}

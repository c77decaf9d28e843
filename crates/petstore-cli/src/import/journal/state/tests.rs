//! Tests the states of lines that result from the entries of a journal.

use super::*;

const KEY: &str = "key";

fn state() -> State {
    State::new(&Fingerprint {
        length: 1_000,
        sha256: String::new(),
        lines: 100,
    })
}

fn moment(hours: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
}

fn sending(from: u64, to: u64, hours: i64) -> Entry {
    Entry::Sending {
        from,
        to,
        at: moment(hours),
        key: KEY.to_owned(),
    }
}

#[test]
fn a_line_is_in_flight_from_its_journal_entry_to_its_response() {
    let mut state = state();
    state.apply(sending(1, 4, 0)).expect("of this input");
    state
        .apply(Entry::Added { line: 2, id: 9 })
        .expect("of this input");
    let reason = "no".to_owned();
    state
        .apply(Entry::Refused { line: 3, reason })
        .expect("of this input");
    state
        .apply(Entry::Unsent { from: 4, to: 4 })
        .expect("of this input");
    let open: Vec<u64> = (1..=5).filter(|line| state.is_open(*line)).collect();
    assert_eq!(open, [1]);
    assert_eq!((state.added, state.refused, state.settled()), (1, 1, 2));
    state.apply(sending(1, 4, 1)).expect("of this input");
    assert!(!state.is_open(2), "what is done stays done");
}

#[test]
fn a_repeated_journal_entry_counts_once() {
    let mut state = state();
    for _ in 0..2 {
        state
            .apply(Entry::Added { line: 2, id: 9 })
            .expect("of this input");
    }
    assert_eq!(state.added, 1);
}

#[test]
fn a_line_can_be_sent_again_for_a_day_and_only_with_the_same_api_key() {
    let mut state = state();
    state.apply(sending(1, 4, 100)).expect("of this input");
    let can = |state: &State, hours, key| state.can_send_again(1, moment(hours), key);
    assert!(can(&state, 100, KEY) && can(&state, 123, KEY));
    assert!(!can(&state, 124, KEY), "a request takes a while");
    assert!(!can(&state, 100, "another"));
    assert!(!can(&state, 99, KEY), "a clock was set back");
    state.apply(sending(1, 1, 130)).expect("of this input");
    assert!(can(&state, 131, KEY), "it was announced anew");
}

#[test]
fn the_window_of_lines_to_resend_ends_before_a_line_that_was_sent_earlier() {
    let mut state = state();
    state.apply(sending(8, 8, 0)).expect("of this input");
    assert_eq!(state.untouched_from(5, 50), 7);
    assert_eq!(state.untouched_from(9, 50), 58);
    assert_eq!(state.untouched_from(90, 50), 100);
}

#[test]
fn a_journal_entry_for_a_line_that_is_not_in_the_input_is_an_error() {
    assert!(state().apply(sending(1, 101, 0)).is_err());
    assert!(state().apply(Entry::Skipped { line: 0 }).is_err());
}

//! Decides whether a pattern rejects a text that another pattern allows.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::start;
use std::collections::{HashSet, VecDeque};
use std::ops::RangeInclusive;

/// How many pairs of states are tried before the comparison stops without a result.
const MOST_PAIRS: usize = 5_000;

/// Returns a shortest string, with a length in this range, that the first pattern matches but the second does not, if
/// one is found. Only strings of ASCII characters are tried. Patterns with look-around are not compared.
pub(super) fn rejected(old: &str, new: &str, lengths: &RangeInclusive<u64>) -> Option<String> {
    let (mut old, mut new) = (Pattern::new(old)?, Pattern::new(new)?);
    let (least, most) = (*lengths.start(), *lengths.end());
    let mut seen = HashSet::new();
    let mut open = VecDeque::from([(old.start()?, new.start()?, String::new())]);
    while let Some((from, to, text)) = open.pop_front() {
        let length = text.len() as u64;
        if length >= least && old.matches(from)? && !new.matches(to)? {
            return Some(text);
        }
        if length == most || seen.len() > MOST_PAIRS {
            continue;
        }
        for letter in (b' '..=b'~').chain(*b"\t\n") {
            let (from, to) = (old.next(from, letter)?, new.next(to, letter)?);
            // The new pattern matches every longer string, or the old pattern matches none of them.
            let is_decided = to.is_matched || (from.state.is_dead() && !from.is_matched);
            if !is_decided && seen.insert((from, to, (length + 1).min(least))) {
                open.push_back((from, to, format!("{text}{}", char::from(letter))));
            }
        }
    }
    None
}

/// A pattern as an automaton whose states are computed when they are needed.
struct Pattern {
    automaton: DFA,
    cache: Cache,
}

/// The states that are possible after reading a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Read {
    state: LazyStateID,
    /// Whether the pattern already matches a part of the string, so that the rest does not matter.
    is_matched: bool,
}

impl Pattern {
    fn new(text: &str) -> Option<Self> {
        let settings = DFA::config().unicode_word_boundary(true);
        let automaton = DFA::builder().configure(settings).build(text).ok()?;
        let cache = automaton.create_cache();
        Some(Pattern { automaton, cache })
    }

    fn start(&mut self) -> Option<Read> {
        let state = (self.automaton).start_state(&mut self.cache, &start::Config::new());
        self.read(state.ok()?, false)
    }

    fn next(&mut self, read: Read, letter: u8) -> Option<Read> {
        let state = (self.automaton).next_state(&mut self.cache, read.state, letter);
        self.read(state.ok()?, read.is_matched)
    }

    /// Returns whether the string matches if it ends here.
    fn matches(&mut self, read: Read) -> Option<bool> {
        let end = (self.automaton).next_eoi_state(&mut self.cache, read.state);
        Some(self.read(end.ok()?, read.is_matched)?.is_matched)
    }

    fn read(&self, state: LazyStateID, was_matched: bool) -> Option<Read> {
        // After the cache has been cleared, its earlier states are no longer valid.
        let is_known = self.cache.clear_count() == 0 && !state.is_quit();
        is_known.then_some(Read {
            state,
            is_matched: was_matched || state.is_match(),
        })
    }
}

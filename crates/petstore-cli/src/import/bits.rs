//! A set of line numbers with one bit for each: 100 million lines need 12
//! megabytes.

const BITS: u64 = 64;

/// A set of line numbers.
#[derive(Debug, Default)]
pub(super) struct Lines(Vec<u64>);

impl Lines {
    pub(super) fn contains(&self, line: u64) -> bool {
        let (word, bit) = place(line);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Whether it is new.
    pub(super) fn insert(&mut self, line: u64) -> bool {
        let (word, bit) = place(line);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    pub(super) fn remove(&mut self, line: u64) {
        let (word, bit) = place(line);
        if let Some(bits) = self.0.get_mut(word) {
            *bits &= !bit;
        }
    }
}

fn place(line: u64) -> (usize, u64) {
    let word = usize::try_from(line / BITS).expect("a line of a file that was read to its end");
    (word, 1 << (line % BITS))
}

/// Line numbers as people write them: `3, 5-7`.
#[derive(Debug, Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a line, which comes after those that are there.
    pub(super) fn push(&mut self, line: u64) {
        match self.0.last_mut() {
            Some((_, to)) if *to + 1 == line => *to = line,
            _ => self.0.push((line, line)),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|(from, to)| to - from + 1).sum()
    }
}

impl std::fmt::Display for Ranges {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (from, to)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            match from == to {
                true => write!(f, "{comma}{from}")?,
                false => write!(f, "{comma}{from}-{to}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_in_the_set_from_when_it_is_added_until_it_is_taken_out() {
        let mut lines = Lines::default();
        assert!(lines.insert(64));
        assert!(!lines.insert(64), "it is there");
        assert!(lines.contains(64) && !lines.contains(63) && !lines.contains(9_999));
        lines.remove(64);
        lines.remove(9_999);
        assert!(!lines.contains(64));
    }

    #[test]
    fn lines_that_follow_each_other_are_a_range() {
        let mut ranges = Ranges::default();
        [3, 5, 6, 7, 9]
            .into_iter()
            .for_each(|line| ranges.push(line));
        assert_eq!(
            (ranges.to_string().as_str(), ranges.count()),
            ("3, 5-7, 9", 5)
        );
    }
}

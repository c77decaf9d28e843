//! Components that are nothing but a reference to another one: where each
//! chain of them ends, and that it does end. Schemas are apart, in `cycles`.

use super::Reader;
use super::reference::{Section, parse};
use indexmap::IndexSet;
use std::collections::HashMap;

/// For each component, the one at the end of its chain: itself where it is no
/// reference, nothing where the chain breaks or runs in a circle.
pub(super) type Ends<'a> = HashMap<&'a str, Option<&'a str>>;

/// What a component leads on to.
enum Step<'a> {
    Nowhere,
    Next(&'a str),
    /// A reference that is at fault, which is reported where it is read.
    Broken,
}

impl<'a> Reader<'a> {
    /// Follows all chains once, and reports those that run in a circle.
    pub(super) fn follow_chains(&mut self) {
        for section in Section::ALL
            .into_iter()
            .filter(|section| *section != Section::Schemas)
        {
            let mut ends = Ends::new();
            for start in self.section_names(section) {
                self.follow(section, start, &mut ends);
            }
            self.ends.insert(section, ends);
        }
    }

    fn follow(&mut self, section: Section, start: &'a str, ends: &mut Ends<'a>) {
        let mut path: IndexSet<&'a str> = IndexSet::new();
        let mut name = start;
        let end = loop {
            if let Some(end) = ends.get(name) {
                break *end;
            }
            if let Some(begin) = path.get_index_of(name) {
                self.report_circle(section, path.iter().skip(begin).copied());
                break None;
            }
            path.insert(name);
            match self.step(section, name) {
                Step::Nowhere => break Some(name),
                Step::Next(next) => name = next,
                Step::Broken => break None,
            }
        };
        ends.extend(path.into_iter().map(|name| (name, end)));
    }

    fn step(&self, section: Section, name: &str) -> Step<'a> {
        let Some(reference) = self
            .component(section, name)
            .and_then(|node| node.get("$ref"))
        else {
            return Step::Nowhere;
        };
        match reference.as_str().and_then(|text| parse(text).ok()) {
            Some((found, next)) if found == section => self
                .component_name(section, &next)
                .map_or(Step::Broken, Step::Next),
            _ => Step::Broken,
        }
    }

    fn report_circle(&mut self, section: Section, names: impl Iterator<Item = &'a str> + Clone) {
        let last = names
            .clone()
            .last()
            .and_then(|name| self.component(section, name)?.get("$ref"));
        if let Some(reference) = last {
            let message = format!("the reference leads back to itself: {}", circle(names));
            self.error(
                "reference-cycle",
                &reference.at,
                message,
                "write out one of them",
            );
        }
    }
}

/// Shows a circle of names: each once, and the first again at its end. Of a
/// long one only the beginning and the end.
pub(super) fn circle<'n>(names: impl Iterator<Item = &'n str> + Clone) -> String {
    const SHOWN: usize = 8;
    let count = names.clone().count();
    let first = names.clone().next();
    let mut shown: Vec<&str> = names.clone().take(SHOWN).collect();
    if count > SHOWN {
        shown.push("…");
        shown.extend(names.skip(SHOWN.max(count - 1)));
    }
    shown.extend(first);
    shown.join(" -> ")
}

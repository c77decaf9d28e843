//! Records the requests to a service and its responses, and compares them with the data that the
//! service has afterwards.

use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::{Mutex, MutexGuard},
};

/// The requests and responses by the name of the pet. All clients share it.
#[derive(Default)]
pub struct Ledger(Mutex<BTreeMap<String, Entry>>);

/// One creation; each creation has a different name.
struct Entry {
    asked: Value,
    /// The pet, after a response contained it.
    told: Option<Value>,
    /// Whether the response to its creation confirmed it.
    answered: bool,
}

/// The result of comparing the stored pets with the requests and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub asked: usize,
    pub answered: usize,
    pub found: usize,
    /// Confirmed, but missing or different from the response.
    pub lost: usize,
    /// Names or ids that exist twice.
    pub doubled: usize,
    /// Stored, but never requested or different from the request.
    pub unasked: usize,
}

impl Ledger {
    pub fn ask(&self, pet: &Value) {
        let entry = Entry {
            asked: pet.clone(),
            told: None,
            answered: false,
        };
        let before = self.entries().insert(name_of(pet), entry);
        assert!(before.is_none(), "a name is asked for once");
    }

    pub fn answered(&self, pet: Value) {
        let mut entries = self.entries();
        let entry = entries
            .get_mut(&name_of(&pet))
            .expect("what is answered was asked");
        entry.told = Some(pet);
        entry.answered = true;
    }

    /// Returns the names of the pets that were confirmed so far.
    pub fn names_acknowledged(&self) -> HashSet<String> {
        let entries = self.entries();
        let answered = entries.iter().filter(|(_, entry)| entry.answered);
        answered.map(|(name, _)| name.clone()).collect()
    }

    /// Compares the stored pets with the records. A pet that was found once must be
    /// found again by later calls.
    pub fn compare(&self, found: &[Value]) -> Counts {
        let mut entries = self.entries();
        let mut counts = Counts {
            asked: entries.len(),
            answered: entries.values().filter(|entry| entry.answered).count(),
            found: found.len(),
            ..Counts::default()
        };
        let ids: HashSet<_> = found.iter().map(|pet| pet["id"].as_i64()).collect();
        let by_name: HashMap<_, _> = found.iter().map(|pet| (name_of(pet), pet)).collect();
        counts.doubled = (found.len() - ids.len()).max(found.len() - by_name.len());
        for (name, entry) in entries.iter_mut() {
            match (by_name.get(name), &entry.told) {
                (Some(pet), None) => entry.told = Some((*pet).clone()),
                (Some(pet), Some(told)) if *pet == told => {}
                (_, Some(_)) => counts.lost += 1,
                (None, None) => {}
            }
        }
        let as_asked = |pet: &Value| {
            let asked = entries.get(&name_of(pet)).map(|entry| &entry.asked);
            let mut pet = pet.clone();
            let mut given = |member| pet.as_object_mut().and_then(|pet| pet.remove(member));
            // A service of an earlier release has no versions. The pets in a ledger are never
            // changed.
            let is_given = given("id").is_some() && given("version").is_none_or(|first| first == 1);
            is_given && asked == Some(&pet)
        };
        counts.unasked = found.iter().filter(|pet| !as_asked(pet)).count();
        counts
    }

    fn entries(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.0.lock().expect("no holder panics")
    }
}

impl Counts {
    #[track_caller]
    pub fn assert_nothing_wrong(&self) {
        assert_eq!((self.lost, self.doubled, self.unasked), (0, 0, 0), "{self}");
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            asked,
            answered,
            found,
            lost,
            doubled,
            unasked,
        } = self;
        write!(
            f,
            "asked {asked}, answered {answered}, found {found}, lost {lost}, doubled {doubled}, unasked {unasked}"
        )
    }
}

fn name_of(pet: &Value) -> String {
    pet["name"].as_str().expect("a pet has a name").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pet(id: i64, name: &str) -> Value {
        json!({"id": id, "name": name, "categoryId": 1})
    }

    fn ledger() -> Ledger {
        let ledger = Ledger::default();
        for name in ["a", "b", "c"] {
            ledger.ask(&json!({"name": name, "categoryId": 1}));
        }
        ledger.answered(pet(1, "a"));
        ledger
    }

    #[test]
    fn lost_duplicated_and_unrequested_pets_are_counted() {
        let counts = |found: &[Value]| {
            let counts = ledger().compare(found);
            (counts.lost, counts.doubled, counts.unasked)
        };
        assert_eq!(counts(&[pet(1, "a")]), (0, 0, 0));
        assert_eq!(counts(&[pet(1, "a"), pet(2, "c")]), (0, 0, 0));
        assert_eq!(counts(&[]), (1, 0, 0));
        assert_eq!(counts(&[pet(2, "a")]), (1, 0, 0), "another id");
        assert_eq!(counts(&[pet(1, "a"), pet(2, "a")]).1, 1);
        assert_eq!(counts(&[pet(1, "a"), pet(1, "b")]).1, 1);
        assert_eq!(counts(&[pet(1, "a"), pet(2, "z")]), (0, 0, 1));
    }

    #[test]
    fn a_pet_that_is_found_once_and_missing_later_counts_as_lost() {
        let ledger = ledger();
        ledger
            .compare(&[pet(1, "a"), pet(2, "b")])
            .assert_nothing_wrong();
        assert_eq!(ledger.compare(&[pet(1, "a")]).lost, 1);
    }
}

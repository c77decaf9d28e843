//! The rules of the diff: their ids, and how much each matters. Ids and levels
//! are oasdiff's (<https://github.com/oasdiff/oasdiff>), so that people find
//! what they know; the few that oasdiff lacks stand in a list of their own.
//! What breaks which rule is decided beside the part of the document it is about.

mod levels;
mod own;

use super::Level;
use levels::{ERR, INFO, WARN};
use own::OWN;

/// How a message about a part of an operation begins its rule id, and the
/// family whose level counts where oasdiff has no rule for that very part.
const FAMILIES: &[(&str, &str)] = &[
    ("request-parameter-property-", "request-property-"),
    ("request-parameter-", "request-property-"),
    ("request-body-", "request-property-"),
    ("request-property-", "request-body-"),
    ("response-header-", "response-property-"),
    ("response-body-", "response-property-"),
    ("response-property-", "response-body-"),
    ("response-mediatype-", "response-property-"),
];

/// The level of a rule; `None` for a rule that there is not.
pub fn level(id: &str) -> Option<Level> {
    exact(id).or_else(|| {
        FAMILIES.iter().find_map(|(prefix, family)| {
            let rest = id.strip_prefix(prefix)?;
            exact(&format!("{family}{rest}"))
        })
    })
}

fn exact(id: &str) -> Option<Level> {
    let listed = |list: &[&str]| list.binary_search(&id).is_ok();
    if listed(ERR) {
        Some(Level::Err)
    } else if listed(WARN) {
        Some(Level::Warn)
    } else if listed(INFO) {
        Some(Level::Info)
    } else {
        OWN.iter()
            .find(|(own, _)| *own == id)
            .map(|(_, level)| *level)
    }
}

/// Whether a rule is about the promise of how long something stays. Such a
/// promise counts at every stability level.
pub(super) fn is_lifecycle(id: &str) -> bool {
    ["sunset", "stability"].iter().any(|word| id.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{ERR, INFO, Level, OWN, WARN, level};

    #[test]
    fn every_rule_stands_in_one_list_in_the_order_of_its_name() {
        for list in [ERR, WARN, INFO] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let own: Vec<&str> = OWN.iter().map(|(id, _)| *id).collect();
        let mut all = [ERR, WARN, INFO, &own].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_part_without_a_rule_of_its_own_takes_the_level_of_its_family() {
        assert_eq!(level("request-body-pattern-added"), Some(Level::Err));
        assert_eq!(level("response-header-max-increased"), Some(Level::Err));
        assert_eq!(level("no-such-rule"), None);
    }
}

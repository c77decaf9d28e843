//! Tests that the table of transitions is complete, and equals the table of the contract.

use super::*;

#[test]
fn every_status_can_be_reached_and_at_the_end_the_pet_is_available_or_sold() {
    let mut met = vec![PLACED];
    let mut next = 0;
    while let Some(&from) = met.get(next) {
        met.extend(
            next_of(from)
                .filter(|to| !met.contains(to))
                .collect::<Vec<_>>(),
        );
        next += 1;
    }
    met.sort();
    assert_eq!(met, OrderStatus::ALL);
    for step in ORDER_STEPS {
        let is_end = next_of(step.to).next().is_none();
        assert_eq!(step.pet.is_some(), is_end, "{step:?}");
        assert_ne!(step.pet, Some(ORDERED.1), "{step:?}");
    }
}

/// `spec/README.md` documents the transitions that the code allows.
#[test]
fn the_transitions_in_the_contract_equal_the_transitions_in_the_code() {
    let text = include_str!("../../../../spec/README.md");
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| order "))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let rows: Vec<String> = rows.map(str::to_owned).collect();
    let (free, taken) = ORDERED;
    let first = format!("| is placed: `{PLACED}` | `{free}` → `{taken}` |");
    let steps = ORDER_STEPS.map(|step| {
        let OrderStep { from, to, pet } = step;
        let pet = pet.map_or_else(
            || format!("stays `{taken}`"),
            |pet| format!("`{taken}` → `{pet}`"),
        );
        format!("| `{from}` → `{to}` | {pet} |")
    });
    let expected: Vec<String> = std::iter::once(first).chain(steps).collect();
    assert_eq!(rows, expected);
}

#[test]
fn at_most_one_transition_leads_from_one_status_to_another() {
    for from in OrderStatus::ALL.iter().copied() {
        for to in OrderStatus::ALL.iter().copied() {
            let steps = steps_to(to).filter(|step| step.from == from).count();
            assert!(steps <= 1);
            assert_eq!(order_step(from, to).is_some(), steps == 1);
            assert_eq!(next_of(from).any(|next| next == to), steps == 1);
        }
    }
}

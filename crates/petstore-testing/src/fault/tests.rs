//! Tests which requests a fault affects.

use super::*;

#[test]
fn a_fault_affects_the_given_number_of_requests_of_its_operation() {
    let mut faults = Faults::default();
    faults
        .0
        .push(Fault::cut().on(OperationId::CreatePet).after(1).times(2));
    faults.0.push(
        Fault::truncated()
            .on(OperationId::CreatePet)
            .after(3)
            .times(1),
    );
    let create = Some(OperationId::CreatePet);
    assert_eq!(faults.next(Some(OperationId::ListPets)), None);
    assert_eq!(faults.next(None), None);
    let happened: Vec<_> = (0..6).map(|_| faults.next(create)).collect();
    let cut = Some(Kind::CutBefore);
    // The second fault only counts requests that the first one does not affect.
    assert_eq!(
        happened,
        [None, cut.clone(), cut, None, None, Some(Kind::Truncated)]
    );
}

#[test]
fn a_fault_without_a_count_affects_requests_until_it_is_cleared() {
    let mut faults = Faults::default();
    faults.0.push(Fault::truncated().times(0));
    faults.0.push(Fault::truncated());
    for _ in 0..3 {
        assert_eq!(faults.next(None), Some(Kind::Truncated));
    }
    faults.0.clear();
    assert_eq!(faults.next(None), None);
}

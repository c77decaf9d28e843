//! Tests the limits of the queue, and the turns that keys take.

use super::*;

fn key(number: u64) -> Tenant {
    Some(KeyId::from_random(number))
}

#[test]
fn a_write_beyond_the_limit_is_rejected_until_another_reservation_is_dropped() {
    let (queue, _messages) = WriteQueue::<()>::new();
    let most = queue.wait(None, QUEUE_BYTES / 4 * 3).expect("it is empty");
    assert!(queue.wait(None, 1).is_err(), "its share is full");
    let last = queue.wait(key(1), QUEUE_BYTES / 4).expect("it just fits");
    assert!(matches!(queue.wait(key(2), 1), Err(StoreError::Overloaded)));
    assert!(queue.wait(key(2), 0).is_ok());
    drop(last);
    assert!(queue.wait(key(2), 1).is_ok());
    drop(most);
    assert!(queue.wait(None, QUEUE_BYTES / 4 * 3).is_ok());
    assert_eq!((queue.bytes.used(), queue.places.used()), (0, 0));
}

#[test]
fn a_write_that_is_larger_than_the_limit_is_accepted_alone() {
    let (queue, _messages) = WriteQueue::<()>::new();
    let large = queue
        .wait(None, QUEUE_BYTES + 1)
        .expect("nothing is queued");
    assert!(queue.wait(key(1), 1).is_err());
    drop(large);
    let small = queue.wait(None, 1).expect("it fits");
    assert!(queue.wait(None, QUEUE_BYTES + 1).is_err());
    assert!(queue.wait(None, usize::MAX).is_err());
    drop(small);
}

#[test]
fn the_writes_of_different_keys_take_turns_if_more_are_queued_than_fit_into_a_batch() {
    let (queue, mut messages) = WriteQueue::new();
    let queued = |tenant, number| {
        let waiting = queue.wait(tenant, 0).expect("it fits");
        let sent = queue.messages.try_send(Message::Write(number, waiting));
        assert!(sent.is_ok());
    };
    for number in 0..600 {
        queued(key(1), number);
    }
    queued(key(2), 10_000);
    queued(None, 20_000);
    let mut batch = || {
        let first = messages.try_recv().expect("some are queued");
        take_up(first, &mut messages).0
    };
    let first = batch();
    assert_eq!(first.len(), BATCH);
    assert!(first.contains(&10_000) && first.contains(&20_000));
    queued(key(3), 30_000);
    let second = batch();
    // `first` of this batch was received before the write of key 3 was queued.
    assert_eq!(second[2], 30_000, "it does not wait for all of another key");
    let mut all = [first, second, batch()].concat();
    // The writes of one key keep their order.
    all.retain(|number| *number < 10_000);
    assert!(all.is_sorted() && all.len() == 600, "{all:?}");
    assert!(messages.try_recv().is_none());
    assert_eq!(queue.stats().queued, 0);
}

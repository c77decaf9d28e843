//! Follows what happens in the store.

use crate::{Client, Feed, types::Event};

impl Client {
    /// The events after this cursor, or from the oldest one on, and those that are still to come: a stream without an end.
    ///
    /// Store [`cursor`](Feed::cursor) in the transaction in which you apply an event, and pass it here after a restart: each
    /// event then has its effect exactly once. `now` is the cursor behind the newest event. If the cursor cannot be
    /// continued, [`cursor_lost`](crate::Error::cursor_lost) of the error tells why, and [`list_events`](Client::list_events)
    /// says how to synchronise again. For events of some types only, use `list_events().type_(…).feed()`.
    ///
    /// ```
    /// use petstore_client::{Client, CursorLost, Event, FeedItem};
    ///
    /// # async fn example(client: &Client, stored: Option<String>) -> Result<(), petstore_client::Error> {
    /// let mut events = client.events(stored.as_deref());
    /// while let Some(event) = events.next().await {
    ///     match event {
    ///         Ok(FeedItem::Known(Event::PetCreated(event))) => println!("{} is new", event.data.name),
    ///         Ok(_) => {}
    ///         Err(error) if error.cursor_lost() == Some(CursorLost::Expired) => println!("list all pets anew"),
    ///         Err(error) => return Err(error),
    ///     }
    ///     println!("store {:?} with the effect", events.cursor());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn events(&self, after: Option<&str>) -> Feed<Event> {
        let request = self.list_events().wait(30);
        match after {
            Some(cursor) => request.cursor(cursor).feed(),
            None => request.feed(),
        }
    }
}

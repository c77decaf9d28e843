//! Follows the events of the store.

use crate::{Client, Feed, types::Event};

impl Client {
    /// Returns the events after this cursor, or from the oldest event on, and all later events: a stream that does not end.
    ///
    /// Store [`cursor`](Feed::cursor) in the transaction in which you apply an event, and pass it here after a restart. Then
    /// each event takes effect exactly once. `now` is the cursor after the newest event. If the service cannot continue from
    /// the cursor, [`cursor_lost`](crate::Error::cursor_lost) of the error says why, and [`list_events`](Client::list_events)
    /// says how to synchronise again. To receive only some types of events, or for other settings of the calls, use
    /// `list_events().type_(…).with(…).feed()`.
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
    ///
    /// A copy of the store begins with the cursor `now`, then the lists, and then the events after the cursor. It begins again in the
    /// same way if the cursor is lost:
    ///
    /// ```
    /// # use petstore_client::{Client, Error};
    /// # async fn example(client: &Client) -> Result<(), Error> {
    /// let now = client.list_events().cursor("now").send().await?;
    /// let cursor = now.next_cursor()?;
    /// // List all pets, and store them together with the cursor. Changes during the list are events after the cursor.
    /// let mut events = client.events(cursor.as_deref());
    /// # let _ = events.next().await;
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

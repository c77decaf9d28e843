//! The body of a request while it is set.

use std::fmt::{Debug, Display};

/// The body of a request while it is set: a value, or the builder of one.
///
/// ```
/// use openapi_dropshot_client::generated::Body;
///
/// let mut body = Body::<String>::missing();
/// body.set::<String, _>("a text");
/// assert_eq!(format!("{body:?}"), r#"Body(Ok("a text"))"#);
/// ```
#[derive(Clone, Debug)]
pub struct Body<B>(Result<B, String>);

impl<B> Body<B> {
    /// A body that has to be set.
    pub fn missing() -> Self {
        Body(Err("the body is required: set it with `body`".to_owned()))
    }

    /// A body that its builder has to set, field by field.
    pub fn builder() -> Self
    where
        B: Default,
    {
        Body(Ok(B::default()))
    }

    /// Sets the body to a value, or keeps why the value was rejected.
    pub fn set<T, V>(&mut self, value: V)
    where
        B: From<T>,
        V: TryInto<T>,
        V::Error: Display,
    {
        self.0 = value
            .try_into()
            .map(B::from)
            .map_err(|error| format!("the body is not valid: {error}"));
    }

    /// Changes the body that was set so far.
    #[must_use]
    pub fn map(self, change: impl FnOnce(B) -> B) -> Self {
        Body(self.0.map(change))
    }

    pub(super) fn finish<T>(self) -> Result<T, String>
    where
        T: TryFrom<B>,
        T::Error: Display,
    {
        T::try_from(self.0?).map_err(|error| error.to_string())
    }
}

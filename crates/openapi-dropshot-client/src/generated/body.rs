//! The body of a request while it is set.

use std::fmt::{Debug, Display};

/// What the body of a request can be set to: a value of its type `T`, the builder of one, or anything else that converts into
/// `T`. It is implemented for all types with `TryInto<T>`.
///
/// ```
/// use openapi_dropshot_client::generated::IntoBody;
///
/// assert_eq!(IntoBody::<String>::into_body("a text"), Ok("a text".to_owned()));
/// assert!(IntoBody::<u8>::into_body(300).is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the body of this request",
    label = "expected `{T}` or its builder",
    note = "pass a value or a builder: `{T}::new(…)` takes the required members, and `{T}::builder()` sets one after the other"
)]
pub trait IntoBody<T> {
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// The value is not valid.
    fn into_body(self) -> Result<T, String>;
}

#[diagnostic::do_not_recommend]
impl<T, V> IntoBody<T> for V
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn into_body(self) -> Result<T, String> {
        self.try_into().map_err(|error| error.to_string())
    }
}

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
        V: IntoBody<T>,
    {
        self.0 = value
            .into_body()
            .map(B::from)
            .map_err(|reason| format!("the body is not valid: {reason}"));
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

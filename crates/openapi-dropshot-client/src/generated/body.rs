//! The body of a request while it is set.

use std::fmt::{self, Debug, Display};

/// The values to which the body of a request can be set: a value of its type `T`, a builder of `T`, or any other value that
/// converts into `T`. The trait is implemented for all types with `TryInto<T>`.
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
    /// Returns an error if the value is not valid.
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

/// The body of a request while it is set: a value or its builder.
///
/// ```
/// use openapi_dropshot_client::generated::Body;
///
/// let mut body = Body::<String>::missing();
/// body.set::<String, _>("a text");
/// assert_eq!(format!("{body:?}"), r#"Body(Ok("a text"))"#);
/// ```
#[derive(Clone)]
pub struct Body<B> {
    value: Result<B, String>,
    /// Whether the body is optional and nothing was set.
    is_absent: bool,
}

impl<B> Body<B> {
    /// A body that must be set.
    pub fn missing() -> Self {
        Body {
            value: Err("the body is required: set it with `body`".to_owned()),
            is_absent: false,
        }
    }

    /// A body that must be set field by field with its builder.
    pub fn builder() -> Self
    where
        B: Default,
    {
        Body {
            value: Ok(B::default()),
            is_absent: false,
        }
    }

    /// A body that is sent only if it is set.
    pub fn optional() -> Self {
        Body {
            is_absent: true,
            ..Body::missing()
        }
    }

    /// A body that is sent only if it is set, as a whole or field by field.
    pub fn optional_builder() -> Self
    where
        B: Default,
    {
        Body {
            is_absent: true,
            ..Body::builder()
        }
    }

    /// Sets the body to a value, or stores why the value was rejected.
    pub fn set<T, V>(&mut self, value: V)
    where
        B: From<T>,
        V: IntoBody<T>,
    {
        self.is_absent = false;
        self.value = value
            .into_body()
            .map(B::from)
            .map_err(|reason| format!("the body is not valid: {reason}"));
    }

    /// Changes the body that was set so far.
    #[must_use]
    pub fn map(self, change: impl FnOnce(B) -> B) -> Self {
        Body {
            value: self.value.map(change),
            is_absent: false,
        }
    }

    /// Returns the body; `None` if it is optional and was not set.
    pub(super) fn finish<T>(self) -> Result<Option<T>, String>
    where
        T: TryFrom<B>,
        T::Error: Display,
    {
        if self.is_absent {
            return Ok(None);
        }
        let body = T::try_from(self.value?).map_err(|error| error.to_string())?;
        Ok(Some(body))
    }
}

impl<B: Debug> Debug for Body<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_absent {
            true => f.write_str("Body(absent)"),
            false => f.debug_tuple("Body").field(&self.value).finish(),
        }
    }
}

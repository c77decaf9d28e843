//! Members of builders that may be absent.

use std::fmt::Display;

/// What an optional member can be set to: what a required member takes, or an `Option` of it. `M` tells the two apart, so that the
/// compiler finds the one that applies; applications never name it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of this member",
    label = "expected `{T}`, what converts into it, or an `Option` of these"
)]
pub trait IntoOptional<T, M> {
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// The value is not valid.
    fn into_optional(self) -> Result<Option<T>, String>;
}

#[diagnostic::do_not_recommend]
impl<T, V> IntoOptional<T, (T,)> for V
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn into_optional(self) -> Result<Option<T>, String> {
        self.try_into().map(Some).map_err(|error| error.to_string())
    }
}

#[diagnostic::do_not_recommend]
impl<T, V> IntoOptional<T, Option<T>> for Option<V>
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn into_optional(self) -> Result<Option<T>, String> {
        let value = self.map(TryInto::try_into).transpose();
        value.map_err(|error: V::Error| error.to_string())
    }
}

/// Converts the value that the setter of an optional member was given.
///
/// # Errors
///
/// The type rejects the value.
///
/// ```
/// use openapi_dropshot_client::generated::optional;
///
/// assert_eq!(optional::<String, _, _>("a text"), Ok(Some("a text".to_owned())));
/// assert_eq!(optional::<u8, _, _>(Some(7)), Ok(Some(7)));
/// assert!(optional::<u8, _, _>(300).is_err());
/// ```
pub fn optional<T, V, M>(value: V) -> Result<Option<T>, String>
where
    V: IntoOptional<T, M>,
{
    value.into_optional()
}

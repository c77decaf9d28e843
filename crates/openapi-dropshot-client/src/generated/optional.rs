//! Optional properties of builders.

use super::types::{Member, not_valid};
use std::fmt::Display;

/// The values to which an optional property can be set: any value that a required property accepts, or an `Option` of it. `M`
/// distinguishes the two, so that the compiler finds the right implementation; applications never name it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of this member",
    label = "expected `{T}`, what converts into it, or an `Option` of these"
)]
pub trait IntoOptional<T, M> {
    /// Converts the value.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not valid.
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

/// Converts the value that was passed to the setter of an optional property with this name.
///
/// ```
/// use openapi_dropshot_client::generated::optional_member;
///
/// assert_eq!(optional_member::<u8, _, _>(7, "pages"), Ok(Some(7)));
/// assert_eq!(optional_member::<u8, _, _>(None::<u8>, "pages"), Ok(None));
/// ```
///
/// # Errors
///
/// Returns an error if the value is not valid.
pub fn optional_member<T, V, M>(value: V, name: &str) -> Member<Option<T>>
where
    V: IntoOptional<T, M>,
{
    let value = value.into_optional();
    value.map_err(|error| not_valid(name, &error))
}

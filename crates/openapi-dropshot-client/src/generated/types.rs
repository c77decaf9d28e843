//! Support for the types of a document: the values that setters of builders accept, and implementations that are the same for all
//! types.

use std::fmt::Display;

/// A property while a value is built: the value that was set, or why there is none.
pub type Member<T> = Result<T, String>;

/// The values that the setter of a property accepts: a value of its type `T`, a builder of `T`, or any other value that converts
/// into `T`. The trait is implemented for all types with `TryInto<T>`.
///
/// ```
/// use openapi_dropshot_client::generated::IntoMember;
///
/// assert_eq!(IntoMember::<u8>::into_member(7, "pages"), Ok(7));
/// let error = IntoMember::<u8>::into_member(300, "pages").unwrap_err();
/// assert!(error.starts_with("`pages` is not valid: "));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the value of this member",
    label = "expected `{T}`, its builder, or a type that converts into it"
)]
pub trait IntoMember<T> {
    /// Converts the value of the member with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not valid.
    fn into_member(self, name: &str) -> Member<T>;
}

#[diagnostic::do_not_recommend]
impl<T, V> IntoMember<T> for V
where
    V: TryInto<T>,
    V::Error: Display,
{
    fn into_member(self, name: &str) -> Member<T> {
        self.try_into().map_err(|error| not_valid(name, &error))
    }
}

pub(super) fn not_valid(name: &str, error: &dyn Display) -> String {
    format!("`{name}` is not valid: {error}")
}

/// Creates a required property that is not set yet.
///
/// # Errors
///
/// Always returns an error, which names the setter.
pub fn missing<T>(name: &str, setter: &str) -> Member<T> {
    Err(format!("`{name}` is required: set it with `{setter}`"))
}

/// Implements the methods that create a builder, and those that a builder has. The surrounding module must contain a type of the
/// same name, and a type `error::ConversionError`. For each property, the initial value is given. Use `without build` if a
/// property has the name `build`.
#[doc(hidden)]
#[macro_export]
macro_rules! __builder {
    (without build $name:ident $(, $member:ident = $initial:expr)* $(,)?) => {
        impl super::$name {
            /// Builds a value field by field.
            pub fn builder() -> $name {
                ::std::default::Default::default()
            }
        }

        impl ::std::default::Default for $name {
            fn default() -> Self {
                Self { $($member: $initial),* }
            }
        }

        impl ::std::convert::TryFrom<$name> for super::$name {
            type Error = super::error::ConversionError;

            fn try_from(_value: $name) -> ::std::result::Result<Self, Self::Error> {
                Ok(Self { $($member: _value.$member?),* })
            }
        }

        impl ::std::convert::From<super::$name> for $name {
            fn from(_value: super::$name) -> Self {
                Self { $($member: Ok(_value.$member)),* }
            }
        }
    };
    ($name:ident $($members:tt)*) => {
        $crate::__builder!(without build $name $($members)*);

        impl $name {
            /// Returns the value.
            ///
            /// # Errors
            ///
            /// Returns an error that names the property if a required property is not set, or if a value is not valid.
            pub fn build(self) -> ::std::result::Result<super::$name, super::error::ConversionError> {
                self.try_into()
            }
        }
    };
}

/// Writes the settings of a request whose call is in the field `call`. Each setting is listed, because a parameter may have the
/// same name.
#[doc(hidden)]
#[macro_export]
macro_rules! __settings {
    ($($name:ident),+ $(,)?) => { $($crate::__settings!(@$name);)+ };
    (@with) => {
        /// Replaces all settings of this call, such as its time limit or its number of tries; see `CallOptions`.
        pub fn with(mut self, options: $crate::CallOptions) -> Self {
            self.call.set_options(options);
            self
        }
    };
    (@timeout) => {
        /// Sets the time limit of this call, including all its tries; in a stream of pages, the limit of each page. Call it after `with`.
        pub fn timeout(mut self, timeout: ::std::time::Duration) -> Self {
            self.call.change_options(|options| options.timeout(timeout));
            self
        }
    };
    (@retry) => {
        /// Sets how often this call is tried, and how long it pauses between two tries. Call it after `with`.
        pub fn retry(mut self, policy: $crate::RetryPolicy) -> Self {
            self.call.change_options(|options| options.retry(policy));
            self
        }
    };
    (@header) => {
        /// Adds a header to this call. If the name or the value cannot be sent, the call fails before anything is sent. Call it
        /// after `with`.
        pub fn header(mut self, name: &str, value: &str) -> Self {
            self.call.change_options(|options| options.header(name, value));
            self
        }
    };
}

/// Implements the conversions from and to text for enumerations that implement `OpenEnum` and have `as_str`.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enums {
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> $crate::generated::Deserialize<'de> for $name {
            fn deserialize<D: $crate::generated::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::generated::OpenEnum::deserialize_open(deserializer)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = self::error::ConversionError;

            // `Self::Err` could also be a value of the enumeration.
            fn from_str(
                value: &str,
            ) -> ::std::result::Result<Self, <Self as ::std::str::FromStr>::Err> {
                $crate::generated::OpenEnum::parse(value).map_err(Into::into)
            }
        }

        $crate::__texts!(@from &str, $name);
        $crate::__texts!(@from ::std::string::String, $name);
    )+};
}

/// Implements the conversions for texts with rules, which `FromStr` checks. Texts from responses are read without these rules: a
/// later document may allow other lengths and patterns in responses, and the service checks what it receives.
#[doc(hidden)]
#[macro_export]
macro_rules! __texts {
    (@from $text:ty, $name:ident) => {
        impl ::std::convert::TryFrom<$text> for $name {
            type Error = <Self as ::std::str::FromStr>::Err;

            fn try_from(
                value: $text,
            ) -> ::std::result::Result<Self, <Self as ::std::str::FromStr>::Err> {
                value.parse()
            }
        }
    };
    ($($name:ident),+ $(,)?) => {$(
        impl<'de> $crate::generated::Deserialize<'de> for $name {
            fn deserialize<D: $crate::generated::Deserializer<'de>>(
                deserializer: D,
            ) -> ::std::result::Result<Self, D::Error> {
                $crate::generated::Deserialize::deserialize(deserializer).map(Self)
            }
        }

        impl ::std::ops::Deref for $name {
            type Target = ::std::string::String;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::std::convert::From<$name> for ::std::string::String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        $crate::__texts!(@from &str, $name);
        $crate::__texts!(@from ::std::string::String, $name);
    )+};
}

/// Implements `From` of each alternative for a union.
#[doc(hidden)]
#[macro_export]
macro_rules! __union {
    ($name:ident $(, $variant:ident($value:ty))+ $(,)?) => {$(
        impl ::std::convert::From<$value> for $name {
            fn from(value: $value) -> Self {
                Self::$variant(value)
            }
        }
    )+};
}

/// Implements `Deref`, and `From` in both directions, for types that are another type with a new name.
#[doc(hidden)]
#[macro_export]
macro_rules! __holders {
    ($($name:ident($value:ty)),+ $(,)?) => {$(
        impl ::std::ops::Deref for $name {
            type Target = $value;

            fn deref(&self) -> &Self::Target {
                &self.0
            }
        }

        impl ::std::convert::From<$name> for $value {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl ::std::convert::From<$value> for $name {
            fn from(value: $value) -> Self {
                Self(value)
            }
        }
    )+};
}

//! Implements `Debug` for types that do not show all of their fields.

/// Implements `Debug` for a type, with the listed fields: each has a name and, in parentheses, the part of `self` that it shows.
/// The other fields may contain a secret or cannot be shown.
macro_rules! debug_fields {
    (
        $([$($generics:tt)*])? $name:ident $(<$($argument:tt),+>)?
        $(, $field:ident($($shown:tt)+))* $(,)?
    ) => {
        impl $(<$($generics)*>)? ::std::fmt::Debug for $name $(<$($argument),+>)? {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct(stringify!($name))
                    $(.field(stringify!($field), &self.$($shown)+))*
                    .finish_non_exhaustive()
            }
        }
    };
}

//! What every error of an operation has, where its answers are named by status.

macro_rules! responses {
    ($($name:ident),*) => {$(
        impl From<HttpError> for $name {
            fn from(error: HttpError) -> Self {
                $name::Undocumented(Undocumented(error))
            }
        }

        impl From<$name> for Refusal {
            fn from(error: $name) -> Self {
                match error {
                    $name::Undocumented(Undocumented(error)) => error.into(),
                    #[allow(unreachable_patterns, reason = "an operation may have no other error")]
                    error => Refusal {
                        status: error.status_code(),
                        body: serde_json::to_value(&error).ok().filter(|body| !body.is_null()),
                        message: error.to_string(),
                    },
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $name::Undocumented(Undocumented(error)) => error.fmt(f),
                    #[allow(unreachable_patterns, reason = "an operation may have no other error")]
                    error => write!(f, "answered with {}", error.status_code()),
                }
            }
        }

        impl std::error::Error for $name {}
    )*};
}

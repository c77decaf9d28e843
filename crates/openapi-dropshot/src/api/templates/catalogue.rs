//! What every error of an operation has, where a catalogue lists its codes.

macro_rules! responses {
    ($body:ty: $($name:ident),*) => {$(
        impl From<HttpError> for $name {
            fn from(error: HttpError) -> Self {
                $name::Undocumented(Undocumented(error))
            }
        }

        impl From<$name> for Refusal {
            /// What the document does not list is a fault of the service.
            fn from(error: $name) -> Self {
                error.refusal().unwrap_or_else(|error| {
                    Refusal::internal(format!("the handler answered what the document does not list: {error}"))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.refusal() {
                    Ok(refusal) => refusal.fmt(f),
                    Err(error) => error.fmt(f),
                }
            }
        }

        impl std::error::Error for $name {}

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                body(self).serialize(serializer)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> String {
                <$body>::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$body>::json_schema(generator)
            }
        }

        impl HttpResponseError for $name {
            fn status_code(&self) -> ErrorStatusCode {
                status(self)
            }
        }
    )*};
}

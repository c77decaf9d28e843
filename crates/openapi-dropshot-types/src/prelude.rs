//! The names that generated code uses without a path. Each module is imported with `*`.

/// The names that generated models use.
pub mod models {
    pub use crate::{
        FromText, Violation,
        formats::{Base64, Date, DateTime, IpAddress, Ipv4Address, Ipv6Address, Uuid},
        unions::Alternatives,
    };
    pub use schemars::{JsonSchema, r#gen::SchemaGenerator, schema::Schema};
    pub use serde::{Deserialize, Deserializer, Serialize};
    pub use serde_json::{Map, Value, json};
    pub use std::{collections::BTreeMap, fmt};
}

/// The names that a generated API uses.
#[cfg(feature = "dropshot")]
pub mod api {
    pub use crate::{
        Contract, Cookies, Deprecation, ErrorEntry, ErrorMember, Event, FormParts, Operation,
        OperationError, OperationLimits, OptionalBody, Rejection, RequiredScheme, Router,
        SchemeKind, Security, SecurityScheme, Stability, StreamFormat, Streamed, StreamedItems,
    };
    pub use dropshot::{
        ApiDescriptionBuildErrors, Body, ErrorStatusCode, FreeformBody, Header, HttpCodedResponse,
        HttpError, HttpResponse, HttpResponseAccepted, HttpResponseCreated, HttpResponseDeleted,
        HttpResponseHeaders, HttpResponseOk, HttpResponseUpdatedNoContent, MultipartBody, Path,
        Query, RequestContext, ServerContext, StreamingBody, TypedBody, UntypedBody,
        WebsocketChannelResult, WebsocketConnection, WebsocketUpgrade,
    };
    pub use http::{Request, Response, StatusCode};
    pub use serde_json::{Map, Value};
    pub use std::{borrow::Cow, collections::BTreeMap, marker::PhantomData};
}

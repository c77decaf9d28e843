//! The rules for changes. If oasdiff (<https://github.com/oasdiff/oasdiff>) has a rule, the id and the level are the same as
//! in oasdiff. The other rules are named after the most similar rule of oasdiff.

pub(crate) use super::keywords::*;
use super::{ChangeRule, Family, Level, Part, swapped};

/// Declares rules that each apply at one place. A declaration contains the name of the constant, the level, the id, the
/// meaning, the part of a document that the example shows, the example (base and revision), and a remedy if the general one
/// does not fit.
macro_rules! change_rules {
    ($($name:ident $level:ident $id:literal $meaning:literal $part:ident $base:literal $revision:literal
       $(remedy $remedy:literal)?;)+) => {
        $(pub(crate) static $name: ChangeRule = ChangeRule {
            id: $id,
            level: Level::$level,
            meaning: $meaning,
            examples: &[(Part::$part, $base, $revision)],
            own_remedy: [$(Some($remedy),)? None][0],
        };)+

        pub(super) static SINGLE: &[&ChangeRule] = &[$(&$name),+];
    };
}

/// Declares one change at different places. A declaration contains the name of the constant, the ending of the ids, the
/// meaning, the levels with their places, examples, and a remedy for the rules whose level is not `Info`. The id of a rule is
/// its place, a hyphen and the ending, such as `request-body-max-increased`. A declaration that begins with `<-` declares the
/// opposite of the change before it: its examples are the same, with base and revision swapped.
macro_rules! families {
    ($($name:ident $ending:literal $meaning:literal $($level:ident $places:tt),+
       $($part:ident $base:literal $revision:literal),+ $(remedy $remedy:literal)?;
       $(<- $opposite:ident $opposite_ending:literal $opposite_meaning:literal
         $($opposite_level:ident $opposite_places:tt),+ $(remedy $opposite_remedy:literal)?;)?)+) => {
        $(pub(crate) static $name: Family = Family {
            ending: $ending,
            meaning: $meaning,
            levels: &[$((Level::$level, &$places)),+],
            examples: &[$((Part::$part, $base, $revision)),+],
            own_remedy: [$(Some($remedy),)? None][0],
        };
        $(pub(crate) static $opposite: Family = Family {
            ending: $opposite_ending,
            meaning: $opposite_meaning,
            levels: &[$((Level::$opposite_level, &$opposite_places)),+],
            examples: &swapped::<{ $name.examples.len() }>($name.examples),
            own_remedy: [$(Some($opposite_remedy),)? None][0],
        };)?)+

        pub(super) static FAMILIES: &[&Family] = &[$(&$name, $(&$opposite,)?)+];
    };
}
pub(super) use families;

pub(super) const REQUESTS: [&str; 3] = ["request-body", "request-property", "request-parameter"];
/// All places in requests, including the members of objects in parameters.
pub(super) const ALL_REQUESTS: [&str; 4] = [
    "request-body",
    "request-property",
    "request-parameter",
    "request-parameter-property",
];
pub(super) const RESPONSES: [&str; 3] = ["response-body", "response-property", "response-header"];
const BODIES: [&str; 4] = [
    "request-body",
    "request-property",
    "response-body",
    "response-property",
];
const OUTGOING_PLACES: [&str; 2] = ["webhook", "callback"];
/// Properties, divided into required and optional ones.
const REQUIRED_OR_NOT: [&str; 4] = [
    "request-required-property",
    "request-optional-property",
    "response-required-property",
    "response-optional-property",
];

change_rules! {
    // Operations.
    ENDPOINT_ADDED Info "endpoint-added" "an operation was added"
        Paths "/b: {get: {}}" "/a: {get: {}}, /b: {get: {}}";
    API_SUNSET_DATE_CHANGED Info "api-sunset-date-changed"
        "the sunset of an operation or a parameter moved to a later day"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2041-01-01";
    API_INVALID_STABILITY_LEVEL Err "api-invalid-stability-level" "`x-stability-level` is not one of the levels"
        Operation "" "x-stability-level: solid" remedy "Write `experimental`, `beta` or `stable`.";
    API_WAITER_ADDED Info "api-waiter-added" "an entry was added to `x-waiters`: generated clients get a new method"
        Operation "" "x-waiters: {done: {path: /status, success: [a]}}";
    API_WAITER_REMOVED Err "api-waiter-removed" "an entry was removed from `x-waiters`: generated clients lose a method"
        Operation "x-waiters: {done: {path: /status, success: [a]}}" "" remedy "Put the entry back.";
    API_WAITER_CHANGED Warn "api-waiter-changed" "an entry of `x-waiters` changed, but older clients still use the old entry"
        Operation "x-waiters: {done: {path: /status, success: [a]}}" "x-waiters: {done: {path: /status, success: [b]}}"
        remedy "Add an entry with another name.";
    API_BODY_LIMIT_DECREASED Err "api-body-limit-decreased" "`body-bytes` of `x-limits` decreased: the service rejects bodies that it accepted before"
        Operation "x-limits: {body-bytes: 2000}" "x-limits: {body-bytes: 1000}" remedy "Keep the limit, or add a new operation with the lower limit.";
    API_LIMIT_TIGHTENED Warn "api-limit-tightened" "a limit was added to `x-limits` or became stricter: calls that succeeded before may fail"
        Operation "x-limits: {cost: 2}" "x-limits: {cost: 3}" remedy "Keep the limit.";
    API_LIMIT_RELAXED Info "api-limit-relaxed" "a limit was removed from `x-limits` or allows more"
        Operation "x-limits: {concurrency: 2}" "x-limits: {concurrency: 3}";
    API_OPERATION_ID_ADDED Info "api-operation-id-added" "an operation got an id"
        Operation "" "operationId: list";
    API_OPERATION_ID_REMOVED Info "api-operation-id-removed" "the id of an operation changed or was removed"
        Operation "operationId: list" "operationId: all";
    API_TAG_ADDED Info "api-tag-added" "a tag was added to an operation"
        Operation "tags: []" "tags: [a]";
    API_TAG_REMOVED Info "api-tag-removed" "a tag was removed from an operation"
        Operation "tags: [a]" "tags: []";
    // The document.
    API_SCHEMA_REMOVED Info "api-schema-removed"
        "a component schema was removed; its name does not appear in requests or responses, but generated code uses it"
        Document "components: {schemas: {A: {}}}" "components: {schemas: {}}";
    API_VERSION_DECREASED Info "api-version-decreased" "`info.version` went back"
        Document "info: {title: T, version: 1.1.0}" "info: {title: T, version: 1.0.0}"
        remedy "Write the next version into `info.version`.";
    API_VERSION_NOT_BUMPED Info "api-version-not-bumped" "the document changed, but `info.version` did not"
        Document "components: {schemas: {A: {}}}" "components: {schemas: {}}"
        remedy "Write the next version into `info.version`.";
    API_MAJOR_VERSION_NOT_BUMPED Info "api-major-version-not-bumped"
        "a change breaks clients, but the major version was not increased"
        Document "info: {title: T, version: 1.0.0}, paths: {/a: {get: {}}}" "info: {title: T, version: 1.0.1}, paths: {}"
        remedy "Write the next version into `info.version`.";
    // Security.
    API_SECURITY_BECAME_REQUIRED Warn "api-security-became-required"
        "an operation that could be called without credentials now requires them"
        Operation "" "security: [{k: []}]";
    SECURITY_COMPONENT_ADDED Info "api-security-component-added" "a security scheme was added"
        Document "components: {securitySchemes: {}}" "components: {securitySchemes: {k: {type: http, scheme: bearer}}}";
    SECURITY_COMPONENT_REMOVED Info "api-security-component-removed" "a security scheme was removed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}" "components: {securitySchemes: {}}";
    SECURITY_COMPONENT_TYPE_CHANGED Info "api-security-component-type-changed" "the type of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}"
            "components: {securitySchemes: {k: {type: apiKey, name: key, in: header}}}";
    SECURITY_COMPONENT_KEY_MOVED Err "api-security-component-key-moved"
        "the key of a security scheme is sent under another name, or in another part of the request"
        Document "components: {securitySchemes: {k: {type: apiKey, name: key, in: header}}}"
            "components: {securitySchemes: {k: {type: apiKey, name: key, in: query}}}"
        remedy "Add a security scheme with another name, and accept both.";
    SECURITY_COMPONENT_CREDENTIAL_CHANGED Err "api-security-component-credential-changed"
        "a security scheme expects another kind of credential, such as Basic instead of Bearer"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}"
            "components: {securitySchemes: {k: {type: http, scheme: basic}}}"
        remedy "Add a security scheme with another name, and accept both.";
    SECURITY_COMPONENT_URL_MOVED Err "api-security-component-url-moved"
        "an address from which clients get the tokens of a security scheme changed"
        Flow "tokenUrl: /t" "tokenUrl: /u" remedy "Keep the old address in the document, and serve both addresses.";
    SECURITY_COMPONENT_FLOW_REMOVED Err "api-security-component-oauth-flow-removed"
        "a flow was removed from a security scheme"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {password: {tokenUrl: /t}, clientCredentials: {tokenUrl: /t}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {clientCredentials: {tokenUrl: /t}}}}}"
        remedy "Keep the flow.";
    OAUTH_URL_CHANGED Info "api-security-component-oauth-url-changed"
        "`authorizationUrl` of a security scheme changed" Flow "authorizationUrl: /a" "authorizationUrl: /b";
    OAUTH_TOKEN_URL_CHANGED Info "api-security-component-oauth-token-url-changed"
        "`tokenUrl` of a security scheme changed" Flow "tokenUrl: /t" "tokenUrl: /u";
    OAUTH_SCOPE_ADDED Info "api-security-component-oauth-scope-added"
        "a scope was added to a security scheme" Flow "scopes: {}" "scopes: {read: Read.}";
    OAUTH_SCOPE_REMOVED Info "api-security-component-oauth-scope-removed"
        "a scope was removed from a security scheme" Flow "scopes: {read: Read.}" "scopes: {}";
    OAUTH_SCOPE_CHANGED Info "api-security-component-oauth-scope-changed"
        "the description of a scope of a security scheme changed" Flow "scopes: {read: Read.}" "scopes: {read: Look.}";
    // Parameters.
    NEW_REQUIRED_REQUEST_PARAMETER Err "new-required-request-parameter" "a required parameter was added"
        Operation "parameters: []" "parameters: [{name: q, in: query, schema: {type: string}, required: true}]"
        remedy "Make it optional.";
    NEW_OPTIONAL_REQUEST_PARAMETER Info "new-optional-request-parameter" "an optional parameter was added"
        Operation "parameters: []" "parameters: [{name: q, in: query, schema: {type: string}}]";
    NEW_REQUEST_PATH_PARAMETER Err "new-request-path-parameter" "a parameter of the path was added"
        Operation "parameters: []" "parameters: [{name: q, in: path, schema: {type: string}, required: true}]"
        remedy "Describe the longer path as a separate operation.";
    NEW_REQUIRED_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH Err "new-required-request-default-parameter-to-existing-path"
        "a required parameter was added to all operations of a path"
        Paths "/a: {parameters: [], get: {}}" "/a: {parameters: [{name: q, in: query, schema: {}, required: true}], get: {}}"
        remedy "Make it optional.";
    NEW_OPTIONAL_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH Info "new-optional-request-default-parameter-to-existing-path"
        "an optional parameter was added to all operations of a path"
        Paths "/a: {parameters: [], get: {}}" "/a: {parameters: [{name: q, in: query, schema: {}}], get: {}}";
    REQUEST_PARAMETER_RENAMED Err "request-parameter-renamed"
        "a parameter was removed, and a parameter with the same schema but another name was added: the service ignores the old name"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]" "parameters: [{name: search, in: query, schema: {type: string}}]"
        remedy "Keep the old parameter beside the new one, and deprecate the old one with `x-sunset`.";
    REQUEST_PARAMETER_EMPTY_VALUE_REFUSED Err "request-parameter-empty-value-refused"
        "`allowEmptyValue` was removed: a parameter may not be empty" Parameter "allowEmptyValue: true" "";
    NEW_REQUIRED_REQUEST_HEADER_PROPERTY Err "new-required-request-header-property"
        "a required member was added to a header parameter"
        Operation "parameters: [{name: X-A, in: header, schema: {type: object, properties: {}}}]"
            "parameters: [{name: X-A, in: header, schema: {type: object, required: [a], properties: {a: {}}}}]";
    // Request bodies.
    REQUEST_BODY_ADDED_REQUIRED Err "request-body-added-required" "a required request body was added"
        Operation "" "requestBody: {required: true, content: {application/json: {}}}" remedy "Make it optional.";
    REQUEST_BODY_ADDED_OPTIONAL Info "request-body-added-optional" "an optional request body was added"
        Operation "" "requestBody: {content: {application/json: {}}}";
    REQUEST_BODY_REMOVED Err "request-body-removed" "the request body was removed"
        Operation "requestBody: {content: {application/json: {}}}" ""
        remedy "Keep accepting the body, or add a new operation and deprecate this one.";
    // Responses.
    RESPONSE_MEDIA_TYPE_NAME_GENERALIZED Err "response-media-type-name-generalized"
        "a media type of a response was replaced by a wider one"
        Body "content: {application/problem+json: {}}" "content: {application/json: {}}";
    RESPONSE_MEDIA_TYPE_NAME_SPECIALIZED Info "response-media-type-name-specialized"
        "a media type of a response was replaced by a narrower one"
        Body "content: {application/json: {}}" "content: {application/problem+json: {}}";
    REQUEST_ITEM_SCHEMA_ADDED Err "request-body-media-type-item-schema-added"
        "a schema was added for the items of a stream in a request"
        Operation "requestBody: {content: {application/jsonl: {}}}" "requestBody: {content: {application/jsonl: {x-item-schema: {}}}}";
    REQUEST_ITEM_SCHEMA_REMOVED Info "request-body-media-type-item-schema-removed"
        "the schema for the items of a stream in a request was removed"
        Operation "requestBody: {content: {application/jsonl: {x-item-schema: {}}}}" "requestBody: {content: {application/jsonl: {}}}";
    RESPONSE_ITEM_SCHEMA_ADDED Info "response-body-media-type-item-schema-added"
        "a schema was added for the items of a stream in a response"
        Operation "responses: {'200': {content: {application/jsonl: {}}}}" "responses: {'200': {content: {application/jsonl: {x-item-schema: {}}}}}";
    RESPONSE_ITEM_SCHEMA_REMOVED Err "response-body-media-type-item-schema-removed"
        "the schema for the items of a stream in a response was removed, but the body still has a schema"
        Operation "responses: {'200': {content: {application/jsonl: {x-item-schema: {}}}}}" "responses: {'200': {content: {application/jsonl: {schema: {}}}}}";
    RESPONSE_ITEM_SCHEMA_REMOVED_UNTYPED Err "response-body-media-type-item-schema-removed-untyped"
        "the schema for the items of a stream in a response was removed, and the body has no schema either"
        Operation "responses: {'200': {content: {application/jsonl: {x-item-schema: {}}}}}" "responses: {'200': {content: {application/jsonl: {}}}}";
    RESPONSE_MEDIA_TYPE_REPLACED Err "response-media-type-replaced"
        "a media type of a response was replaced by another one with the same suffix; clients that accept only the old media type do not accept the new one"
        Body "content: {application/json: {}}" "content: {application/vnd.shop+json: {}}"
        remedy "Keep the old media type beside the new one.";
    RESPONSE_MEDIA_TYPE_NAME_CHANGED Warn "response-media-type-name-changed"
        "several parameters of a media type of a response changed, or its name and a parameter changed together"
        Body "content: {text/csv; header=present: {}}" "content: {text/csv; charset=utf-8: {}}";
    RESPONSE_MEDIA_TYPE_PARAMETER_ADDED Info "response-media-type-parameter-added"
        "a parameter was added to a media type of a response"
        Body "content: {text/csv: {}}" "content: {text/csv; charset=utf-8: {}}";
    RESPONSE_MEDIA_TYPE_PARAMETER_REMOVED Err "response-media-type-parameter-removed"
        "a parameter was removed from a media type of a response"
        Body "content: {text/csv; charset=utf-8: {}}" "content: {text/csv: {}}";
    RESPONSE_MEDIA_TYPE_PARAMETER_CHANGED Err "response-media-type-parameter-changed"
        "a parameter of a media type of a response changed"
        Body "content: {text/csv; charset=utf-8: {}}" "content: {text/csv; charset=latin1: {}}";
    RESPONSE_LINK_ADDED Info "response-link-added" "a link was added to a response"
        Operation "responses: {'200': {links: {}}}" "responses: {'200': {links: {A: {operationId: a}}}}";
    RESPONSE_LINK_REMOVED Warn "response-link-removed" "a link was removed from a response"
        Operation "responses: {'200': {links: {A: {operationId: a}}}}" "responses: {'200': {links: {}}}";
    RESPONSE_LINK_CHANGED Warn "response-link-changed" "a link of a response refers to another operation, or passes other values"
        Operation "responses: {'200': {links: {A: {operationId: a}}}}" "responses: {'200': {links: {A: {operationId: b}}}}";
    RESPONSE_MEDIATYPE_ENUM_VALUE_REMOVED Info "response-mediatype-enum-value-removed"
        "a value was removed from `enum` of a response body"
        Schema "{type: string, enum: [a, b]}" "{type: string, enum: [a]}";
    RESPONSE_HEADER_ADDED Info "response-header-added" "a header was added to a response"
        Operation "responses: {'200': {headers: {}}}" "responses: {'200': {headers: {X-A: {schema: {}}}}}";
    // Properties.
    NEW_REQUIRED_REQUEST_PROPERTY Err "new-required-request-property" "a required property was added to a request"
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {}}}"
        remedy "Make it optional.";
    NEW_REQUIRED_REQUEST_PROPERTY_WITH_DEFAULT Err "new-required-request-property-with-default"
        "a required property with a default was added to a request"
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {default: 1}}}"
        remedy "Make it optional.";
    NEW_OPTIONAL_REQUEST_PROPERTY Info "new-optional-request-property" "an optional property was added to a request"
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {}}}";
    REQUEST_PROPERTY_BECAME_REQUIRED_WITH_DEFAULT Err "request-property-became-required-with-default"
        "a property of a request that has a default became required"
        Schema "{type: object, properties: {a: {default: 1}}}" "{type: object, required: [a], properties: {a: {default: 1}}}"
        remedy "Keep it optional.";
    REQUEST_PROPERTY_REMOVED_AND_REFUSED Err "request-property-removed-and-refused"
        "a property was removed from a request, and the schema rejects unknown members"
        Schema "{type: object, additionalProperties: false, properties: {a: {}}}"
            "{type: object, additionalProperties: false, properties: {}}"
        remedy "Keep accepting the property, or allow unknown members.";
}

families! {
    // Removal, deprecation and stability.
    REMOVED_WITHOUT_DEPRECATION "removed-without-deprecation"
        "an operation that was not deprecated was removed (alone or with its whole path)" Err ["api-path", "api"]
        Paths "/a: {get: {}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {}, head: {}}" "/a: {head: {}}"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    REMOVED "removed" "a parameter that was not deprecated was removed" Warn ["request-parameter"]
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]" "parameters: []"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    REMOVED_BEFORE_SUNSET "removed-before-sunset"
        "an operation (alone or with its whole path) or a parameter was removed before its sunset"
        Err ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true, x-sunset: 2040-01-01}]" "parameters: []"
        remedy "Keep it until the day of its sunset.";
    REMOVED_AFTER_SUNSET "removed-after-sunset"
        "an operation (alone or with its whole path) or a parameter was removed on or after the day of its sunset"
        Info ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true, x-sunset: 2020-01-01}]" "parameters: []";
    REMOVED_WITH_DEPRECATION "removed-with-deprecation"
        "an operation (alone or with its whole path) or a parameter was removed; it was deprecated, but had no sunset"
        Info ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true}]" "parameters: []";
    DEPRECATED "deprecated" "an operation, a parameter or a property was deprecated without a sunset"
        Info ["endpoint", "request-parameter", "request-property", "response-property"]
        Operation "" "deprecated: true", Parameter "" "deprecated: true", Property "" "deprecated: true";
    DEPRECATED_WITH_SUNSET "deprecated-with-sunset" "an operation or a property was deprecated with a sunset"
        Info ["endpoint", "request-property", "response-property"]
        Operation "" "deprecated: true, x-sunset: 2040-01-01", Property "" "deprecated: true, x-sunset: 2040-01-01";
    REACTIVATED "reactivated" "an operation, a parameter or a property is no longer deprecated"
        Info ["endpoint", "request-parameter", "request-property", "response-property"]
        Operation "deprecated: true" "", Parameter "deprecated: true" "", Property "deprecated: true" "";
    <- DEPRECATED_SUNSET_MISSING "deprecated-sunset-missing"
        "an operation, a parameter or a property was deprecated without the sunset that the policy requires"
        Err ["api", "request-parameter", "request-property", "response-property"]
        remedy "Add `x-sunset: YYYY-MM-DD`.";
    SUNSET_DATE_TOO_SMALL "sunset-date-too-small"
        "an operation, a parameter or a property was deprecated or got a sunset, and the sunset is earlier than the policy allows"
        Err ["api", "request-parameter", "request-property", "response-property"]
        Operation "" "deprecated: true, x-sunset: 2020-01-01", Parameter "" "deprecated: true, x-sunset: 2020-01-01",
        Property "" "deprecated: true, x-sunset: 2020-01-01"
        remedy "Choose a later day for `x-sunset`.";
    DEPRECATED_SUNSET_PARSE "deprecated-sunset-parse" "an operation was deprecated, but its `x-sunset` is not a date"
        Err ["api"] Operation "" "deprecated: true, x-sunset: soon" remedy "Write `x-sunset: YYYY-MM-DD`.";
    SUNSET_PARSE "sunset-parse" "`x-sunset` of a deprecated operation or parameter is not a date"
        Err ["api-path", "request-parameter"]
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: soon",
        Parameter "" "deprecated: true, x-sunset: soon"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    DEPRECATED_SUNSET_INVALID "deprecated-sunset-invalid" "a property was deprecated, but its `x-sunset` is not a date"
        Err ["request-property", "response-property"] Property "" "deprecated: true, x-sunset: soon" remedy "Write `x-sunset: YYYY-MM-DD`.";
    SUNSET_DELETED "sunset-deleted" "`x-sunset` of a deprecated operation or parameter was removed"
        Err ["", "request-parameter"]
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true",
        Parameter "deprecated: true, x-sunset: 2040-01-01" "deprecated: true"
        remedy "Put `x-sunset` back.";
    SUNSET_MOVED_CLOSER "sunset-moved-closer" "the sunset of an operation or a parameter moved to an earlier day"
        Err ["api", "request-parameter"]
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2039-01-01",
        Parameter "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2039-01-01"
        remedy "Keep the sunset that was announced, or choose a later day.";
    SUNSET_DATE_CHANGED_TOO_SMALL "sunset-date-changed-too-small"
        "the sunset of an operation or a parameter moved to an earlier day, which is earlier than the policy allows"
        Err ["api", "request-parameter"]
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2020-01-01",
        Parameter "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2020-01-01"
        remedy "Keep the sunset that was announced, or choose a later day.";
    STABILITY_DECREASED "stability-decreased" "the stability level of an operation or a property dropped"
        Err ["api", "request-property", "response-property"]
        Operation "" "x-stability-level: beta", Property "" "x-stability-level: beta" remedy "Put the stability level back.";
    <- STABILITY_INCREASED "stability-increased" "the stability level of an operation or a property rose"
        Info ["api", "request-property", "response-property"];
    // Security requirements of operations and of the document.
    SECURITY_ADDED "security-added" "a security requirement was added" Info ["api", "api-global"]
        Operation "security: [{k: []}]" "security: [{k: []}, {l: []}]", Document "security: [{k: []}]" "security: [{k: []}, {l: []}]";
    <- SECURITY_REMOVED "security-removed" "a security requirement was removed" Err ["api", "api-global"];
    SECURITY_SCOPE_ADDED "security-scope-added" "a scope was added to a security requirement" Err ["api", "api-global"]
        Operation "security: [{k: []}]" "security: [{k: [a]}]", Document "security: [{k: []}]" "security: [{k: [a]}]";
    <- SECURITY_SCOPE_REMOVED "security-scope-removed" "a scope was removed from a security requirement" Info ["api", "api-global"];
    // Servers of operations and of the document.
    SERVER_ADDED "server-added" "a server was added" Info ["api", "api-global"]
        Operation "servers: [{url: /a}]" "servers: [{url: /a}, {url: /b}]",
        Document "servers: [{url: /a}]" "servers: [{url: /a}, {url: /b}]";
    <- SERVER_REMOVED "server-removed" "a server was removed, and clients that send their requests to it may fail"
        Warn ["api", "api-global"];
    SERVER_MOVED "server-moved" "the address of the first server (with the defaults of its variables) has another path or another host, and no server has the old address"
        Err ["api", "api-global"]
        Operation "servers: [{url: /v1}]" "servers: [{url: /v2}]",
        Document "servers: [{url: 'https://{host}/', variables: {host: {default: a.example}}}]"
            "servers: [{url: 'https://{host}/', variables: {host: {default: b.example}}}]"
        remedy "Keep the address of the first server, and describe the new server in a separate document.";
    // Webhooks and callbacks: the service sends the requests, and the client responds.
    OUTGOING_ADDED "added" "a webhook or a callback was added, or a method was added to an existing one" Info OUTGOING_PLACES
        Document "webhooks: {}" "webhooks: {w: {post: {}}}",
        Operation "callbacks: {}" "callbacks: {c: {'{$request.query.url}': {post: {}}}}";
    <- OUTGOING_REMOVED "removed" "a webhook or a callback was removed, or one of its methods was removed" Err OUTGOING_PLACES
        remedy "Keep sending the requests that the old document describes.";
    OUTGOING_PARAMETER_REMOVED "parameter-removed"
        "a parameter, required or optional, was removed from the requests of a webhook or a callback"
        Err ["webhook-required", "callback-required"], Info ["webhook-optional", "callback-optional"]
        Document "webhooks: {w: {post: {parameters: [{name: X-A, in: header, required: true, schema: {}}]}}}"
            "webhooks: {w: {post: {}}}",
        Document "webhooks: {w: {post: {parameters: [{name: X-A, in: header, schema: {}}]}}}" "webhooks: {w: {post: {}}}",
        Operation "callbacks: {c: {'{$url}': {post: {parameters: [{name: X-A, in: header, required: true, schema: {}}]}}}}"
            "callbacks: {c: {'{$url}': {post: {}}}}",
        Operation "callbacks: {c: {'{$url}': {post: {parameters: [{name: X-A, in: header, schema: {}}]}}}}"
            "callbacks: {c: {'{$url}': {post: {}}}}"
        remedy "Keep sending the parameter.";
    // Parameters, bodies and properties.
    BECAME_REQUIRED "became-required" "a parameter, a member of a header parameter, a body or a property became required"
        Err ["request-parameter", "request-header-property", "request-body", "request-property"],
        Info ["response-property", "response-write-only-property"]
        Parameter "" "required: true",
        Operation "parameters: [{name: X-A, in: header, schema: {type: object, properties: {a: {}}}}]"
            "parameters: [{name: X-A, in: header, schema: {type: object, required: [a], properties: {a: {}}}}]",
        Operation "requestBody: {content: {application/json: {}}}" "requestBody: {required: true, content: {application/json: {}}}",
        Schema "{type: object, properties: {a: {}}}" "{type: object, required: [a], properties: {a: {}}}",
        Schema "{type: object, properties: {a: {writeOnly: true}}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}"
        remedy "Keep it optional; a default can replace a missing value.";
    BECAME_OPTIONAL "became-optional" "a parameter, a body, a property or a header of a response became optional"
        Err ["response-property", "response-header"],
        Info ["request-parameter", "request-body", "request-property", "response-write-only-property"]
        Parameter "required: true" "",
        Operation "requestBody: {required: true, content: {application/json: {}}}" "requestBody: {content: {application/json: {}}}",
        Operation "responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}" "responses: {'200': {headers: {X-A: {schema: {}}}}}",
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, properties: {a: {}}}",
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}" "{type: object, properties: {a: {writeOnly: true}}}";
    MEDIA_TYPE_ADDED "media-type-added" "a media type was added to a body" Info ["request-body", "response"]
        Body "content: {application/json: {}}" "content: {application/json: {}, text/csv: {}}";
    <- MEDIA_TYPE_REMOVED "media-type-removed" "a media type was removed from a body" Err ["request-body", "response"];
    MEDIA_TYPE_SCHEMA_ADDED "media-type-schema-added" "a media type of a body got a schema"
        Err ["request-body"], Info ["response-body"]
        Body "content: {application/json: {}}" "content: {application/json: {schema: {}}}";
    <- MEDIA_TYPE_SCHEMA_REMOVED "media-type-schema-removed" "a media type of a body lost its schema"
        Err ["response-body"], Info ["request-body"];
    STATUS_ADDED "status-added" "a response was added, for a success status or for another status"
        Info ["response-success", "response-non-success"]
        Operation "responses: {'200': {}}" "responses: {'200': {}, '202': {}}",
        Operation "responses: {'200': {}}" "responses: {'200': {}, '404': {}}";
    <- STATUS_REMOVED "status-removed"
        "a response with a success status was removed; or a response with another status was removed, or only a range or `default` still describes it"
        Err ["response-success"], Info ["response-non-success"];
    RESPONSE_HEADER_REMOVED "response-header-removed" "a header, required or optional, was removed from a response"
        Err ["required"], Info ["optional"]
        Operation "responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}" "responses: {'200': {headers: {}}}",
        Operation "responses: {'200': {headers: {X-A: {schema: {}}}}}" "responses: {'200': {headers: {}}}";
    SERIALIZATION_CHANGED "serialization-changed"
        "`style` or `explode` of a parameter or of a header of a response changed, or `content` replaced `schema`, or the media type changed: the value is serialized in another way"
        Err ["request-parameter", "response-header"]
        Operation "parameters: [{name: q, in: query, schema: {type: array, items: {}}}]"
            "parameters: [{name: q, in: query, explode: false, schema: {type: array, items: {}}}]",
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, content: {application/json: {schema: {type: string}}}}]",
        Operation "responses: {'200': {headers: {X-A: {schema: {type: string}}}}}"
            "responses: {'200': {headers: {X-A: {content: {application/json: {schema: {type: string}}}}}}}";
    PROPERTY_ADDED "property-added" "a property was added to a response; it may be required or optional, and may be `writeOnly`"
        Info ["response-required", "response-optional", "response-required-write-only", "response-optional-write-only"]
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {}}}",
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {}}}",
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}",
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {writeOnly: true}}}";
    <- PROPERTY_REMOVED "property-removed"
        "a property was removed from a request, or from a response, where it may be required or optional, and may be `writeOnly`"
        Err ["response-required"], Warn ["request"],
        Info ["response-optional", "response-required-write-only", "response-optional-write-only"];
    NO_LONGER_ACCEPTED "no-longer-accepted"
        "a required or optional property of a request became `readOnly`: the service ignores the value that clients send"
        Err ["request-required-property"], Warn ["request-optional-property"]
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {readOnly: true}}}",
        Property "" "readOnly: true"
        remedy "Keep accepting the property.";
    NO_LONGER_SENT "no-longer-sent"
        "an optional property of a response was removed or became `writeOnly`, or an optional header was removed, and it was not deprecated until its sunset"
        Err ["response-optional-property", "response-optional-header"]
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {}}",
        Operation "responses: {'200': {headers: {Link: {schema: {}}}}}" "responses: {'200': {headers: {}}}"
        remedy "Keep sending it, and deprecate it with `x-sunset` before you remove it.";
    BECAME_READ_ONLY "became-read-only" "a property became `readOnly`" Info REQUIRED_OR_NOT
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {readOnly: true}}}",
        Property "" "readOnly: true";
    <- BECAME_NOT_READ_ONLY "became-not-read-only" "a property is no longer `readOnly`" Info REQUIRED_OR_NOT;
    BECAME_WRITE_ONLY "became-write-only" "a property became `writeOnly`" Info REQUIRED_OR_NOT
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}",
        Property "" "writeOnly: true";
    <- BECAME_NOT_WRITE_ONLY "became-not-write-only" "a property is no longer `writeOnly`" Info REQUIRED_OR_NOT;
    // Keywords of schemas.
    LIST_OF_TYPES_NARROWED "list-of-types-narrowed" "a type was removed from a choice of types" Err ALL_REQUESTS, Info RESPONSES
        Schema "{oneOf: [{type: string}, {type: boolean}]}" "{type: string}";
    <- LIST_OF_TYPES_WIDENED "list-of-types-widened" "a type was added to a choice of types" Err RESPONSES, Info ALL_REQUESTS;
    ONE_OF_ADDED "one-of-added" "an alternative was added to `oneOf`, or `oneOf` to a schema without a type"
        Err RESPONSES, Info ALL_REQUESTS
        Schema "{oneOf: [{title: A}, {title: B}]}" "{oneOf: [{title: A}, {title: B}, {title: C}]}";
    <- ONE_OF_REMOVED "one-of-removed" "an alternative was removed from `oneOf`" Err ALL_REQUESTS, Info RESPONSES;
    ONE_OF_LIFTED "one-of-lifted" "`oneOf` was removed from a schema that has a type of its own"
        Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, oneOf: [{title: A, required: [a]}, {title: B, required: [b]}]}" "{type: object}";
    <- ONE_OF_RESTRICTED "one-of-restricted" "`oneOf` was added to a schema that has a type of its own" Err ALL_REQUESTS;
    ANY_OF_ADDED "any-of-added" "an alternative was added to `anyOf`, or `anyOf` to a schema without a type"
        Err RESPONSES, Info ALL_REQUESTS
        Schema "{anyOf: [{title: A}, {title: B}]}" "{anyOf: [{title: A}, {title: B}, {title: C}]}";
    <- ANY_OF_REMOVED "any-of-removed" "an alternative was removed from `anyOf`" Err ALL_REQUESTS, Info RESPONSES;
    ANY_OF_LIFTED "any-of-lifted" "`anyOf` was removed from a schema that has a type of its own"
        Warn RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, anyOf: [{title: A, required: [a]}, {title: B, required: [b]}]}" "{type: object}";
    <- ANY_OF_RESTRICTED "any-of-restricted" "`anyOf` was added to a schema that has a type of its own" Err ALL_REQUESTS;
    WRAPPED_IN_ONE_OF "wrapped-in-one-of" "the properties of a body moved into alternatives of `oneOf`"
        Err ["request-body", "response-body"]
        Schema "{type: object, properties: {a: {}, b: {}}}" "{oneOf: [{title: A, properties: {a: {}}}, {title: B, properties: {b: {}}}]}";
    WRAPPED_IN_ONE_OF_ORIGINAL_PRESERVED "wrapped-in-one-of-original-preserved"
        "the schema of a body became one of the alternatives of `oneOf`" Warn ["request-body", "response-body"]
        Schema "{type: object, properties: {a: {}}}" "{oneOf: [{type: object, properties: {a: {}}}, {title: B, properties: {b: {}}}]}";
    ALL_OF_ADDED "all-of-added" "a schema was added to `allOf`" Err ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}]}" "{allOf: [{required: [a]}, {required: [b]}]}";
    <- ALL_OF_REMOVED "all-of-removed" "a schema was removed from `allOf`" Err RESPONSES, Info ALL_REQUESTS;
    ALL_OF_ADDED_ANNOTATION_ONLY "all-of-added-annotation-only" "a schema that restricts nothing was added to `allOf`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}]}" "{allOf: [{required: [a]}, {title: Note}]}";
    <- ALL_OF_REMOVED_ANNOTATION_ONLY "all-of-removed-annotation-only" "a schema that restricts nothing was removed from `allOf`"
        Info ALL_REQUESTS, Info RESPONSES;
    NOT_ADDED "not-added" "`not` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, not: {enum: [a]}}";
    <- NOT_REMOVED "not-removed" "`not` was removed" Warn RESPONSES, Info ALL_REQUESTS;
    NOT_CHANGED "not-changed" "the schema of `not` changed" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: string, not: {enum: [a]}}" "{type: string, not: {enum: [b]}}";
    TYPE_CHANGED "type-changed" "`type` or `format` changed, and the old type and the new type are not compatible"
        Err REQUESTS, Err RESPONSES, Warn ["request-parameter-property"]
        Schema "{type: integer}" "{type: string}",
        Schema "{type: string}" "{type: boolean}";
    TYPE_GENERALIZED "type-generalized" "`type` or `format` became wider" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: integer}" "{type: number}";
    TYPE_COMPATIBLE "type-compatible" "the type changed, but values of both types are sent as the same text"
        Info BODIES, Info ["response-header"]
        Schema "{type: integer}" "{type: string}",
        Schema "{type: string}" "{type: integer}";
    TYPE_SPECIALIZED "type-specialized" "`type` or `format` became narrower"
        Err ["request-parameter-property"], Info RESPONSES
        Schema "{type: number}" "{type: integer}",
        Schema "{type: string}" "{type: boolean}";
    BECAME_NULLABLE "became-nullable" "`nullable` was set: `null` is now allowed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: string}" "{type: string, nullable: true}";
    <- BECAME_NOT_NULLABLE "became-not-nullable" "`nullable` was removed: `null` is rejected" Err ALL_REQUESTS, Info RESPONSES;
    BECAME_ENUM "became-enum" "`enum` was added: only the listed values are allowed"
        Err ALL_REQUESTS, Err ["request-header-property"], Info RESPONSES
        Schema "{type: string}" "{type: string, enum: [a]}",
        Operation "parameters: [{name: X-A, in: header, schema: {}}]" "parameters: [{name: X-A, in: header, schema: {enum: [b]}}]";
    ENUM_LIFTED "enum-lifted" "`enum` was removed: values are not restricted to a list" Warn RESPONSES, Info ALL_REQUESTS
        Schema "{type: string, enum: [a]}" "{type: string}";
    ENUM_VALUE_ADDED "enum-value-added" "a value was added to `enum`"
        Err RESPONSES, Info ALL_REQUESTS, Info ["response-write-only-property"]
        Schema "{type: string, enum: [a]}" "{type: string, enum: [a, b]}";
    <- ENUM_VALUE_REMOVED "enum-value-removed" "a value was removed from `enum`"
        Err ALL_REQUESTS, Info ["response-property", "response-header", "request-read-only-property"];
    X_EXTENSIBLE_ENUM_VALUE_REMOVED "x-extensible-enum-value-removed" "a value was removed from `x-extensible-enum`"
        Err ALL_REQUESTS
        Schema "{type: string, x-extensible-enum: [a, b]}" "{type: string, x-extensible-enum: [a]}";
    PATTERN_ADDED "pattern-added" "`pattern` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, pattern: ^a}";
    <- PATTERN_REMOVED "pattern-removed" "`pattern` was removed" Err RESPONSES, Info ALL_REQUESTS;
    PATTERN_GENERALIZED "pattern-generalized" "`pattern` was replaced by a pattern that every string matches" Info ALL_REQUESTS
        Schema "{type: string, pattern: ^a}" "{type: string, pattern: '.*'}";
    PATTERN_CHANGED "pattern-changed" "`pattern` changed; it is unknown whether the new pattern allows every string that the old one allowed"
        Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: string, pattern: ^a}" "{type: string, pattern: ^b}";
    PATTERN_TIGHTENED "pattern-tightened" "`pattern` changed, and rejects a string that it allowed before" Err ALL_REQUESTS
        Schema "{type: string, pattern: '^[a-z]+$'}" "{type: string, pattern: '^[a-z]{3}$'}";
    DEFAULT_VALUE_ADDED "default-value-added"
        "`default` was added: the server behaves differently if the parameter is absent" Info ["request-parameter"], Info BODIES
        Schema "{type: string}" "{type: string, default: a}";
    <- DEFAULT_VALUE_REMOVED "default-value-removed"
        "`default` was removed: the server behaves differently if the parameter is absent" Info ["request-parameter"], Info BODIES;
    DEFAULT_VALUE_CHANGED "default-value-changed"
        "`default` changed: the server behaves differently if the parameter is absent" Info ["request-parameter"], Info BODIES
        Schema "{type: string, default: a}" "{type: string, default: b}";
    ADDITIONAL_PROPERTIES_CLOSED "additional-properties-closed" "`additionalProperties: false` was added: unknown members are rejected"
        Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, additionalProperties: false}";
    <- ADDITIONAL_PROPERTIES_OPENED "additional-properties-opened" "`additionalProperties: false` was removed: unknown members are allowed"
        Info ALL_REQUESTS, Info RESPONSES;
    ADDITIONAL_PROPERTIES_RESTRICTED "additional-properties-restricted" "`additionalProperties` became a schema that unknown members must match"
        Warn ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, additionalProperties: {type: string}}";
    <- ADDITIONAL_PROPERTIES_UNRESTRICTED "additional-properties-unrestricted"
        "the schema of `additionalProperties` was removed, or became `true`: unknown members may have any value"
        Err RESPONSES, Info ALL_REQUESTS;
    DISCRIMINATOR_ADDED "discriminator-added" "`discriminator` was added" Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, discriminator: {propertyName: a}}";
    <- DISCRIMINATOR_REMOVED "discriminator-removed" "`discriminator` was removed" Info ALL_REQUESTS, Info RESPONSES;
    DISCRIMINATOR_PROPERTY_NAME_CHANGED "discriminator-property-name-changed" "`discriminator.propertyName` changed"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object, discriminator: {propertyName: a}}" "{type: object, discriminator: {propertyName: b}}";
    DISCRIMINATOR_MAPPING_ADDED "discriminator-mapping-added" "a value was added to `discriminator.mapping`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{discriminator: {propertyName: a, mapping: {v: A}}}" "{discriminator: {propertyName: a, mapping: {v: A, w: B}}}";
    <- DISCRIMINATOR_MAPPING_DELETED "discriminator-mapping-deleted" "a value was removed from `discriminator.mapping`"
        Info ALL_REQUESTS, Info RESPONSES;
    DISCRIMINATOR_MAPPING_CHANGED "discriminator-mapping-changed" "a value of `discriminator.mapping` now leads to another schema"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{discriminator: {propertyName: a, mapping: {v: A}}}" "{discriminator: {propertyName: a, mapping: {v: B}}}";
    DISCRIMINATOR_INCOMPATIBLE "discriminator-incompatible"
        "the two documents choose the alternative in different ways: by another property, without `discriminator`, or by other values"
        Err ALL_REQUESTS, Err RESPONSES
        Schema "{type: object, discriminator: {propertyName: a}}" "{type: object, discriminator: {propertyName: b}}"
        remedy "Keep the property of the discriminator, and each of its values.";
}

/// Declares changes in the requests of webhooks and callbacks. A declaration contains the name of the constant, the level, the
/// ending of the ids, the meaning, the operation in the base and in the revision, and a remedy.
macro_rules! outgoing {
    ($($name:ident $level:ident $ending:literal $meaning:literal $base:literal $revision:literal $(remedy $remedy:literal)?;)+) => {
        $(pub(crate) static $name: Family = Family {
            ending: $ending,
            meaning: $meaning,
            levels: &[(Level::$level, &OUTGOING_PLACES)],
            examples: &[
                (
                    Part::Document,
                    concat!("webhooks: {w: {post: ", $base, "}}"),
                    concat!("webhooks: {w: {post: ", $revision, "}}"),
                ),
                (
                    Part::Operation,
                    concat!("callbacks: {c: {'{$url}': {post: ", $base, "}}}"),
                    concat!("callbacks: {c: {'{$url}': {post: ", $revision, "}}}"),
                ),
            ],
            own_remedy: [$(Some($remedy),)? None][0],
        };)+

        pub(super) static OUTGOING: &[&Family] = &[$(&$name),+];
    };
}

outgoing! {
    OUTGOING_BODY_ADDED Info "body-added" "a body was added to the requests of a webhook or a callback"
        "{}" "{requestBody: {content: {application/json: {}}}}";
    OUTGOING_BODY_REMOVED Err "body-removed" "the body was removed from the requests of a webhook or a callback"
        "{requestBody: {content: {application/json: {}}}}" "{}"
        remedy "Keep sending the body.";
    OUTGOING_BODY_BECAME_REQUIRED Info "body-became-required"
        "the body of the requests of a webhook or a callback is always sent"
        "{requestBody: {content: {application/json: {}}}}" "{requestBody: {required: true, content: {application/json: {}}}}";
    OUTGOING_BODY_BECAME_OPTIONAL Err "body-became-optional"
        "the body of the requests of a webhook or a callback is no longer always sent"
        "{requestBody: {required: true, content: {application/json: {}}}}" "{requestBody: {content: {application/json: {}}}}"
        remedy "Keep sending the body.";
    OUTGOING_MEDIA_TYPE_ADDED Warn "media-type-added"
        "the body of the requests of a webhook or a callback may have a new media type, and the receiver cannot choose the media type"
        "{requestBody: {content: {application/json: {}}}}" "{requestBody: {content: {application/json: {}, text/csv: {}}}}";
    OUTGOING_PARAMETER_ADDED Info "parameter-added" "a parameter was added to the requests of a webhook or a callback"
        "{}" "{parameters: [{name: X-A, in: header, schema: {}}]}";
    OUTGOING_PARAMETER_BECAME_REQUIRED Info "parameter-became-required"
        "a parameter of the requests of a webhook or a callback is always sent"
        "{parameters: [{name: X-A, in: header, schema: {}}]}" "{parameters: [{name: X-A, in: header, required: true, schema: {}}]}";
    OUTGOING_PARAMETER_BECAME_OPTIONAL Err "parameter-became-optional"
        "a parameter of the requests of a webhook or a callback is no longer always sent"
        "{parameters: [{name: X-A, in: header, required: true, schema: {}}]}" "{parameters: [{name: X-A, in: header, schema: {}}]}"
        remedy "Keep sending the parameter.";
    OUTGOING_RESPONSE_ADDED Info "response-added"
        "the receiver of a webhook or a callback may respond with another status"
        "{responses: {'200': {}}}" "{responses: {'200': {}, '202': {}}}";
    OUTGOING_RESPONSE_REMOVED Err "response-removed"
        "the service no longer expects a status with which the receiver of a webhook or a callback may respond"
        "{responses: {'200': {}, '202': {}}}" "{responses: {'200': {}}}"
        remedy "Keep accepting the status.";
    OUTGOING_RESPONSE_HEADER_BECAME_REQUIRED Err "response-header-became-required"
        "the receiver of a webhook or a callback must send a header that it did not have to send"
        "{responses: {'200': {}}}" "{responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}}"
        remedy "Make it optional.";
}

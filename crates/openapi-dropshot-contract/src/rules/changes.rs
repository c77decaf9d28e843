//! The rules for changes. Ids and levels are oasdiff's
//! (<https://github.com/oasdiff/oasdiff>) where oasdiff has the rule; the
//! others are named after the nearest one.

use super::{ChangeRule, Family, Level, Part};

/// Declares rules that apply at one place each: the name of the constant, the
/// level, the id, the meaning, the part of a document that the example shows,
/// the example (base and revision), and a remedy where the general one would
/// not do.
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

/// Declares one change at different places: the name of the constant, the end of
/// the ids, the meaning, the levels with their places, examples, and a remedy for
/// the rules whose level is not `Info`. The id of a rule is its place, a hyphen and
/// the end, such as `request-body-max-increased`.
macro_rules! families {
    ($($name:ident $ending:literal $meaning:literal $($level:ident $places:tt),+
       $($part:ident $base:literal $revision:literal),+ $(remedy $remedy:literal)?;)+) => {
        $(pub(crate) static $name: Family = Family {
            ending: $ending,
            meaning: $meaning,
            levels: &[$((Level::$level, &$places)),+],
            examples: &[$((Part::$part, $base, $revision)),+],
            own_remedy: [$(Some($remedy),)? None][0],
        };)+

        pub(super) static FAMILIES: &[&Family] = &[$(&$name),+];
    };
}

const REQUESTS: [&str; 3] = ["request-body", "request-property", "request-parameter"];
/// All places in requests, also the members of objects in parameters.
const ALL_REQUESTS: [&str; 4] = [
    "request-body",
    "request-property",
    "request-parameter",
    "request-parameter-property",
];
const RESPONSES: [&str; 3] = ["response-body", "response-property", "response-header"];
const BODIES: [&str; 4] = [
    "request-body",
    "request-property",
    "response-body",
    "response-property",
];
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
    API_WAITER_ADDED Info "api-waiter-added" "an entry was added to `x-waiters`, and clients get a method"
        Operation "" "x-waiters: {done: {path: /status, success: [a]}}";
    API_WAITER_REMOVED Err "api-waiter-removed" "an entry was removed from `x-waiters`, and clients lose a method"
        Operation "x-waiters: {done: {path: /status, success: [a]}}" "" remedy "Put the entry back.";
    API_WAITER_CHANGED Warn "api-waiter-changed" "an entry of `x-waiters` changed, and older clients go on with the earlier one"
        Operation "x-waiters: {done: {path: /status, success: [a]}}" "x-waiters: {done: {path: /status, success: [b]}}"
        remedy "Add an entry with another name.";
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
        "a component schema was removed; clients on the wire do not see its name, generated code does"
        Document "components: {schemas: {A: {}}}" "components: {schemas: {}}";
    API_VERSION_DECREASED Info "api-version-decreased" "`info.version` went back"
        Document "info: {title: T, version: 1.1.0}" "info: {title: T, version: 1.0.0}"
        remedy "Write the next version into `info.version`.";
    API_VERSION_NOT_BUMPED Info "api-version-not-bumped" "the document changed, and `info.version` did not"
        Document "components: {schemas: {A: {}}}" "components: {schemas: {}}"
        remedy "Write the next version into `info.version`.";
    API_MAJOR_VERSION_NOT_BUMPED Info "api-major-version-not-bumped"
        "a change breaks clients, and the major version did not grow"
        Document "info: {title: T, version: 1.0.0}, paths: {/a: {get: {}}}" "info: {title: T, version: 1.0.1}, paths: {}"
        remedy "Write the next version into `info.version`.";
    // Security.
    API_SECURITY_BECAME_REQUIRED Warn "api-security-became-required"
        "an operation could be called without credentials and no longer can"
        Operation "" "security: [{k: []}]";
    SECURITY_COMPONENT_ADDED Info "api-security-component-added" "a security scheme was added"
        Document "components: {securitySchemes: {}}" "components: {securitySchemes: {k: {type: http, scheme: bearer}}}";
    SECURITY_COMPONENT_REMOVED Info "api-security-component-removed" "a security scheme was removed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}" "components: {securitySchemes: {}}";
    SECURITY_COMPONENT_TYPE_CHANGED Info "api-security-component-type-changed" "the type of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}"
            "components: {securitySchemes: {k: {type: apiKey, name: key, in: header}}}";
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
        remedy "Describe the longer path as an operation of its own.";
    NEW_REQUIRED_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH Err "new-required-request-default-parameter-to-existing-path"
        "a required parameter was added for all operations of a path"
        Paths "/a: {parameters: [], get: {}}" "/a: {parameters: [{name: q, in: query, schema: {}, required: true}], get: {}}"
        remedy "Make it optional.";
    NEW_OPTIONAL_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH Info "new-optional-request-default-parameter-to-existing-path"
        "an optional parameter was added for all operations of a path"
        Paths "/a: {parameters: [], get: {}}" "/a: {parameters: [{name: q, in: query, schema: {}}], get: {}}";
    REQUEST_PARAMETER_EMPTY_VALUE_REFUSED Err "request-parameter-empty-value-refused"
        "`allowEmptyValue` was removed: a parameter may not be empty" Parameter "allowEmptyValue: true" "";
    REQUEST_PARAMETER_SERIALIZATION_CHANGED Err "request-parameter-serialization-changed"
        "`style` or `explode` of a parameter changed: it is written in another way"
        Operation "parameters: [{name: q, in: query, schema: {type: array, items: {}}}]"
            "parameters: [{name: q, in: query, explode: false, schema: {type: array, items: {}}}]";
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
        "a media type of a response became a wider one"
        Body "content: {application/problem+json: {}}" "content: {application/json: {}}";
    RESPONSE_MEDIA_TYPE_NAME_SPECIALIZED Info "response-media-type-name-specialized"
        "a media type of a response became a narrower one"
        Body "content: {application/json: {}}" "content: {application/problem+json: {}}";
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
        "a property was removed from a request, and other members are rejected"
        Schema "{type: object, additionalProperties: false, properties: {a: {}}}"
            "{type: object, additionalProperties: false, properties: {}}"
        remedy "Keep accepting the property, or allow other members.";
}

families! {
    // Removal, deprecation and stability.
    REMOVED_WITHOUT_DEPRECATION "removed-without-deprecation"
        "an operation was removed, alone or with its path, and was not deprecated" Err ["api-path", "api"]
        Paths "/a: {get: {}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {}, head: {}}" "/a: {head: {}}"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    REMOVED "removed" "a parameter was removed and was not deprecated" Warn ["request-parameter"]
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]" "parameters: []"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    REMOVED_BEFORE_SUNSET "removed-before-sunset"
        "an operation, alone or with its path, or a parameter was removed before the day of its sunset"
        Err ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true, x-sunset: 2040-01-01}]" "parameters: []"
        remedy "Keep it until the day of its sunset.";
    REMOVED_AFTER_SUNSET "removed-after-sunset"
        "an operation, alone or with its path, or a parameter was removed on or after the day of its sunset"
        Info ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true, x-sunset: 2020-01-01}]" "parameters: []";
    REMOVED_WITH_DEPRECATION "removed-with-deprecation"
        "an operation, alone or with its path, or a parameter was removed; it was deprecated without a sunset"
        Info ["api-path", "api", "request-parameter"]
        Paths "/a: {get: {deprecated: true}}, /b: {get: {}}" "/b: {get: {}}",
        Paths "/a: {get: {deprecated: true}, head: {}}" "/a: {head: {}}",
        Operation "parameters: [{name: q, in: query, schema: {}, deprecated: true}]" "parameters: []";
    DEPRECATED "deprecated" "an operation, a parameter or a property became deprecated, without a sunset"
        Info ["endpoint", "request-parameter", "request-property", "response-property"]
        Operation "" "deprecated: true", Parameter "" "deprecated: true", Property "" "deprecated: true";
    DEPRECATED_WITH_SUNSET "deprecated-with-sunset" "an operation or a property became deprecated, with a sunset"
        Info ["endpoint", "request-property", "response-property"]
        Operation "" "deprecated: true, x-sunset: 2040-01-01", Property "" "deprecated: true, x-sunset: 2040-01-01";
    REACTIVATED "reactivated" "an operation, a parameter or a property is deprecated no longer"
        Info ["endpoint", "request-parameter", "request-property", "response-property"]
        Operation "deprecated: true" "", Parameter "deprecated: true" "", Property "deprecated: true" "";
    DEPRECATED_SUNSET_MISSING "deprecated-sunset-missing"
        "an operation, a parameter or a property became deprecated without the sunset that the policy requires"
        Err ["api", "request-parameter", "request-property", "response-property"]
        Operation "" "deprecated: true", Parameter "" "deprecated: true", Property "" "deprecated: true"
        remedy "Add `x-sunset: YYYY-MM-DD`.";
    SUNSET_DATE_TOO_SMALL "sunset-date-too-small"
        "an operation, a parameter or a property became deprecated with a sunset earlier than the policy allows"
        Err ["api", "request-parameter", "request-property", "response-property"]
        Operation "" "deprecated: true, x-sunset: 2020-01-01", Parameter "" "deprecated: true, x-sunset: 2020-01-01",
        Property "" "deprecated: true, x-sunset: 2020-01-01"
        remedy "Choose a later day for `x-sunset`.";
    DEPRECATED_SUNSET_PARSE "deprecated-sunset-parse" "an operation became deprecated, and its `x-sunset` is not a date"
        Err ["api"] Operation "" "deprecated: true, x-sunset: soon" remedy "Write `x-sunset: YYYY-MM-DD`.";
    SUNSET_PARSE "sunset-parse" "`x-sunset` of a deprecated operation or parameter is not a date"
        Err ["api-path", "request-parameter"]
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: soon",
        Parameter "" "deprecated: true, x-sunset: soon"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    DEPRECATED_SUNSET_INVALID "deprecated-sunset-invalid" "a property became deprecated, and its `x-sunset` is not a date"
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
    STABILITY_INCREASED "stability-increased" "the stability level of an operation or a property rose"
        Info ["api", "request-property", "response-property"]
        Operation "x-stability-level: beta" "", Property "x-stability-level: beta" "";
    // Security requirements of operations and of the document.
    SECURITY_ADDED "security-added" "a security requirement was added" Info ["api", "api-global"]
        Operation "security: [{k: []}]" "security: [{k: []}, {l: []}]", Document "security: [{k: []}]" "security: [{k: []}, {l: []}]";
    SECURITY_REMOVED "security-removed" "a security requirement was removed" Info ["api", "api-global"]
        Operation "security: [{k: []}, {l: []}]" "security: [{k: []}]", Document "security: [{k: []}, {l: []}]" "security: [{k: []}]";
    SECURITY_SCOPE_ADDED "security-scope-added" "a scope was added to a security requirement" Info ["api", "api-global"]
        Operation "security: [{k: []}]" "security: [{k: [a]}]", Document "security: [{k: []}]" "security: [{k: [a]}]";
    SECURITY_SCOPE_REMOVED "security-scope-removed" "a scope was removed from a security requirement" Info ["api", "api-global"]
        Operation "security: [{k: [a]}]" "security: [{k: []}]", Document "security: [{k: [a]}]" "security: [{k: []}]";
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
    MEDIA_TYPE_REMOVED "media-type-removed" "a media type was removed from a body" Err ["request-body", "response"]
        Body "content: {application/json: {}, text/csv: {}}" "content: {application/json: {}}";
    MEDIA_TYPE_SCHEMA_ADDED "media-type-schema-added" "a media type of a body got a schema"
        Err ["request-body"], Info ["response-body"]
        Body "content: {application/json: {}}" "content: {application/json: {schema: {}}}";
    MEDIA_TYPE_SCHEMA_REMOVED "media-type-schema-removed" "a media type of a body lost its schema"
        Warn ["response-body"], Info ["request-body"]
        Body "content: {application/json: {schema: {}}}" "content: {application/json: {}}";
    STATUS_ADDED "status-added" "a response with a status of success or another status was added"
        Info ["response-success", "response-non-success"]
        Operation "responses: {'200': {}}" "responses: {'200': {}, '202': {}}",
        Operation "responses: {'200': {}}" "responses: {'200': {}, '404': {}}";
    STATUS_REMOVED "status-removed"
        "a response with a status of success was removed; a response with another status was removed, or is described by a range alone"
        Err ["response-success"], Info ["response-non-success"]
        Operation "responses: {'200': {}, '202': {}}" "responses: {'200': {}}",
        Operation "responses: {'200': {}, '404': {}}" "responses: {'200': {}}";
    RESPONSE_HEADER_REMOVED "response-header-removed" "a header, required or optional, was removed from a response"
        Err ["required"], Warn ["optional"]
        Operation "responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}" "responses: {'200': {headers: {}}}",
        Operation "responses: {'200': {headers: {X-A: {schema: {}}}}}" "responses: {'200': {headers: {}}}";
    PROPERTY_ADDED "property-added" "a property, required or optional, sent or `writeOnly`, was added to a response"
        Info ["response-required", "response-optional", "response-required-write-only", "response-optional-write-only"]
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {}}}",
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {}}}",
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}",
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {writeOnly: true}}}";
    PROPERTY_REMOVED "property-removed"
        "a property was removed from a request; a property, required or optional, sent or `writeOnly`, was removed from a response"
        Err ["response-required"], Warn ["request", "response-optional"],
        Info ["response-required-write-only", "response-optional-write-only"]
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, properties: {}}",
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {}}",
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}" "{type: object, properties: {}}",
        Schema "{type: object, properties: {a: {writeOnly: true}}}" "{type: object, properties: {}}";
    BECAME_READ_ONLY "became-read-only" "a property became `readOnly`" Info REQUIRED_OR_NOT
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {readOnly: true}}}",
        Property "" "readOnly: true";
    BECAME_NOT_READ_ONLY "became-not-read-only" "a property is `readOnly` no longer" Info REQUIRED_OR_NOT
        Schema "{type: object, required: [a], properties: {a: {readOnly: true}}}" "{type: object, required: [a], properties: {a: {}}}",
        Property "readOnly: true" "";
    BECAME_WRITE_ONLY "became-write-only" "a property became `writeOnly`" Info REQUIRED_OR_NOT
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}",
        Property "" "writeOnly: true";
    BECAME_NOT_WRITE_ONLY "became-not-write-only" "a property is `writeOnly` no longer"
        Warn ["response-required-property"],
        Info ["request-required-property", "request-optional-property", "response-optional-property"]
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}" "{type: object, required: [a], properties: {a: {}}}",
        Property "writeOnly: true" "";
    // Keywords of schemas.
    MAX_INCREASED "max-increased" "`maximum` became larger" Err RESPONSES, Info REQUESTS
        Schema "{type: integer, maximum: 5}" "{type: integer, maximum: 9}";
    MAX_DECREASED "max-decreased" "`maximum` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, maximum: 9}" "{type: integer, maximum: 5}";
    MAX_SET "max-set" "`maximum` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, maximum: 5}";
    MAX_UNSET "max-unset" "`maximum` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: integer, maximum: 5}" "{type: integer}";
    MIN_INCREASED "min-increased" "`minimum` became larger"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, minimum: 5}" "{type: integer, minimum: 9}";
    MIN_DECREASED "min-decreased" "`minimum` became smaller" Err RESPONSES, Info REQUESTS
        Schema "{type: integer, minimum: 9}" "{type: integer, minimum: 5}";
    MIN_SET "min-set" "`minimum` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, minimum: 5}";
    MIN_UNSET "min-unset" "`minimum` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: integer, minimum: 5}" "{type: integer}";
    MAX_LENGTH_INCREASED "max-length-increased" "`maxLength` became larger" Err RESPONSES, Info REQUESTS
        Schema "{type: string, maxLength: 5}" "{type: string, maxLength: 9}";
    MAX_LENGTH_DECREASED "max-length-decreased" "`maxLength` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: string, maxLength: 9}" "{type: string, maxLength: 5}";
    MAX_LENGTH_SET "max-length-set" "`maxLength` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, maxLength: 5}";
    MAX_LENGTH_UNSET "max-length-unset" "`maxLength` was removed" Err RESPONSES, Info REQUESTS
        Schema "{type: string, maxLength: 5}" "{type: string}";
    MIN_LENGTH_INCREASED "min-length-increased" "`minLength` became larger or was added" Err REQUESTS, Info RESPONSES
        Schema "{type: string, minLength: 5}" "{type: string, minLength: 9}",
        Schema "{type: string}" "{type: string, minLength: 5}";
    MIN_LENGTH_DECREASED "min-length-decreased" "`minLength` became smaller, or it was removed from a response"
        Err RESPONSES, Info REQUESTS
        Schema "{type: string, minLength: 9}" "{type: string, minLength: 5}",
        Schema "{type: string, minLength: 5}" "{type: string}";
    MIN_LENGTH_UNSET "min-length-unset" "`minLength` was removed" Info REQUESTS
        Schema "{type: string, minLength: 5}" "{type: string}";
    MAX_ITEMS_INCREASED "max-items-increased" "`maxItems` became larger" Warn RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, maxItems: 5}" "{type: array, items: {}, maxItems: 9}";
    MAX_ITEMS_DECREASED "max-items-decreased" "`maxItems` became smaller" Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, maxItems: 9}" "{type: array, items: {}, maxItems: 5}";
    MAX_ITEMS_SET "max-items-set" "`maxItems` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, maxItems: 5}";
    MAX_ITEMS_UNSET "max-items-unset" "`maxItems` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, maxItems: 5}" "{type: array, items: {}}";
    MIN_ITEMS_INCREASED "min-items-increased" "`minItems` became larger" Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, minItems: 5}" "{type: array, items: {}, minItems: 9}";
    MIN_ITEMS_DECREASED "min-items-decreased" "`minItems` became smaller" Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, minItems: 9}" "{type: array, items: {}, minItems: 5}";
    MIN_ITEMS_SET "min-items-set" "`minItems` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, minItems: 5}";
    MIN_ITEMS_UNSET "min-items-unset" "`minItems` was removed" Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, minItems: 5}" "{type: array, items: {}}";
    MAX_PROPERTIES_INCREASED "max-properties-increased" "`maxProperties` became larger" Warn RESPONSES, Info REQUESTS
        Schema "{type: object, maxProperties: 5}" "{type: object, maxProperties: 9}";
    MAX_PROPERTIES_DECREASED "max-properties-decreased" "`maxProperties` became smaller" Err REQUESTS, Info RESPONSES
        Schema "{type: object, maxProperties: 9}" "{type: object, maxProperties: 5}";
    MAX_PROPERTIES_SET "max-properties-set" "`maxProperties` was added" Warn REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, maxProperties: 5}";
    MAX_PROPERTIES_UNSET "max-properties-unset" "`maxProperties` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: object, maxProperties: 5}" "{type: object}";
    MIN_PROPERTIES_INCREASED "min-properties-increased" "`minProperties` became larger or was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: object, minProperties: 5}" "{type: object, minProperties: 9}",
        Schema "{type: object}" "{type: object, minProperties: 5}";
    MIN_PROPERTIES_DECREASED "min-properties-decreased" "`minProperties` became smaller" Warn RESPONSES, Info REQUESTS
        Schema "{type: object, minProperties: 9}" "{type: object, minProperties: 5}";
    MIN_PROPERTIES_UNSET "min-properties-unset" "`minProperties` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: object, minProperties: 5}" "{type: object}";
    MULTIPLE_OF_ADDED "multiple-of-added" "`multipleOf` was added" Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, multipleOf: 5}";
    MULTIPLE_OF_REMOVED "multiple-of-removed" "`multipleOf` was removed" Warn RESPONSES, Info REQUESTS
        Schema "{type: integer, multipleOf: 5}" "{type: integer}";
    MULTIPLE_OF_GENERALIZED "multiple-of-generalized" "`multipleOf` became a divisor of what it was"
        Warn RESPONSES, Info REQUESTS
        Schema "{type: integer, multipleOf: 10}" "{type: integer, multipleOf: 5}";
    MULTIPLE_OF_CHANGED "multiple-of-changed" "`multipleOf` changed, and the old number is not a multiple of the new one"
        Err REQUESTS, Warn RESPONSES
        Schema "{type: integer, multipleOf: 5}" "{type: integer, multipleOf: 3}";
    UNIQUE_ITEMS_ADDED "unique-items-added" "`uniqueItems` was set: an item may not be repeated"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, uniqueItems: true}";
    UNIQUE_ITEMS_REMOVED "unique-items-removed" "`uniqueItems` was removed: an item may be repeated"
        Warn RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, uniqueItems: true}" "{type: array, items: {}}";
    LIST_OF_TYPES_NARROWED "list-of-types-narrowed" "a choice of types lost a type" Err ALL_REQUESTS, Info RESPONSES
        Schema "{oneOf: [{type: string}, {type: boolean}]}" "{type: string}";
    LIST_OF_TYPES_WIDENED "list-of-types-widened" "a choice of types gained a type" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: string}" "{oneOf: [{type: string}, {type: boolean}]}";
    ONE_OF_ADDED "one-of-added" "an alternative was added to `oneOf`, or `oneOf` to a schema without a type"
        Err RESPONSES, Info ALL_REQUESTS
        Schema "{oneOf: [{title: A}, {title: B}]}" "{oneOf: [{title: A}, {title: B}, {title: C}]}";
    ONE_OF_REMOVED "one-of-removed" "an alternative was removed from `oneOf`" Err ALL_REQUESTS, Info RESPONSES
        Schema "{oneOf: [{title: A}, {title: B}, {title: C}]}" "{oneOf: [{title: A}, {title: B}]}";
    ONE_OF_LIFTED "one-of-lifted" "`oneOf` was removed from a schema that has a type of its own"
        Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, oneOf: [{title: A, required: [a]}, {title: B, required: [b]}]}" "{type: object}";
    ONE_OF_RESTRICTED "one-of-restricted" "`oneOf` was added to a schema that has a type of its own" Err ALL_REQUESTS
        Schema "{type: object}" "{type: object, oneOf: [{title: A, required: [a]}, {title: B, required: [b]}]}";
    ANY_OF_ADDED "any-of-added" "an alternative was added to `anyOf`, or `anyOf` to a schema without a type"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{anyOf: [{title: A}, {title: B}]}" "{anyOf: [{title: A}, {title: B}, {title: C}]}";
    ANY_OF_REMOVED "any-of-removed" "an alternative was removed from `anyOf`" Err ALL_REQUESTS, Info RESPONSES
        Schema "{anyOf: [{title: A}, {title: B}, {title: C}]}" "{anyOf: [{title: A}, {title: B}]}";
    ANY_OF_LIFTED "any-of-lifted" "`anyOf` was removed from a schema that has a type of its own"
        Warn RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, anyOf: [{title: A, required: [a]}, {title: B, required: [b]}]}" "{type: object}";
    ANY_OF_RESTRICTED "any-of-restricted" "`anyOf` was added to a schema that has a type of its own" Err ALL_REQUESTS
        Schema "{type: object}" "{type: object, anyOf: [{title: A, required: [a]}, {title: B, required: [b]}]}";
    WRAPPED_IN_ONE_OF "wrapped-in-one-of" "the properties of a body moved into alternatives of `oneOf`"
        Err ["request-body", "response-body"]
        Schema "{type: object, properties: {a: {}, b: {}}}" "{oneOf: [{title: A, properties: {a: {}}}, {title: B, properties: {b: {}}}]}";
    ALL_OF_ADDED "all-of-added" "a schema was added to `allOf`" Err ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}]}" "{allOf: [{required: [a]}, {required: [b]}]}";
    ALL_OF_REMOVED "all-of-removed" "a schema was removed from `allOf`" Warn ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}, {required: [b]}]}" "{allOf: [{required: [a]}]}";
    ALL_OF_ADDED_ANNOTATION_ONLY "all-of-added-annotation-only" "a schema that restricts nothing was added to `allOf`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}]}" "{allOf: [{required: [a]}, {title: Note}]}";
    ALL_OF_REMOVED_ANNOTATION_ONLY "all-of-removed-annotation-only" "a schema that restricts nothing was removed from `allOf`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{required: [a]}, {title: Note}]}" "{allOf: [{required: [a]}]}";
    NOT_ADDED "not-added" "`not` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, not: {enum: [a]}}";
    NOT_REMOVED "not-removed" "`not` was removed" Warn RESPONSES, Info ALL_REQUESTS
        Schema "{type: string, not: {enum: [a]}}" "{type: string}";
    NOT_CHANGED "not-changed" "the schema of `not` changed" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: string, not: {enum: [a]}}" "{type: string, not: {enum: [b]}}";
    TYPE_CHANGED "type-changed" "`type` or `format` changed, and values of the one are no values of the other"
        Err REQUESTS, Err RESPONSES, Warn ["request-parameter-property"]
        Schema "{type: integer}" "{type: string}",
        Schema "{type: string}" "{type: boolean}";
    TYPE_GENERALIZED "type-generalized" "`type` or `format` became wider" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: integer}" "{type: number}";
    TYPE_COMPATIBLE "type-compatible" "the type changed, and both look the same on the wire, where everything is text"
        Info BODIES, Info ["response-header"]
        Schema "{type: integer}" "{type: string}",
        Schema "{type: string}" "{type: integer}";
    TYPE_SPECIALIZED "type-specialized" "`type` or `format` became narrower"
        Err ["request-parameter-property"], Info RESPONSES
        Schema "{type: number}" "{type: integer}",
        Schema "{type: string}" "{type: boolean}";
    BECAME_NULLABLE "became-nullable" "`nullable` was set: `null` became a value" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: string}" "{type: string, nullable: true}";
    BECAME_NOT_NULLABLE "became-not-nullable" "`nullable` was removed: `null` is rejected"
        Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string, nullable: true}" "{type: string}";
    BECAME_ENUM "became-enum" "`enum` was added: only the listed values are allowed"
        Err ALL_REQUESTS, Err ["request-header-property"], Info RESPONSES
        Schema "{type: string}" "{type: string, enum: [a]}",
        Operation "parameters: [{name: X-A, in: header, schema: {}}]" "parameters: [{name: X-A, in: header, schema: {enum: [b]}}]";
    ENUM_LIFTED "enum-lifted" "`enum` was removed: values are not restricted to a list" Warn RESPONSES, Info ALL_REQUESTS
        Schema "{type: string, enum: [a]}" "{type: string}";
    ENUM_VALUE_ADDED "enum-value-added" "a value was added to `enum`"
        Warn RESPONSES, Info ALL_REQUESTS, Info ["response-write-only-property"]
        Schema "{type: string, enum: [a]}" "{type: string, enum: [a, b]}";
    ENUM_VALUE_REMOVED "enum-value-removed" "a value was removed from `enum`"
        Err ALL_REQUESTS, Info ["response-property", "response-header", "request-read-only-property"]
        Schema "{type: string, enum: [a, b]}" "{type: string, enum: [a]}";
    X_EXTENSIBLE_ENUM_VALUE_REMOVED "x-extensible-enum-value-removed" "a value was removed from `x-extensible-enum`"
        Err ALL_REQUESTS
        Schema "{type: string, x-extensible-enum: [a, b]}" "{type: string, x-extensible-enum: [a]}";
    PATTERN_ADDED "pattern-added" "`pattern` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, pattern: ^a}";
    PATTERN_REMOVED "pattern-removed" "`pattern` was removed" Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: string, pattern: ^a}" "{type: string}";
    PATTERN_GENERALIZED "pattern-generalized" "`pattern` became one that every text matches" Info ALL_REQUESTS
        Schema "{type: string, pattern: ^a}" "{type: string, pattern: '.*'}";
    PATTERN_CHANGED "pattern-changed" "`pattern` changed; whether the new one allows what the old one did is unknown"
        Warn ALL_REQUESTS, Info RESPONSES
        Schema "{type: string, pattern: ^a}" "{type: string, pattern: ^b}";
    DEFAULT_VALUE_ADDED "default-value-added"
        "`default` was added: for a parameter that is absent, the server acts otherwise" Err ["request-parameter"], Info BODIES
        Schema "{type: string}" "{type: string, default: a}";
    DEFAULT_VALUE_REMOVED "default-value-removed"
        "`default` was removed: for a parameter that is absent, the server acts otherwise" Err ["request-parameter"], Info BODIES
        Schema "{type: string, default: a}" "{type: string}";
    DEFAULT_VALUE_CHANGED "default-value-changed"
        "`default` changed: for a parameter that is absent, the server acts otherwise" Err ["request-parameter"], Info BODIES
        Schema "{type: string, default: a}" "{type: string, default: b}";
    ADDITIONAL_PROPERTIES_CLOSED "additional-properties-closed" "`additionalProperties: false` was added: other members are rejected"
        Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, additionalProperties: false}";
    ADDITIONAL_PROPERTIES_OPENED "additional-properties-opened" "`additionalProperties: false` was removed: other members are allowed"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object, additionalProperties: false}" "{type: object}";
    ADDITIONAL_PROPERTIES_RESTRICTED "additional-properties-restricted" "`additionalProperties` became a schema that other members must match"
        Warn ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, additionalProperties: {type: string}}";
    DISCRIMINATOR_ADDED "discriminator-added" "`discriminator` was added" Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, discriminator: {propertyName: a}}";
    DISCRIMINATOR_REMOVED "discriminator-removed" "`discriminator` was removed" Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object, discriminator: {propertyName: a}}" "{type: object}";
    DISCRIMINATOR_PROPERTY_NAME_CHANGED "discriminator-property-name-changed" "`discriminator.propertyName` changed"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{type: object, discriminator: {propertyName: a}}" "{type: object, discriminator: {propertyName: b}}";
    DISCRIMINATOR_MAPPING_ADDED "discriminator-mapping-added" "a value was added to `discriminator.mapping`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{discriminator: {propertyName: a, mapping: {v: A}}}" "{discriminator: {propertyName: a, mapping: {v: A, w: B}}}";
    DISCRIMINATOR_MAPPING_DELETED "discriminator-mapping-deleted" "a value was removed from `discriminator.mapping`"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{discriminator: {propertyName: a, mapping: {v: A, w: B}}}" "{discriminator: {propertyName: a, mapping: {v: A}}}";
    DISCRIMINATOR_MAPPING_CHANGED "discriminator-mapping-changed" "a value of `discriminator.mapping` leads to another schema"
        Info ALL_REQUESTS, Info RESPONSES
        Schema "{discriminator: {propertyName: a, mapping: {v: A}}}" "{discriminator: {propertyName: a, mapping: {v: B}}}";
}

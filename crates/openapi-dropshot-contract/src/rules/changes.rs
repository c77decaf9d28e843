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
            part: Part::$part,
            examples: &[($base, $revision)],
            own_remedy: [$(Some($remedy),)? None][0],
        };)+

        pub(super) static SINGLE: &[&ChangeRule] = &[$(&$name),+];
    };
}

/// Declares the same change of a schema at different places: the name of the
/// constant, the end of the ids, the meaning, examples (base and revision), and
/// the ids by level.
macro_rules! families {
    ($($name:ident $ending:literal $meaning:literal $(($base:literal, $revision:literal))+
       $($level:ident $($id:literal)+)+;)+) => {
        $(pub(crate) static $name: Family = {
            const EXAMPLES: &[(&str, &str)] = &[$(($base, $revision)),+];
            Family {
                ending: $ending,
                rules: &[$($(ChangeRule {
                    id: $id,
                    level: Level::$level,
                    meaning: $meaning,
                    part: Part::Schema,
                    examples: EXAMPLES,
                    own_remedy: None,
                }),+),+],
            }
        };)+

        pub(super) static FAMILIES: &[&Family] = &[$(&$name),+];
    };
}

change_rules! {
    // Operations.
    ENDPOINT_ADDED Info "endpoint-added" "an operation was added"
        Paths "/b: {get: {}}" "/a: {get: {}}, /b: {get: {}}";
    API_PATH_REMOVED_WITHOUT_DEPRECATION Err "api-path-removed-without-deprecation"
        "an operation was removed with its path and was not deprecated"
        Paths "/a: {get: {}}, /b: {get: {}}" "/b: {get: {}}"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    API_PATH_REMOVED_BEFORE_SUNSET Err "api-path-removed-before-sunset"
        "an operation was removed with its path before the day of its sunset"
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}}, /b: {get: {}}" "/b: {get: {}}"
        remedy "Keep it until the day of its sunset.";
    API_PATH_REMOVED_AFTER_SUNSET Info "api-path-removed-after-sunset"
        "an operation was removed with its path on or after the day of its sunset"
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}}, /b: {get: {}}" "/b: {get: {}}";
    API_PATH_REMOVED_WITH_DEPRECATION Info "api-path-removed-with-deprecation"
        "an operation was removed with its path; it was deprecated without a sunset"
        Paths "/a: {get: {deprecated: true}}, /b: {get: {}}" "/b: {get: {}}";
    API_REMOVED_WITHOUT_DEPRECATION Err "api-removed-without-deprecation" "an operation was removed and was not deprecated"
        Paths "/a: {get: {}, head: {}}" "/a: {head: {}}"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    API_REMOVED_BEFORE_SUNSET Err "api-removed-before-sunset" "an operation was removed before the day of its sunset"
        Paths "/a: {get: {deprecated: true, x-sunset: 2040-01-01}, head: {}}" "/a: {head: {}}"
        remedy "Keep it until the day of its sunset.";
    API_REMOVED_AFTER_SUNSET Info "api-removed-after-sunset" "an operation was removed on or after the day of its sunset"
        Paths "/a: {get: {deprecated: true, x-sunset: 2020-01-01}, head: {}}" "/a: {head: {}}";
    API_REMOVED_WITH_DEPRECATION Info "api-removed-with-deprecation"
        "an operation was removed; it was deprecated without a sunset"
        Paths "/a: {get: {deprecated: true}, head: {}}" "/a: {head: {}}";
    ENDPOINT_DEPRECATED Info "endpoint-deprecated" "an operation became deprecated, without a sunset"
        Operation "" "deprecated: true";
    ENDPOINT_DEPRECATED_WITH_SUNSET Info "endpoint-deprecated-with-sunset" "an operation became deprecated, with a sunset"
        Operation "" "deprecated: true, x-sunset: 2040-01-01";
    ENDPOINT_REACTIVATED Info "endpoint-reactivated" "an operation is deprecated no longer"
        Operation "deprecated: true" "";
    API_DEPRECATED_SUNSET_MISSING Err "api-deprecated-sunset-missing"
        "an operation became deprecated without the sunset that the policy requires"
        Operation "" "deprecated: true" remedy "Add `x-sunset: YYYY-MM-DD`.";
    API_DEPRECATED_SUNSET_PARSE Err "api-deprecated-sunset-parse"
        "an operation became deprecated, and its `x-sunset` is not a date"
        Operation "" "deprecated: true, x-sunset: soon" remedy "Write `x-sunset: YYYY-MM-DD`.";
    API_SUNSET_DATE_TOO_SMALL Err "api-sunset-date-too-small"
        "an operation became deprecated with a sunset earlier than the policy allows"
        Operation "" "deprecated: true, x-sunset: 2020-01-01" remedy "Choose a later day for `x-sunset`.";
    API_PATH_SUNSET_PARSE Err "api-path-sunset-parse" "`x-sunset` of a deprecated operation is not a date"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: soon"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    SUNSET_DELETED Err "sunset-deleted" "`x-sunset` of a deprecated operation was removed"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true" remedy "Put `x-sunset` back.";
    API_SUNSET_MOVED_CLOSER Err "api-sunset-moved-closer" "the sunset of an operation moved to an earlier day"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2039-01-01"
        remedy "Keep the sunset that was announced, or choose a later day.";
    API_SUNSET_DATE_CHANGED_TOO_SMALL Err "api-sunset-date-changed-too-small"
        "the sunset of an operation moved to an earlier day, which is earlier than the policy allows"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2020-01-01"
        remedy "Keep the sunset that was announced, or choose a later day.";
    API_SUNSET_DATE_CHANGED Info "api-sunset-date-changed"
        "the sunset of an operation, a parameter or a property moved to a later day"
        Operation "deprecated: true, x-sunset: 2040-01-01" "deprecated: true, x-sunset: 2041-01-01";
    API_STABILITY_DECREASED Err "api-stability-decreased" "the stability level of an operation dropped"
        Operation "" "x-stability-level: beta" remedy "Put the stability level back.";
    API_STABILITY_INCREASED Info "api-stability-increased" "the stability level of an operation rose"
        Operation "x-stability-level: beta" "";
    API_INVALID_STABILITY_LEVEL Err "api-invalid-stability-level" "`x-stability-level` is not one of the levels"
        Operation "" "x-stability-level: solid" remedy "Write `experimental`, `beta` or `stable`.";
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
    API_SECURITY_ADDED Info "api-security-added" "a security requirement of an operation was added"
        Operation "security: [{k: []}]" "security: [{k: []}, {l: []}]";
    API_SECURITY_REMOVED Info "api-security-removed" "a security requirement of an operation was removed"
        Operation "security: [{k: []}, {l: []}]" "security: [{k: []}]";
    API_SECURITY_SCOPE_ADDED Info "api-security-scope-added" "a scope was added to a security requirement of an operation"
        Operation "security: [{k: []}]" "security: [{k: [a]}]";
    API_SECURITY_SCOPE_REMOVED Info "api-security-scope-removed"
        "a scope was removed from a security requirement of an operation"
        Operation "security: [{k: [a]}]" "security: [{k: []}]";
    API_GLOBAL_SECURITY_ADDED Info "api-global-security-added" "a security requirement of the document was added"
        Document "security: [{k: []}]" "security: [{k: []}, {l: []}]";
    API_GLOBAL_SECURITY_REMOVED Info "api-global-security-removed" "a security requirement of the document was removed"
        Document "security: [{k: []}, {l: []}]" "security: [{k: []}]";
    API_GLOBAL_SECURITY_SCOPE_ADDED Info "api-global-security-scope-added"
        "a scope was added to a security requirement of the document"
        Document "security: [{k: []}]" "security: [{k: [a]}]";
    API_GLOBAL_SECURITY_SCOPE_REMOVED Info "api-global-security-scope-removed"
        "a scope was removed from a security requirement of the document"
        Document "security: [{k: [a]}]" "security: [{k: []}]";
    API_SECURITY_BECAME_REQUIRED Warn "api-security-became-required"
        "an operation could be called without credentials and no longer can"
        Operation "" "security: [{k: []}]";
    API_SECURITY_COMPONENT_ADDED Info "api-security-component-added" "a security scheme was added"
        Document "components: {securitySchemes: {}}" "components: {securitySchemes: {k: {type: http, scheme: bearer}}}";
    API_SECURITY_COMPONENT_REMOVED Info "api-security-component-removed" "a security scheme was removed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}" "components: {securitySchemes: {}}";
    API_SECURITY_COMPONENT_TYPE_CHANGED Info "api-security-component-type-changed" "the type of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: http, scheme: bearer}}}"
            "components: {securitySchemes: {k: {type: apiKey, name: key, in: header}}}";
    API_SECURITY_COMPONENT_OAUTH_URL_CHANGED Info "api-security-component-oauth-url-changed"
        "`authorizationUrl` of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {}}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /b, tokenUrl: /t, scopes: {}}}}}}";
    API_SECURITY_COMPONENT_OAUTH_TOKEN_URL_CHANGED Info "api-security-component-oauth-token-url-changed"
        "`tokenUrl` of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {}}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /u, scopes: {}}}}}}";
    API_SECURITY_COMPONENT_OAUTH_SCOPE_ADDED Info "api-security-component-oauth-scope-added"
        "a scope was added to a security scheme"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {}}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {read: Read.}}}}}}";
    API_SECURITY_COMPONENT_OAUTH_SCOPE_REMOVED Info "api-security-component-oauth-scope-removed"
        "a scope was removed from a security scheme"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {read: Read.}}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {}}}}}}";
    API_SECURITY_COMPONENT_OAUTH_SCOPE_CHANGED Info "api-security-component-oauth-scope-changed"
        "the description of a scope of a security scheme changed"
        Document "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {read: Read.}}}}}}"
            "components: {securitySchemes: {k: {type: oauth2, flows: {authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {read: Look.}}}}}}";
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
    REQUEST_PARAMETER_BECAME_REQUIRED Err "request-parameter-became-required" "a parameter became required"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, required: true}]"
        remedy "Keep it optional, with a default.";
    REQUEST_PARAMETER_BECAME_OPTIONAL Info "request-parameter-became-optional" "a parameter became optional"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, required: true}]"
            "parameters: [{name: q, in: query, schema: {type: string}}]";
    REQUEST_PARAMETER_EMPTY_VALUE_REFUSED Err "request-parameter-empty-value-refused"
        "`allowEmptyValue` was removed: a parameter may not be empty"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, allowEmptyValue: true}]"
            "parameters: [{name: q, in: query, schema: {type: string}}]";
    REQUEST_PARAMETER_SERIALIZATION_CHANGED Err "request-parameter-serialization-changed"
        "`style` or `explode` of a parameter changed: it is written in another way"
        Operation "parameters: [{name: q, in: query, schema: {type: array, items: {}}}]"
            "parameters: [{name: q, in: query, explode: false, schema: {type: array, items: {}}}]";
    REQUEST_PARAMETER_DEFAULT_VALUE_ADDED Err "request-parameter-default-value-added"
        "the default of a parameter was added: the server acts otherwise where it is absent"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string, default: a}}]";
    REQUEST_PARAMETER_DEFAULT_VALUE_REMOVED Err "request-parameter-default-value-removed"
        "the default of a parameter was removed: the server acts otherwise where it is absent"
        Operation "parameters: [{name: q, in: query, schema: {type: string, default: a}}]"
            "parameters: [{name: q, in: query, schema: {type: string}}]";
    REQUEST_PARAMETER_DEFAULT_VALUE_CHANGED Err "request-parameter-default-value-changed"
        "the default of a parameter changed: the server acts otherwise where it is absent"
        Operation "parameters: [{name: q, in: query, schema: {type: string, default: a}}]"
            "parameters: [{name: q, in: query, schema: {type: string, default: b}}]";
    REQUEST_PARAMETER_REMOVED Warn "request-parameter-removed" "a parameter was removed and was not deprecated"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]" "parameters: []"
        remedy "Deprecate it first with `x-sunset`, and remove it after that day.";
    REQUEST_PARAMETER_REMOVED_WITH_DEPRECATION Info "request-parameter-removed-with-deprecation"
        "a parameter was removed; it was deprecated without a sunset"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true}]" "parameters: []";
    REQUEST_PARAMETER_REMOVED_BEFORE_SUNSET Err "request-parameter-removed-before-sunset"
        "a parameter was removed before the day of its sunset"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2040-01-01}]"
            "parameters: []" remedy "Keep it until the day of its sunset.";
    REQUEST_PARAMETER_REMOVED_AFTER_SUNSET Info "request-parameter-removed-after-sunset"
        "a parameter was removed on or after the day of its sunset"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2020-01-01}]"
            "parameters: []";
    REQUEST_PARAMETER_DEPRECATED Info "request-parameter-deprecated" "a parameter became deprecated"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true}]";
    REQUEST_PARAMETER_REACTIVATED Info "request-parameter-reactivated" "a parameter is deprecated no longer"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true}]"
            "parameters: [{name: q, in: query, schema: {type: string}}]";
    REQUEST_PARAMETER_DEPRECATED_SUNSET_MISSING Err "request-parameter-deprecated-sunset-missing"
        "a parameter became deprecated without the sunset that the policy requires"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true}]"
        remedy "Add `x-sunset: YYYY-MM-DD`.";
    REQUEST_PARAMETER_SUNSET_DATE_TOO_SMALL Err "request-parameter-sunset-date-too-small"
        "a parameter became deprecated with a sunset earlier than the policy allows"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2020-01-01}]"
        remedy "Choose a later day for `x-sunset`.";
    REQUEST_PARAMETER_SUNSET_PARSE Err "request-parameter-sunset-parse" "`x-sunset` of a parameter is not a date"
        Operation "parameters: [{name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: soon}]"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    REQUEST_PARAMETER_SUNSET_DELETED Err "request-parameter-sunset-deleted"
        "`x-sunset` of a deprecated parameter was removed"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2040-01-01}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true}]"
        remedy "Put `x-sunset` back.";
    REQUEST_PARAMETER_SUNSET_MOVED_CLOSER Err "request-parameter-sunset-moved-closer"
        "the sunset of a parameter moved to an earlier day"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2040-01-01}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2039-01-01}]"
        remedy "Keep the sunset that was announced, or choose a later day.";
    REQUEST_PARAMETER_SUNSET_DATE_CHANGED_TOO_SMALL Err "request-parameter-sunset-date-changed-too-small"
        "the sunset of a parameter moved to an earlier day, which is earlier than the policy allows"
        Operation "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2040-01-01}]"
            "parameters: [{name: q, in: query, schema: {type: string}, deprecated: true, x-sunset: 2020-01-01}]"
        remedy "Keep the sunset that was announced, or choose a later day.";
    REQUEST_HEADER_PROPERTY_BECAME_ENUM Err "request-header-property-became-enum"
        "a header parameter, or a member of it, is restricted to listed values"
        Operation "parameters: [{name: X-A, in: header, schema: {type: object, properties: {a: {type: string}}}}]"
            "parameters: [{name: X-A, in: header, schema: {type: object, properties: {a: {type: string, enum: [b]}}}}]";
    REQUEST_HEADER_PROPERTY_BECAME_REQUIRED Err "request-header-property-became-required"
        "a member of a header parameter became required"
        Operation "parameters: [{name: X-A, in: header, schema: {type: object, properties: {a: {}}}}]"
            "parameters: [{name: X-A, in: header, schema: {type: object, required: [a], properties: {a: {}}}}]";
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
    REQUEST_BODY_BECAME_REQUIRED Err "request-body-became-required" "the request body became required"
        Operation "requestBody: {content: {application/json: {}}}" "requestBody: {required: true, content: {application/json: {}}}"
        remedy "Keep it optional.";
    REQUEST_BODY_BECAME_OPTIONAL Info "request-body-became-optional" "the request body became optional"
        Operation "requestBody: {required: true, content: {application/json: {}}}" "requestBody: {content: {application/json: {}}}";
    REQUEST_BODY_MEDIA_TYPE_ADDED Info "request-body-media-type-added" "a media type was added to the request body"
        Operation "requestBody: {content: {application/json: {}}}" "requestBody: {content: {application/json: {}, text/csv: {}}}";
    REQUEST_BODY_MEDIA_TYPE_REMOVED Err "request-body-media-type-removed" "a media type was removed from the request body"
        Operation "requestBody: {content: {application/json: {}, text/csv: {}}}" "requestBody: {content: {application/json: {}}}";
    REQUEST_BODY_MEDIA_TYPE_SCHEMA_ADDED Err "request-body-media-type-schema-added"
        "a media type of the request body got a schema"
        Operation "requestBody: {content: {application/json: {}}}" "requestBody: {content: {application/json: {schema: {}}}}";
    REQUEST_BODY_MEDIA_TYPE_SCHEMA_REMOVED Info "request-body-media-type-schema-removed"
        "a media type of the request body lost its schema"
        Operation "requestBody: {content: {application/json: {schema: {}}}}" "requestBody: {content: {application/json: {}}}";
    // Responses.
    RESPONSE_SUCCESS_STATUS_ADDED Info "response-success-status-added" "a response with a status of success was added"
        Operation "responses: {'200': {}}" "responses: {'200': {}, '202': {}}";
    RESPONSE_SUCCESS_STATUS_REMOVED Err "response-success-status-removed" "a response with a status of success was removed"
        Operation "responses: {'200': {}, '202': {}}" "responses: {'200': {}}";
    RESPONSE_NON_SUCCESS_STATUS_ADDED Info "response-non-success-status-added" "a response with another status was added"
        Operation "responses: {'200': {}}" "responses: {'200': {}, '404': {}}";
    RESPONSE_NON_SUCCESS_STATUS_REMOVED Info "response-non-success-status-removed"
        "a response with another status was removed, or is described by a range alone"
        Operation "responses: {'200': {}, '404': {}}" "responses: {'200': {}}";
    RESPONSE_MEDIA_TYPE_ADDED Info "response-media-type-added" "a media type was added to a response"
        Operation "responses: {'200': {content: {application/json: {}}}}"
            "responses: {'200': {content: {application/json: {}, text/csv: {}}}}";
    RESPONSE_MEDIA_TYPE_REMOVED Err "response-media-type-removed" "a media type was removed from a response"
        Operation "responses: {'200': {content: {application/json: {}, text/csv: {}}}}"
            "responses: {'200': {content: {application/json: {}}}}";
    RESPONSE_MEDIA_TYPE_NAME_GENERALIZED Err "response-media-type-name-generalized"
        "a media type of a response became a wider one"
        Operation "responses: {'200': {content: {application/problem+json: {}}}}"
            "responses: {'200': {content: {application/json: {}}}}";
    RESPONSE_MEDIA_TYPE_NAME_SPECIALIZED Info "response-media-type-name-specialized"
        "a media type of a response became a narrower one"
        Operation "responses: {'200': {content: {application/json: {}}}}"
            "responses: {'200': {content: {application/problem+json: {}}}}";
    RESPONSE_BODY_MEDIA_TYPE_SCHEMA_ADDED Info "response-body-media-type-schema-added"
        "a media type of a response got a schema"
        Operation "responses: {'200': {content: {application/json: {}}}}"
            "responses: {'200': {content: {application/json: {schema: {}}}}}";
    RESPONSE_BODY_MEDIA_TYPE_SCHEMA_REMOVED Warn "response-body-media-type-schema-removed"
        "a media type of a response lost its schema"
        Operation "responses: {'200': {content: {application/json: {schema: {}}}}}"
            "responses: {'200': {content: {application/json: {}}}}";
    RESPONSE_MEDIATYPE_ENUM_VALUE_REMOVED Info "response-mediatype-enum-value-removed"
        "a value was removed from `enum` of a response body"
        Schema "{type: string, enum: [a, b]}" "{type: string, enum: [a]}";
    RESPONSE_HEADER_ADDED Info "response-header-added" "a header was added to a response"
        Operation "responses: {'200': {headers: {}}}" "responses: {'200': {headers: {X-A: {schema: {}}}}}";
    REQUIRED_RESPONSE_HEADER_REMOVED Err "required-response-header-removed" "a required header was removed from a response"
        Operation "responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}" "responses: {'200': {headers: {}}}";
    OPTIONAL_RESPONSE_HEADER_REMOVED Warn "optional-response-header-removed" "an optional header was removed from a response"
        Operation "responses: {'200': {headers: {X-A: {schema: {}}}}}" "responses: {'200': {headers: {}}}";
    RESPONSE_HEADER_BECAME_OPTIONAL Err "response-header-became-optional" "a header of a response became optional"
        Operation "responses: {'200': {headers: {X-A: {required: true, schema: {}}}}}"
            "responses: {'200': {headers: {X-A: {schema: {}}}}}";
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
    REQUEST_PROPERTY_BECAME_REQUIRED Err "request-property-became-required" "a property of a request became required"
        Schema "{type: object, properties: {a: {}}}" "{type: object, required: [a], properties: {a: {}}}"
        remedy "Keep it optional.";
    REQUEST_PROPERTY_BECAME_REQUIRED_WITH_DEFAULT Err "request-property-became-required-with-default"
        "a property of a request that has a default became required"
        Schema "{type: object, properties: {a: {default: 1}}}" "{type: object, required: [a], properties: {a: {default: 1}}}"
        remedy "Keep it optional.";
    REQUEST_PROPERTY_BECAME_OPTIONAL Info "request-property-became-optional" "a property of a request became optional"
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, properties: {a: {}}}";
    REQUEST_PROPERTY_REMOVED Warn "request-property-removed" "a property was removed from a request"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {}}";
    REQUEST_PROPERTY_REMOVED_AND_REFUSED Err "request-property-removed-and-refused"
        "a property was removed from a request, and other members are rejected"
        Schema "{type: object, additionalProperties: false, properties: {a: {}}}"
            "{type: object, additionalProperties: false, properties: {}}"
        remedy "Keep accepting the property, or allow other members.";
    RESPONSE_REQUIRED_PROPERTY_ADDED Info "response-required-property-added" "a required property was added to a response"
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {}}}";
    RESPONSE_OPTIONAL_PROPERTY_ADDED Info "response-optional-property-added" "an optional property was added to a response"
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {}}}";
    RESPONSE_REQUIRED_PROPERTY_REMOVED Err "response-required-property-removed"
        "a required property was removed from a response"
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, properties: {}}";
    RESPONSE_OPTIONAL_PROPERTY_REMOVED Warn "response-optional-property-removed"
        "an optional property was removed from a response"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {}}";
    RESPONSE_PROPERTY_BECAME_REQUIRED Info "response-property-became-required" "a property of a response became required"
        Schema "{type: object, properties: {a: {}}}" "{type: object, required: [a], properties: {a: {}}}";
    RESPONSE_PROPERTY_BECAME_OPTIONAL Err "response-property-became-optional" "a property of a response became optional"
        Schema "{type: object, required: [a], properties: {a: {}}}" "{type: object, properties: {a: {}}}";
    RESPONSE_REQUIRED_WRITE_ONLY_PROPERTY_ADDED Info "response-required-write-only-property-added"
        "a required property that is `writeOnly` was added"
        Schema "{type: object, properties: {}}" "{type: object, required: [a], properties: {a: {writeOnly: true}}}";
    RESPONSE_OPTIONAL_WRITE_ONLY_PROPERTY_ADDED Info "response-optional-write-only-property-added"
        "an optional property that is `writeOnly` was added"
        Schema "{type: object, properties: {}}" "{type: object, properties: {a: {writeOnly: true}}}";
    RESPONSE_REQUIRED_WRITE_ONLY_PROPERTY_REMOVED Info "response-required-write-only-property-removed"
        "a required property that is `writeOnly` was removed"
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}" "{type: object, properties: {}}";
    RESPONSE_OPTIONAL_WRITE_ONLY_PROPERTY_REMOVED Info "response-optional-write-only-property-removed"
        "an optional property that is `writeOnly` was removed"
        Schema "{type: object, properties: {a: {writeOnly: true}}}" "{type: object, properties: {}}";
    RESPONSE_WRITE_ONLY_PROPERTY_BECAME_REQUIRED Info "response-write-only-property-became-required"
        "a property that is `writeOnly` became required"
        Schema "{type: object, properties: {a: {writeOnly: true}}}"
            "{type: object, required: [a], properties: {a: {writeOnly: true}}}";
    RESPONSE_WRITE_ONLY_PROPERTY_BECAME_OPTIONAL Info "response-write-only-property-became-optional"
        "a property that is `writeOnly` became optional"
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}"
            "{type: object, properties: {a: {writeOnly: true}}}";
    REQUEST_REQUIRED_PROPERTY_BECAME_READ_ONLY Info "request-required-property-became-read-only"
        "a required property of a request became `readOnly`"
        Schema "{type: object, required: [a], properties: {a: {}}}"
            "{type: object, required: [a], properties: {a: {readOnly: true}}}";
    REQUEST_REQUIRED_PROPERTY_BECAME_NOT_READ_ONLY Info "request-required-property-became-not-read-only"
        "a required property of a request is `readOnly` no longer"
        Schema "{type: object, required: [a], properties: {a: {readOnly: true}}}"
            "{type: object, required: [a], properties: {a: {}}}";
    REQUEST_REQUIRED_PROPERTY_BECAME_WRITE_ONLY Info "request-required-property-became-write-only"
        "a required property of a request became `writeOnly`"
        Schema "{type: object, required: [a], properties: {a: {}}}"
            "{type: object, required: [a], properties: {a: {writeOnly: true}}}";
    REQUEST_REQUIRED_PROPERTY_BECAME_NOT_WRITE_ONLY Info "request-required-property-became-not-write-only"
        "a required property of a request is `writeOnly` no longer"
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}"
            "{type: object, required: [a], properties: {a: {}}}";
    REQUEST_OPTIONAL_PROPERTY_BECAME_READ_ONLY Info "request-optional-property-became-read-only"
        "an optional property of a request became `readOnly`"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {readOnly: true}}}";
    REQUEST_OPTIONAL_PROPERTY_BECAME_NOT_READ_ONLY Info "request-optional-property-became-not-read-only"
        "an optional property of a request is `readOnly` no longer"
        Schema "{type: object, properties: {a: {readOnly: true}}}" "{type: object, properties: {a: {}}}";
    REQUEST_OPTIONAL_PROPERTY_BECAME_WRITE_ONLY Info "request-optional-property-became-write-only"
        "an optional property of a request became `writeOnly`"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {writeOnly: true}}}";
    REQUEST_OPTIONAL_PROPERTY_BECAME_NOT_WRITE_ONLY Info "request-optional-property-became-not-write-only"
        "an optional property of a request is `writeOnly` no longer"
        Schema "{type: object, properties: {a: {writeOnly: true}}}" "{type: object, properties: {a: {}}}";
    RESPONSE_REQUIRED_PROPERTY_BECAME_READ_ONLY Info "response-required-property-became-read-only"
        "a required property of a response became `readOnly`"
        Schema "{type: object, required: [a], properties: {a: {}}}"
            "{type: object, required: [a], properties: {a: {readOnly: true}}}";
    RESPONSE_REQUIRED_PROPERTY_BECAME_NOT_READ_ONLY Info "response-required-property-became-not-read-only"
        "a required property of a response is `readOnly` no longer"
        Schema "{type: object, required: [a], properties: {a: {readOnly: true}}}"
            "{type: object, required: [a], properties: {a: {}}}";
    RESPONSE_REQUIRED_PROPERTY_BECAME_WRITE_ONLY Info "response-required-property-became-write-only"
        "a required property of a response became `writeOnly`"
        Schema "{type: object, required: [a], properties: {a: {}}}"
            "{type: object, required: [a], properties: {a: {writeOnly: true}}}";
    RESPONSE_REQUIRED_PROPERTY_BECAME_NOT_WRITE_ONLY Warn "response-required-property-became-not-write-only"
        "a required property of a response is `writeOnly` no longer"
        Schema "{type: object, required: [a], properties: {a: {writeOnly: true}}}"
            "{type: object, required: [a], properties: {a: {}}}";
    RESPONSE_OPTIONAL_PROPERTY_BECAME_READ_ONLY Info "response-optional-property-became-read-only"
        "an optional property of a response became `readOnly`"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {readOnly: true}}}";
    RESPONSE_OPTIONAL_PROPERTY_BECAME_NOT_READ_ONLY Info "response-optional-property-became-not-read-only"
        "an optional property of a response is `readOnly` no longer"
        Schema "{type: object, properties: {a: {readOnly: true}}}" "{type: object, properties: {a: {}}}";
    RESPONSE_OPTIONAL_PROPERTY_BECAME_WRITE_ONLY Info "response-optional-property-became-write-only"
        "an optional property of a response became `writeOnly`"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {writeOnly: true}}}";
    RESPONSE_OPTIONAL_PROPERTY_BECAME_NOT_WRITE_ONLY Info "response-optional-property-became-not-write-only"
        "an optional property of a response is `writeOnly` no longer"
        Schema "{type: object, properties: {a: {writeOnly: true}}}" "{type: object, properties: {a: {}}}";
    REQUEST_PROPERTY_DEPRECATED Info "request-property-deprecated" "a property of a request became deprecated"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true}}}";
    REQUEST_PROPERTY_DEPRECATED_WITH_SUNSET Info "request-property-deprecated-with-sunset"
        "a property of a request became deprecated, with a sunset"
        Schema "{type: object, properties: {a: {}}}"
            "{type: object, properties: {a: {deprecated: true, x-sunset: 2040-01-01}}}";
    REQUEST_PROPERTY_DEPRECATED_SUNSET_MISSING Err "request-property-deprecated-sunset-missing"
        "a property of a request became deprecated without the sunset that the policy requires"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true}}}"
        remedy "Add `x-sunset: YYYY-MM-DD`.";
    REQUEST_PROPERTY_DEPRECATED_SUNSET_INVALID Err "request-property-deprecated-sunset-invalid"
        "a property of a request became deprecated, and its `x-sunset` is not a date"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true, x-sunset: soon}}}"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    REQUEST_PROPERTY_SUNSET_DATE_TOO_SMALL Err "request-property-sunset-date-too-small"
        "a property of a request became deprecated with a sunset earlier than the policy allows"
        Schema "{type: object, properties: {a: {}}}"
            "{type: object, properties: {a: {deprecated: true, x-sunset: 2020-01-01}}}"
        remedy "Choose a later day for `x-sunset`.";
    REQUEST_PROPERTY_REACTIVATED Info "request-property-reactivated" "a property of a request is deprecated no longer"
        Schema "{type: object, properties: {a: {deprecated: true}}}" "{type: object, properties: {a: {}}}";
    REQUEST_PROPERTY_STABILITY_DECREASED Err "request-property-stability-decreased"
        "the stability level of a property of a request dropped"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {x-stability-level: beta}}}"
        remedy "Put the stability level back.";
    REQUEST_PROPERTY_STABILITY_INCREASED Info "request-property-stability-increased"
        "the stability level of a property of a request rose"
        Schema "{type: object, properties: {a: {x-stability-level: beta}}}" "{type: object, properties: {a: {}}}";
    RESPONSE_PROPERTY_DEPRECATED Info "response-property-deprecated" "a property of a response became deprecated"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true}}}";
    RESPONSE_PROPERTY_DEPRECATED_WITH_SUNSET Info "response-property-deprecated-with-sunset"
        "a property of a response became deprecated, with a sunset"
        Schema "{type: object, properties: {a: {}}}"
            "{type: object, properties: {a: {deprecated: true, x-sunset: 2040-01-01}}}";
    RESPONSE_PROPERTY_DEPRECATED_SUNSET_MISSING Err "response-property-deprecated-sunset-missing"
        "a property of a response became deprecated without the sunset that the policy requires"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true}}}"
        remedy "Add `x-sunset: YYYY-MM-DD`.";
    RESPONSE_PROPERTY_DEPRECATED_SUNSET_INVALID Err "response-property-deprecated-sunset-invalid"
        "a property of a response became deprecated, and its `x-sunset` is not a date"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {deprecated: true, x-sunset: soon}}}"
        remedy "Write `x-sunset: YYYY-MM-DD`.";
    RESPONSE_PROPERTY_SUNSET_DATE_TOO_SMALL Err "response-property-sunset-date-too-small"
        "a property of a response became deprecated with a sunset earlier than the policy allows"
        Schema "{type: object, properties: {a: {}}}"
            "{type: object, properties: {a: {deprecated: true, x-sunset: 2020-01-01}}}"
        remedy "Choose a later day for `x-sunset`.";
    RESPONSE_PROPERTY_REACTIVATED Info "response-property-reactivated" "a property of a response is deprecated no longer"
        Schema "{type: object, properties: {a: {deprecated: true}}}" "{type: object, properties: {a: {}}}";
    RESPONSE_PROPERTY_STABILITY_DECREASED Err "response-property-stability-decreased"
        "the stability level of a property of a response dropped"
        Schema "{type: object, properties: {a: {}}}" "{type: object, properties: {a: {x-stability-level: beta}}}"
        remedy "Put the stability level back.";
    RESPONSE_PROPERTY_STABILITY_INCREASED Info "response-property-stability-increased"
        "the stability level of a property of a response rose"
        Schema "{type: object, properties: {a: {x-stability-level: beta}}}" "{type: object, properties: {a: {}}}";
}

families! {
    MAX_INCREASED "max-increased" "`maximum` became larger"
        ("{type: integer, maximum: 5}", "{type: integer, maximum: 9}")
        Err "response-body-max-increased" "response-property-max-increased" "response-header-max-increased"
        Info "request-body-max-increased" "request-property-max-increased" "request-parameter-max-increased";
    MAX_DECREASED "max-decreased" "`maximum` became smaller"
        ("{type: integer, maximum: 9}", "{type: integer, maximum: 5}")
        Err "request-body-max-decreased" "request-property-max-decreased" "request-parameter-max-decreased"
        Info "response-body-max-decreased" "response-property-max-decreased" "response-header-max-decreased"
            "request-read-only-property-max-decreased";
    MAX_SET "max-set" "`maximum` was added"
        ("{type: integer}", "{type: integer, maximum: 5}")
        Warn "request-body-max-set" "request-property-max-set" "request-parameter-max-set"
        Info "response-body-max-set" "response-property-max-set" "response-header-max-set";
    MAX_UNSET "max-unset" "`maximum` was removed"
        ("{type: integer, maximum: 5}", "{type: integer}")
        Warn "response-body-max-unset" "response-property-max-unset" "response-header-max-unset"
        Info "request-body-max-unset" "request-property-max-unset" "request-parameter-max-unset";
    MIN_INCREASED "min-increased" "`minimum` became larger"
        ("{type: integer, minimum: 5}", "{type: integer, minimum: 9}")
        Err "request-body-min-increased" "request-property-min-increased" "request-parameter-min-increased"
        Info "response-body-min-increased" "response-property-min-increased" "response-header-min-increased"
            "request-read-only-property-min-increased";
    MIN_DECREASED "min-decreased" "`minimum` became smaller"
        ("{type: integer, minimum: 9}", "{type: integer, minimum: 5}")
        Err "response-body-min-decreased" "response-property-min-decreased" "response-header-min-decreased"
        Info "request-body-min-decreased" "request-property-min-decreased" "request-parameter-min-decreased";
    MIN_SET "min-set" "`minimum` was added"
        ("{type: integer}", "{type: integer, minimum: 5}")
        Warn "request-body-min-set" "request-property-min-set" "request-parameter-min-set"
        Info "response-body-min-set" "response-property-min-set" "response-header-min-set";
    MIN_UNSET "min-unset" "`minimum` was removed"
        ("{type: integer, minimum: 5}", "{type: integer}")
        Warn "response-body-min-unset" "response-property-min-unset" "response-header-min-unset"
        Info "request-body-min-unset" "request-property-min-unset" "request-parameter-min-unset";
    MAX_LENGTH_INCREASED "max-length-increased" "`maxLength` became larger"
        ("{type: string, maxLength: 5}", "{type: string, maxLength: 9}")
        Err "response-body-max-length-increased" "response-property-max-length-increased"
            "response-header-max-length-increased"
        Info "request-body-max-length-increased" "request-property-max-length-increased"
            "request-parameter-max-length-increased";
    MAX_LENGTH_DECREASED "max-length-decreased" "`maxLength` became smaller"
        ("{type: string, maxLength: 9}", "{type: string, maxLength: 5}")
        Err "request-body-max-length-decreased" "request-property-max-length-decreased"
            "request-parameter-max-length-decreased"
        Info "response-body-max-length-decreased" "response-property-max-length-decreased"
            "response-header-max-length-decreased" "request-read-only-property-max-length-decreased";
    MAX_LENGTH_SET "max-length-set" "`maxLength` was added"
        ("{type: string}", "{type: string, maxLength: 5}")
        Warn "request-body-max-length-set" "request-property-max-length-set" "request-parameter-max-length-set"
        Info "response-body-max-length-set" "response-property-max-length-set" "response-header-max-length-set";
    MAX_LENGTH_UNSET "max-length-unset" "`maxLength` was removed"
        ("{type: string, maxLength: 5}", "{type: string}")
        Err "response-body-max-length-unset" "response-property-max-length-unset" "response-header-max-length-unset"
        Info "request-body-max-length-unset" "request-property-max-length-unset" "request-parameter-max-length-unset";
    MIN_LENGTH_INCREASED "min-length-increased" "`minLength` became larger or was added"
        ("{type: string, minLength: 5}", "{type: string, minLength: 9}")
        ("{type: string}", "{type: string, minLength: 5}")
        Err "request-body-min-length-increased" "request-property-min-length-increased"
            "request-parameter-min-length-increased"
        Info "response-body-min-length-increased" "response-property-min-length-increased"
            "response-header-min-length-increased";
    MIN_LENGTH_DECREASED "min-length-decreased" "`minLength` became smaller, or it was removed from a response"
        ("{type: string, minLength: 9}", "{type: string, minLength: 5}")
        ("{type: string, minLength: 5}", "{type: string}")
        Err "response-body-min-length-decreased" "response-property-min-length-decreased"
            "response-header-min-length-decreased"
        Info "request-body-min-length-decreased" "request-property-min-length-decreased"
            "request-parameter-min-length-decreased";
    MIN_LENGTH_UNSET "min-length-unset" "`minLength` was removed"
        ("{type: string, minLength: 5}", "{type: string}")
        Info "request-body-min-length-unset" "request-property-min-length-unset" "request-parameter-min-length-unset";
    MAX_ITEMS_INCREASED "max-items-increased" "`maxItems` became larger"
        ("{type: array, items: {}, maxItems: 5}", "{type: array, items: {}, maxItems: 9}")
        Warn "response-body-max-items-increased" "response-property-max-items-increased"
            "response-header-max-items-increased"
        Info "request-body-max-items-increased" "request-property-max-items-increased"
            "request-parameter-max-items-increased";
    MAX_ITEMS_DECREASED "max-items-decreased" "`maxItems` became smaller"
        ("{type: array, items: {}, maxItems: 9}", "{type: array, items: {}, maxItems: 5}")
        Err "request-body-max-items-decreased" "request-property-max-items-decreased"
            "request-parameter-max-items-decreased"
        Info "response-body-max-items-decreased" "response-property-max-items-decreased"
            "response-header-max-items-decreased";
    MAX_ITEMS_SET "max-items-set" "`maxItems` was added"
        ("{type: array, items: {}}", "{type: array, items: {}, maxItems: 5}")
        Warn "request-body-max-items-set" "request-property-max-items-set" "request-parameter-max-items-set"
        Info "response-body-max-items-set" "response-property-max-items-set" "response-header-max-items-set";
    MAX_ITEMS_UNSET "max-items-unset" "`maxItems` was removed"
        ("{type: array, items: {}, maxItems: 5}", "{type: array, items: {}}")
        Warn "response-body-max-items-unset" "response-property-max-items-unset" "response-header-max-items-unset"
        Info "request-body-max-items-unset" "request-property-max-items-unset" "request-parameter-max-items-unset";
    MIN_ITEMS_INCREASED "min-items-increased" "`minItems` became larger"
        ("{type: array, items: {}, minItems: 5}", "{type: array, items: {}, minItems: 9}")
        Err "request-body-min-items-increased" "request-property-min-items-increased"
            "request-parameter-min-items-increased"
        Info "response-body-min-items-increased" "response-property-min-items-increased"
            "response-header-min-items-increased";
    MIN_ITEMS_DECREASED "min-items-decreased" "`minItems` became smaller"
        ("{type: array, items: {}, minItems: 9}", "{type: array, items: {}, minItems: 5}")
        Err "response-body-min-items-decreased" "response-property-min-items-decreased"
            "response-header-min-items-decreased"
        Info "request-body-min-items-decreased" "request-property-min-items-decreased"
            "request-parameter-min-items-decreased";
    MIN_ITEMS_SET "min-items-set" "`minItems` was added"
        ("{type: array, items: {}}", "{type: array, items: {}, minItems: 5}")
        Warn "request-body-min-items-set" "request-property-min-items-set" "request-parameter-min-items-set"
        Info "response-body-min-items-set" "response-property-min-items-set" "response-header-min-items-set";
    MIN_ITEMS_UNSET "min-items-unset" "`minItems` was removed"
        ("{type: array, items: {}, minItems: 5}", "{type: array, items: {}}")
        Err "response-body-min-items-unset" "response-property-min-items-unset" "response-header-min-items-unset"
        Info "request-body-min-items-unset" "request-property-min-items-unset" "request-parameter-min-items-unset";
    MAX_PROPERTIES_INCREASED "max-properties-increased" "`maxProperties` became larger"
        ("{type: object, maxProperties: 5}", "{type: object, maxProperties: 9}")
        Warn "response-body-max-properties-increased" "response-property-max-properties-increased"
            "response-header-max-properties-increased"
        Info "request-body-max-properties-increased" "request-property-max-properties-increased"
            "request-parameter-max-properties-increased";
    MAX_PROPERTIES_DECREASED "max-properties-decreased" "`maxProperties` became smaller"
        ("{type: object, maxProperties: 9}", "{type: object, maxProperties: 5}")
        Err "request-body-max-properties-decreased" "request-property-max-properties-decreased"
            "request-parameter-max-properties-decreased"
        Info "response-body-max-properties-decreased" "response-property-max-properties-decreased"
            "response-header-max-properties-decreased";
    MAX_PROPERTIES_SET "max-properties-set" "`maxProperties` was added"
        ("{type: object}", "{type: object, maxProperties: 5}")
        Warn "request-body-max-properties-set" "request-property-max-properties-set"
            "request-parameter-max-properties-set"
        Info "response-body-max-properties-set" "response-property-max-properties-set"
            "response-header-max-properties-set";
    MAX_PROPERTIES_UNSET "max-properties-unset" "`maxProperties` was removed"
        ("{type: object, maxProperties: 5}", "{type: object}")
        Warn "response-body-max-properties-unset" "response-property-max-properties-unset"
            "response-header-max-properties-unset"
        Info "request-body-max-properties-unset" "request-property-max-properties-unset"
            "request-parameter-max-properties-unset";
    MIN_PROPERTIES_INCREASED "min-properties-increased" "`minProperties` became larger or was added"
        ("{type: object, minProperties: 5}", "{type: object, minProperties: 9}")
        ("{type: object}", "{type: object, minProperties: 5}")
        Err "request-body-min-properties-increased" "request-property-min-properties-increased"
            "request-parameter-min-properties-increased"
        Info "response-body-min-properties-increased" "response-property-min-properties-increased"
            "response-header-min-properties-increased";
    MIN_PROPERTIES_DECREASED "min-properties-decreased" "`minProperties` became smaller"
        ("{type: object, minProperties: 9}", "{type: object, minProperties: 5}")
        Warn "response-body-min-properties-decreased" "response-property-min-properties-decreased"
            "response-header-min-properties-decreased"
        Info "request-body-min-properties-decreased" "request-property-min-properties-decreased"
            "request-parameter-min-properties-decreased";
    MIN_PROPERTIES_UNSET "min-properties-unset" "`minProperties` was removed"
        ("{type: object, minProperties: 5}", "{type: object}")
        Warn "response-body-min-properties-unset" "response-property-min-properties-unset"
            "response-header-min-properties-unset"
        Info "request-body-min-properties-unset" "request-property-min-properties-unset"
            "request-parameter-min-properties-unset";
    MULTIPLE_OF_ADDED "multiple-of-added" "`multipleOf` was added"
        ("{type: integer}", "{type: integer, multipleOf: 5}")
        Err "request-body-multiple-of-added" "request-property-multiple-of-added"
            "request-parameter-multiple-of-added"
        Info "response-body-multiple-of-added" "response-property-multiple-of-added"
            "response-header-multiple-of-added";
    MULTIPLE_OF_REMOVED "multiple-of-removed" "`multipleOf` was removed"
        ("{type: integer, multipleOf: 5}", "{type: integer}")
        Warn "response-body-multiple-of-removed" "response-property-multiple-of-removed"
            "response-header-multiple-of-removed"
        Info "request-body-multiple-of-removed" "request-property-multiple-of-removed"
            "request-parameter-multiple-of-removed";
    MULTIPLE_OF_GENERALIZED "multiple-of-generalized" "`multipleOf` became a divisor of what it was"
        ("{type: integer, multipleOf: 10}", "{type: integer, multipleOf: 5}")
        Warn "response-body-multiple-of-generalized" "response-property-multiple-of-generalized"
            "response-header-multiple-of-generalized"
        Info "request-body-multiple-of-generalized" "request-property-multiple-of-generalized"
            "request-parameter-multiple-of-generalized";
    MULTIPLE_OF_CHANGED "multiple-of-changed" "`multipleOf` changed, and the old number is not a multiple of the new one"
        ("{type: integer, multipleOf: 5}", "{type: integer, multipleOf: 3}")
        Err "request-body-multiple-of-changed" "request-property-multiple-of-changed"
            "request-parameter-multiple-of-changed"
        Warn "response-body-multiple-of-changed" "response-property-multiple-of-changed"
            "response-header-multiple-of-changed";
    UNIQUE_ITEMS_ADDED "unique-items-added" "`uniqueItems` was set: an item may not be repeated"
        ("{type: array, items: {}}", "{type: array, items: {}, uniqueItems: true}")
        Err "request-body-unique-items-added" "request-property-unique-items-added"
            "request-parameter-unique-items-added"
        Info "response-body-unique-items-added" "response-property-unique-items-added"
            "response-header-unique-items-added";
    UNIQUE_ITEMS_REMOVED "unique-items-removed" "`uniqueItems` was removed: an item may be repeated"
        ("{type: array, items: {}, uniqueItems: true}", "{type: array, items: {}}")
        Warn "response-body-unique-items-removed" "response-property-unique-items-removed"
            "response-header-unique-items-removed"
        Info "request-body-unique-items-removed" "request-property-unique-items-removed"
            "request-parameter-unique-items-removed";
    LIST_OF_TYPES_NARROWED "list-of-types-narrowed" "a choice of types lost a type"
        ("{oneOf: [{type: string}, {type: boolean}]}", "{type: string}")
        Err "request-body-list-of-types-narrowed" "request-property-list-of-types-narrowed"
            "request-parameter-list-of-types-narrowed" "request-parameter-property-list-of-types-narrowed"
        Info "response-body-list-of-types-narrowed" "response-property-list-of-types-narrowed"
            "response-header-list-of-types-narrowed";
    LIST_OF_TYPES_WIDENED "list-of-types-widened" "a choice of types gained a type"
        ("{type: string}", "{oneOf: [{type: string}, {type: boolean}]}")
        Err "response-body-list-of-types-widened" "response-property-list-of-types-widened"
            "response-header-list-of-types-widened"
        Info "request-body-list-of-types-widened" "request-property-list-of-types-widened"
            "request-parameter-list-of-types-widened" "request-parameter-property-list-of-types-widened";
    ONE_OF_ADDED "one-of-added" "an alternative was added to `oneOf`, or `oneOf` to a schema without a type"
        ("{oneOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}]}",
         "{oneOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}, {title: C, type: object, properties: {c: {}}}]}")
        Err "response-body-one-of-added" "response-property-one-of-added" "response-header-one-of-added"
        Info "request-body-one-of-added" "request-property-one-of-added" "request-parameter-one-of-added"
            "request-parameter-property-one-of-added";
    ONE_OF_REMOVED "one-of-removed" "an alternative was removed from `oneOf`"
        ("{oneOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}, {title: C, type: object, properties: {c: {}}}]}",
         "{oneOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}]}")
        Err "request-body-one-of-removed" "request-property-one-of-removed" "request-parameter-one-of-removed"
            "request-parameter-property-one-of-removed"
        Info "response-body-one-of-removed" "response-property-one-of-removed" "response-header-one-of-removed";
    ONE_OF_LIFTED "one-of-lifted" "`oneOf` was removed from a schema that has a type of its own"
        ("{type: object, oneOf: [{title: A, required: [a]}, {title: B, required: [b]}]}", "{type: object}")
        Err "response-body-one-of-lifted" "response-property-one-of-lifted" "response-header-one-of-lifted"
        Info "request-body-one-of-lifted" "request-property-one-of-lifted" "request-parameter-one-of-lifted"
            "request-parameter-property-one-of-lifted";
    ONE_OF_RESTRICTED "one-of-restricted" "`oneOf` was added to a schema that has a type of its own"
        ("{type: object}", "{type: object, oneOf: [{title: A, required: [a]}, {title: B, required: [b]}]}")
        Err "request-body-one-of-restricted" "request-property-one-of-restricted"
            "request-parameter-one-of-restricted" "request-parameter-property-one-of-restricted";
    ANY_OF_ADDED "any-of-added" "an alternative was added to `anyOf`, or `anyOf` to a schema without a type"
        ("{anyOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}]}",
         "{anyOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}, {title: C, type: object, properties: {c: {}}}]}")
        Info "request-body-any-of-added" "request-property-any-of-added" "request-parameter-any-of-added"
            "request-parameter-property-any-of-added" "response-body-any-of-added" "response-property-any-of-added"
            "response-header-any-of-added";
    ANY_OF_REMOVED "any-of-removed" "an alternative was removed from `anyOf`"
        ("{anyOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}, {title: C, type: object, properties: {c: {}}}]}",
         "{anyOf: [{title: A, type: object, properties: {a: {}}}, {title: B, type: object, properties: {b: {}}}]}")
        Err "request-body-any-of-removed" "request-property-any-of-removed" "request-parameter-any-of-removed"
            "request-parameter-property-any-of-removed"
        Info "response-body-any-of-removed" "response-property-any-of-removed" "response-header-any-of-removed";
    ANY_OF_LIFTED "any-of-lifted" "`anyOf` was removed from a schema that has a type of its own"
        ("{type: object, anyOf: [{title: A, required: [a]}, {title: B, required: [b]}]}", "{type: object}")
        Warn "response-body-any-of-lifted" "response-property-any-of-lifted" "response-header-any-of-lifted"
        Info "request-body-any-of-lifted" "request-property-any-of-lifted" "request-parameter-any-of-lifted"
            "request-parameter-property-any-of-lifted";
    ANY_OF_RESTRICTED "any-of-restricted" "`anyOf` was added to a schema that has a type of its own"
        ("{type: object}", "{type: object, anyOf: [{title: A, required: [a]}, {title: B, required: [b]}]}")
        Err "request-body-any-of-restricted" "request-property-any-of-restricted"
            "request-parameter-any-of-restricted" "request-parameter-property-any-of-restricted";
    WRAPPED_IN_ONE_OF "wrapped-in-one-of" "the properties of a body moved into alternatives of `oneOf`"
        ("{type: object, properties: {a: {}, b: {}}}",
         "{oneOf: [{title: A, properties: {a: {}}}, {title: B, properties: {b: {}}}]}")
        Err "request-body-wrapped-in-one-of" "response-body-wrapped-in-one-of";
    ALL_OF_ADDED "all-of-added" "a schema was added to `allOf`"
        ("{allOf: [{title: P, properties: {a: {}}}]}",
         "{allOf: [{title: P, properties: {a: {}}}, {title: Q, properties: {b: {}}}]}")
        Err "request-body-all-of-added" "request-property-all-of-added" "request-parameter-all-of-added"
            "request-parameter-property-all-of-added"
        Info "response-body-all-of-added" "response-property-all-of-added" "response-header-all-of-added";
    ALL_OF_REMOVED "all-of-removed" "a schema was removed from `allOf`"
        ("{allOf: [{title: P, properties: {a: {}}}, {title: Q, properties: {b: {}}}]}",
         "{allOf: [{title: P, properties: {a: {}}}]}")
        Warn "request-body-all-of-removed" "request-property-all-of-removed" "request-parameter-all-of-removed"
            "request-parameter-property-all-of-removed"
        Info "response-body-all-of-removed" "response-property-all-of-removed" "response-header-all-of-removed";
    ALL_OF_ADDED_ANNOTATION_ONLY "all-of-added-annotation-only" "a schema that restricts nothing was added to `allOf`"
        ("{allOf: [{title: P, properties: {a: {}}}]}", "{allOf: [{title: P, properties: {a: {}}}, {title: Note}]}")
        Info "request-body-all-of-added-annotation-only" "request-property-all-of-added-annotation-only"
            "request-parameter-all-of-added-annotation-only" "request-parameter-property-all-of-added-annotation-only"
            "response-body-all-of-added-annotation-only" "response-property-all-of-added-annotation-only"
            "response-header-all-of-added-annotation-only";
    ALL_OF_REMOVED_ANNOTATION_ONLY "all-of-removed-annotation-only" "a schema that restricts nothing was removed from `allOf`"
        ("{allOf: [{title: P, properties: {a: {}}}, {title: Note}]}", "{allOf: [{title: P, properties: {a: {}}}]}")
        Info "request-body-all-of-removed-annotation-only" "request-property-all-of-removed-annotation-only"
            "request-parameter-all-of-removed-annotation-only"
            "request-parameter-property-all-of-removed-annotation-only" "response-body-all-of-removed-annotation-only"
            "response-property-all-of-removed-annotation-only" "response-header-all-of-removed-annotation-only";
    NOT_ADDED "not-added" "`not` was added"
        ("{type: string}", "{type: string, not: {enum: [a]}}")
        Err "request-body-not-added" "request-property-not-added" "request-parameter-not-added"
            "request-parameter-property-not-added"
        Info "response-body-not-added" "response-property-not-added" "response-header-not-added";
    NOT_REMOVED "not-removed" "`not` was removed"
        ("{type: string, not: {enum: [a]}}", "{type: string}")
        Warn "response-body-not-removed" "response-property-not-removed" "response-header-not-removed"
        Info "request-body-not-removed" "request-property-not-removed" "request-parameter-not-removed"
            "request-parameter-property-not-removed";
    NOT_CHANGED "not-changed" "the schema of `not` changed"
        ("{type: string, not: {enum: [a]}}", "{type: string, not: {enum: [b]}}")
        Warn "request-body-not-changed" "request-property-not-changed" "request-parameter-not-changed"
            "request-parameter-property-not-changed" "response-body-not-changed" "response-property-not-changed"
            "response-header-not-changed";
    TYPE_CHANGED "type-changed" "`type` or `format` changed, and values of the one are no values of the other"
        ("{type: integer}", "{type: string}") ("{type: string}", "{type: boolean}")
        Err "request-body-type-changed" "request-property-type-changed" "request-parameter-type-changed"
            "response-body-type-changed" "response-property-type-changed" "response-header-type-changed"
        Warn "request-parameter-property-type-changed";
    TYPE_GENERALIZED "type-generalized" "`type` or `format` became wider"
        ("{type: integer}", "{type: number}")
        Err "response-body-type-generalized" "response-property-type-generalized" "response-header-type-generalized"
        Info "request-body-type-generalized" "request-property-type-generalized" "request-parameter-type-generalized"
            "request-parameter-property-type-generalized";
    TYPE_COMPATIBLE "type-compatible" "the type changed, and both look the same on the wire, where everything is text"
        ("{type: integer}", "{type: string}") ("{type: string}", "{type: integer}")
        Info "request-body-type-compatible" "request-property-type-compatible" "response-body-type-compatible"
            "response-property-type-compatible" "response-header-type-compatible";
    TYPE_SPECIALIZED "type-specialized" "`type` or `format` became narrower"
        ("{type: number}", "{type: integer}") ("{type: string}", "{type: boolean}")
        Err "request-parameter-property-type-specialized"
        Info "response-body-type-specialized" "response-property-type-specialized" "response-header-type-specialized";
    BECAME_NULLABLE "became-nullable" "`nullable` was set: `null` became a value"
        ("{type: string}", "{type: string, nullable: true}")
        Err "response-body-became-nullable" "response-property-became-nullable" "response-header-became-nullable"
        Info "request-body-became-nullable" "request-property-became-nullable" "request-parameter-became-nullable"
            "request-parameter-property-became-nullable";
    BECAME_NOT_NULLABLE "became-not-nullable" "`nullable` was removed: `null` is rejected"
        ("{type: string, nullable: true}", "{type: string}")
        Err "request-body-became-not-nullable" "request-property-became-not-nullable"
            "request-parameter-became-not-nullable" "request-parameter-property-became-not-nullable"
        Info "response-body-became-not-nullable" "response-property-became-not-nullable"
            "response-header-became-not-nullable";
    BECAME_ENUM "became-enum" "`enum` was added: only the listed values are allowed"
        ("{type: string}", "{type: string, enum: [a]}")
        Err "request-body-became-enum" "request-property-became-enum" "request-parameter-became-enum"
            "request-parameter-property-became-enum"
        Info "response-body-became-enum" "response-property-became-enum" "response-header-became-enum";
    ENUM_LIFTED "enum-lifted" "`enum` was removed: values are not restricted to a list"
        ("{type: string, enum: [a]}", "{type: string}")
        Warn "response-body-enum-lifted" "response-property-enum-lifted" "response-header-enum-lifted"
        Info "request-body-enum-lifted" "request-property-enum-lifted" "request-parameter-enum-lifted"
            "request-parameter-property-enum-lifted";
    ENUM_VALUE_ADDED "enum-value-added" "a value was added to `enum`"
        ("{type: string, enum: [a]}", "{type: string, enum: [a, b]}")
        Warn "response-body-enum-value-added" "response-property-enum-value-added" "response-header-enum-value-added"
        Info "request-body-enum-value-added" "request-property-enum-value-added" "request-parameter-enum-value-added"
            "request-parameter-property-enum-value-added" "response-write-only-property-enum-value-added";
    ENUM_VALUE_REMOVED "enum-value-removed" "a value was removed from `enum`"
        ("{type: string, enum: [a, b]}", "{type: string, enum: [a]}")
        Err "request-body-enum-value-removed" "request-property-enum-value-removed"
            "request-parameter-enum-value-removed" "request-parameter-property-enum-value-removed"
        Info "response-property-enum-value-removed" "response-header-enum-value-removed"
            "request-read-only-property-enum-value-removed";
    X_EXTENSIBLE_ENUM_VALUE_REMOVED "x-extensible-enum-value-removed" "a value was removed from `x-extensible-enum`"
        ("{type: string, x-extensible-enum: [a, b]}", "{type: string, x-extensible-enum: [a]}")
        Err "request-body-x-extensible-enum-value-removed" "request-property-x-extensible-enum-value-removed"
            "request-parameter-x-extensible-enum-value-removed"
            "request-parameter-property-x-extensible-enum-value-removed";
    PATTERN_ADDED "pattern-added" "`pattern` was added"
        ("{type: string}", "{type: string, pattern: ^a}")
        Err "request-body-pattern-added" "request-property-pattern-added" "request-parameter-pattern-added"
            "request-parameter-property-pattern-added"
        Info "response-body-pattern-added" "response-property-pattern-added" "response-header-pattern-added";
    PATTERN_REMOVED "pattern-removed" "`pattern` was removed"
        ("{type: string, pattern: ^a}", "{type: string}")
        Info "request-body-pattern-removed" "request-property-pattern-removed" "request-parameter-pattern-removed"
            "request-parameter-property-pattern-removed" "response-body-pattern-removed"
            "response-property-pattern-removed" "response-header-pattern-removed";
    PATTERN_GENERALIZED "pattern-generalized" "`pattern` became one that every text matches"
        ("{type: string, pattern: ^a}", "{type: string, pattern: '.*'}")
        Info "request-body-pattern-generalized" "request-property-pattern-generalized"
            "request-parameter-pattern-generalized" "request-parameter-property-pattern-generalized";
    PATTERN_CHANGED "pattern-changed" "`pattern` changed; whether the new one allows what the old one did is unknown"
        ("{type: string, pattern: ^a}", "{type: string, pattern: ^b}")
        Warn "request-body-pattern-changed" "request-property-pattern-changed" "request-parameter-pattern-changed"
            "request-parameter-property-pattern-changed"
        Info "response-body-pattern-changed" "response-property-pattern-changed" "response-header-pattern-changed";
    DEFAULT_VALUE_ADDED "default-value-added" "`default` was added"
        ("{type: string}", "{type: string, default: a}")
        Info "request-body-default-value-added" "request-property-default-value-added"
            "response-body-default-value-added" "response-property-default-value-added";
    DEFAULT_VALUE_REMOVED "default-value-removed" "`default` was removed"
        ("{type: string, default: a}", "{type: string}")
        Info "request-body-default-value-removed" "request-property-default-value-removed"
            "response-body-default-value-removed" "response-property-default-value-removed";
    DEFAULT_VALUE_CHANGED "default-value-changed" "`default` changed"
        ("{type: string, default: a}", "{type: string, default: b}")
        Info "request-body-default-value-changed" "request-property-default-value-changed"
            "response-body-default-value-changed" "response-property-default-value-changed";
    ADDITIONAL_PROPERTIES_CLOSED "additional-properties-closed" "`additionalProperties: false` was added: other members are rejected"
        ("{type: object}", "{type: object, additionalProperties: false}")
        Err "request-body-additional-properties-closed" "request-property-additional-properties-closed"
            "request-parameter-additional-properties-closed" "request-parameter-property-additional-properties-closed"
        Info "response-body-additional-properties-closed" "response-property-additional-properties-closed"
            "response-header-additional-properties-closed";
    ADDITIONAL_PROPERTIES_OPENED "additional-properties-opened" "`additionalProperties: false` was removed: other members are allowed"
        ("{type: object, additionalProperties: false}", "{type: object}")
        Info "request-body-additional-properties-opened" "request-property-additional-properties-opened"
            "request-parameter-additional-properties-opened" "request-parameter-property-additional-properties-opened"
            "response-body-additional-properties-opened" "response-property-additional-properties-opened"
            "response-header-additional-properties-opened";
    ADDITIONAL_PROPERTIES_RESTRICTED "additional-properties-restricted" "`additionalProperties` became a schema that other members must match"
        ("{type: object}", "{type: object, additionalProperties: {type: string}}")
        Warn "request-body-additional-properties-restricted" "request-property-additional-properties-restricted"
            "request-parameter-additional-properties-restricted"
            "request-parameter-property-additional-properties-restricted"
        Info "response-body-additional-properties-restricted" "response-property-additional-properties-restricted"
            "response-header-additional-properties-restricted";
    DISCRIMINATOR_ADDED "discriminator-added" "`discriminator` was added"
        ("{type: object}", "{type: object, discriminator: {propertyName: a}}")
        Info "request-body-discriminator-added" "request-property-discriminator-added"
            "request-parameter-discriminator-added" "request-parameter-property-discriminator-added"
            "response-body-discriminator-added" "response-property-discriminator-added"
            "response-header-discriminator-added";
    DISCRIMINATOR_REMOVED "discriminator-removed" "`discriminator` was removed"
        ("{type: object, discriminator: {propertyName: a}}", "{type: object}")
        Info "request-body-discriminator-removed" "request-property-discriminator-removed"
            "request-parameter-discriminator-removed" "request-parameter-property-discriminator-removed"
            "response-body-discriminator-removed" "response-property-discriminator-removed"
            "response-header-discriminator-removed";
    DISCRIMINATOR_PROPERTY_NAME_CHANGED "discriminator-property-name-changed" "`discriminator.propertyName` changed"
        ("{type: object, discriminator: {propertyName: a}}", "{type: object, discriminator: {propertyName: b}}")
        Info "request-body-discriminator-property-name-changed" "request-property-discriminator-property-name-changed"
            "request-parameter-discriminator-property-name-changed"
            "request-parameter-property-discriminator-property-name-changed"
            "response-body-discriminator-property-name-changed"
            "response-property-discriminator-property-name-changed"
            "response-header-discriminator-property-name-changed";
    DISCRIMINATOR_MAPPING_ADDED "discriminator-mapping-added" "a value was added to `discriminator.mapping`"
        ("{type: object, discriminator: {propertyName: a, mapping: {v: A}}}",
         "{type: object, discriminator: {propertyName: a, mapping: {v: A, w: B}}}")
        Info "request-body-discriminator-mapping-added" "request-property-discriminator-mapping-added"
            "request-parameter-discriminator-mapping-added" "request-parameter-property-discriminator-mapping-added"
            "response-body-discriminator-mapping-added" "response-property-discriminator-mapping-added"
            "response-header-discriminator-mapping-added";
    DISCRIMINATOR_MAPPING_DELETED "discriminator-mapping-deleted" "a value was removed from `discriminator.mapping`"
        ("{type: object, discriminator: {propertyName: a, mapping: {v: A, w: B}}}",
         "{type: object, discriminator: {propertyName: a, mapping: {v: A}}}")
        Info "request-body-discriminator-mapping-deleted" "request-property-discriminator-mapping-deleted"
            "request-parameter-discriminator-mapping-deleted"
            "request-parameter-property-discriminator-mapping-deleted" "response-body-discriminator-mapping-deleted"
            "response-property-discriminator-mapping-deleted" "response-header-discriminator-mapping-deleted";
    DISCRIMINATOR_MAPPING_CHANGED "discriminator-mapping-changed" "a value of `discriminator.mapping` leads to another schema"
        ("{type: object, discriminator: {propertyName: a, mapping: {v: A}}}",
         "{type: object, discriminator: {propertyName: a, mapping: {v: B}}}")
        Info "request-body-discriminator-mapping-changed" "request-property-discriminator-mapping-changed"
            "request-parameter-discriminator-mapping-changed"
            "request-parameter-property-discriminator-mapping-changed" "response-body-discriminator-mapping-changed"
            "response-property-discriminator-mapping-changed" "response-header-discriminator-mapping-changed";
}

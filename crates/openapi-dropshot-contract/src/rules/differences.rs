//! The rules for differences between a document and the code generated from it: differences of the document that the code emits
//! ([`crate::meaning`]), and of the requests and responses that the code accepts and sends.

use super::DifferenceRule;

/// Declares rules. A declaration contains the name of the constant, the id, the meaning, and the reason if the difference is
/// accepted.
macro_rules! differences {
    ($($name:ident $id:literal $meaning:literal $(accepted $reason:expr)?;)+) => {
        $(#[doc = $meaning]
        pub static $name: DifferenceRule = DifferenceRule {
            id: $id,
            meaning: $meaning,
            accepted: [$(Some($reason),)? None][0],
        };)+

        /// All of these rules.
        pub static ALL: &[&DifferenceRule] = &[$(&$name),+];
    };
}

// A difference is accepted if it is an equivalence (the same meaning in another form) or a gap (something that dropshot cannot
// describe). If a gap matters, the round trip checks the behaviour with requests instead. The constants are reasons that several
// rules share.
const FORM: &str =
    "dropshot and schemars join lines and escape Markdown for rustdoc; only the words are compared";
const MORE_WORDS: &str = "the description also contains what dropshot cannot express for an operation: its sunset and its stability level";
const RANGES: &str = "dropshot emits 4XX and 5XX for every operation; the round trip sends requests to check which errors are returned";
const EXTENSIONS: &str = "dropshot emits no extensions, but the served document contains them; the round trip sends requests to check that each error code is returned";
const BODY_TEXTS: &str = "dropshot emits no description for a body, and only one for each kind of response; the served document contains all descriptions";
const EXAMPLES: &str =
    "examples are only for readers of the document, and the document is served as it is written";

differences! {
    DOES_NOT_COMPILE "does-not-compile" "The generated code does not compile.";
    // Texts.
    SUMMARY_FORM "summary-form" "The summary of an operation has another form." accepted FORM;
    SUMMARY_ADDED "summary-added" "An operation without a summary got one."
        accepted "an operation without a summary and a description is documented by its id, method and path, because Rust's lints require documentation";
    SUMMARY "summary" "The summary of an operation was lost, or has more text.";
    DESCRIPTION_FORM "description-form" "The description of an operation has another form." accepted FORM;
    DESCRIPTION_MORE "description-more" "The description of an operation has more text." accepted MORE_WORDS;
    DESCRIPTION_ADDED "description-added" "An operation without a description got one." accepted MORE_WORDS;
    DESCRIPTION_SPLIT "description-split" "The first line of a description became the summary."
        accepted "dropshot takes the first line of the documentation as the summary";
    DESCRIPTION "description" "The description of an operation was lost.";
    PARAMETER_DESCRIPTION_FORM "parameter-description-form" "The description of a parameter has another form." accepted FORM;
    PARAMETER_DESCRIPTION_MORE "parameter-description-more" "The description of a parameter has more text.";
    PARAMETER_DESCRIPTION_ADDED "parameter-description-added" "A parameter without a description got one.";
    PARAMETER_DESCRIPTION "parameter-description" "The description of a parameter was lost.";
    RESPONSE_DESCRIPTION_FORM "response-description-form" "The description of a response has another form.";
    RESPONSE_DESCRIPTION "response-description" "The description of a response differs." accepted BODY_TEXTS;
    REQUEST_BODY_DESCRIPTION "request-body-description" "The description of a request body was lost." accepted BODY_TEXTS;
    SCHEMA_DESCRIPTION_FORM "schema-description-form" "The description of a schema has another form." accepted FORM;
    SCHEMA_DESCRIPTION_MORE "schema-description-more" "The description of a schema has more text.";
    SCHEMA_DESCRIPTION_ADDED "schema-description-added" "A schema without a description got one.";
    SCHEMA_DESCRIPTION "schema-description" "The description of a schema was lost.";
    SCHEMA_TITLE "schema-title" "The title of a schema differs.";
    SCHEMA_TITLE_ADDED "schema-title-added" "A schema without a title got one."
        accepted "schemars gives a title to lists and maps without a name, such as `Array_of_Tool`";
    SCHEMA_TITLE_REPLACED "schema-title-replaced" "The title of a schema was replaced."
        accepted "schemars gives a title to lists and maps without a name; the served document contains the original title";
    ELEMENT_TEXT "element-text" "The title or the description of a body, of array elements or of map values was lost because their type has no name."
        accepted "in Rust, a body, an element of a list or a value of a map whose type has no name cannot have documentation; the served document contains the text, and a type with a name keeps its documentation";
    // The document.
    SERVERS "servers" "The servers of the document were lost."
        accepted "dropshot does not know the addresses of the service; the generated service adds the base path itself";
    SECURITY "security" "The security requirements of an operation were lost."
        accepted "dropshot does not describe credentials; the round trip sends a request to check that they are required";
    TAGS "tags" "The tags of an operation differ.";
    // Operations.
    OPERATION_LOST "operation-lost" "An operation was lost.";
    OPERATION_ADDED "operation-added" "An operation was added.";
    OPERATION_ID "operation-id" "The id of an operation differs.";
    OPERATION_ID_ADDED "operation-id-added" "An operation without an id got one.";
    DEPRECATED "deprecated" "An operation is deprecated in one of the documents only.";
    OPERATION_EXTENSION "operation-extension" "An extension of an operation was lost." accepted EXTENSIONS;
    OPERATION_EXTENSION_ADDED "operation-extension-added" "An extension of an operation was added.";
    OPERATION_EXTENSION_CHANGED "operation-extension-changed" "An extension of an operation differs.";
    PAGINATION_FORM "pagination-form" "`x-dropshot-pagination` has another form."
        accepted "older versions of dropshot wrote `true` if no parameter of the first page is required";
    WEBSOCKET_FORM "websocket-form" "The response that opens a websocket has another form."
        accepted "older versions of dropshot wrote `default`, or any content, for the response that opens a websocket";
    WEBSOCKET_ERROR "websocket-error" "An error response that is sent before a websocket opens has another form."
        accepted "the handler of a websocket returns no errors; the server sends the errors before the websocket opens, in the form of the document";
    PARAMETER_LOST "parameter-lost" "A parameter was lost.";
    PARAMETER_ADDED "parameter-added" "A parameter was added.";
    PARAMETER_REQUIRED "parameter-required" "A parameter is required in one of the documents only.";
    PARAMETER_DEPRECATED "parameter-deprecated" "The deprecation of a parameter was lost."
        accepted "dropshot cannot mark parameters as deprecated; the served document and the documentation of the types and of the client contain the deprecation";
    PARAMETER_EMPTY_VALUE "parameter-empty-value" "A parameter may be empty in one of the documents only."
        accepted "dropshot does not describe `allowEmptyValue`; the generator accepts it only for strings, which may be empty anyway";
    PARAMETER_EXTENSION "parameter-extension" "An extension of a parameter was lost." accepted EXTENSIONS;
    PARAMETER_EXAMPLE "parameter-example" "The example of a parameter was lost." accepted EXAMPLES;
    PARAMETER_SCHEMA_TEXT "parameter-schema-text" "The title or the description of the schema of a parameter or a header was lost."
        accepted "dropshot describes a parameter or a header, but not its schema; the served document contains both descriptions";
    REQUEST_BODY_LOST "request-body-lost" "A request body was lost.";
    REQUEST_BODY_ADDED "request-body-added" "A request body was added.";
    REQUEST_BODY_REQUIRED "request-body-required" "A request body is required in one of the documents only.";
    OPTIONAL_BODY_REQUIRED "optional-body-required" "A request body that may be absent is required."
        accepted "dropshot emits every body as required; the round trip sends a request without a body to check that it may be absent";
    REQUEST_CONTENT_UNREAD "request-content-unread" "A service does not read one of the media types of a request body, because it reads only JSON."
        accepted "if a request may have JSON or another media type, the service reads only JSON and responds 415 to the other one; the linter warns about this limit (`unread-body`)";
    CONTENT_ANY "content-any" "The media type of a body became `*/*` or `application/octet-stream`."
        accepted "dropshot emits `*/*` or `application/octet-stream` for a body that is not JSON; its media type is a constant of the generated code";
    CONTENT_PARTS "content-parts" "The parts of a form became bytes."
        accepted "the handler reads the parts of a form itself, so dropshot emits the form as bytes";
    CONTENT_CHARSET "content-charset" "A media type has another `charset`."
        accepted "JSON is always UTF-8, so `charset=utf-8` adds nothing; it is not a defined parameter of this media type";
    CONTENT_JSON "content-json" "A body of a media type of JSON became `application/json`."
        accepted "dropshot knows only `application/json`; the media type of the document is a constant in the generated code, and the round trip checks with a request that it is read or sent";
    CONTENT_EXAMPLE "content-example" "The example of a body was lost." accepted EXAMPLES;
    CONTENT_LOST "content-lost" "A media type was lost.";
    CONTENT_ADDED "content-added" "A media type was added.";
    CONTENT_STREAM "content-stream" "The emitted document describes one item instead of a stream."
        accepted "dropshot cannot describe streams; the generated service sends a stream, and the served document describes it";
    CONTENT_ALTERNATIVE "content-alternative" "One of several media types of a response was lost."
        accepted "a service may choose any of the media types that the document lists; it sends the first one that is JSON";
    STATUS_ADDED "status-added" "A response was added.";
    STATUS_ADDED_RANGE "status-added-range" "A range of error responses was added." accepted RANGES;
    STATUS_IN_RANGE "status-in-range" "Only a range describes an error response." accepted RANGES;
    STATUS_DEFAULT "status-default" "The response `default` became ranges." accepted RANGES;
    STATUS_INTERIM "status-interim" "An interim response was lost."
        accepted "a server does not have to send an interim response (RFC 9110, section 15.2); the generator warns that the service sends none";
    STATUS_LOST "status-lost" "A response was lost.";
    HEADER_LOST "header-lost" "A header of a response was lost.";
    HEADER_ADDED "header-added" "A header of a response was added.";
    HEADER_REQUIRED "header-required" "A header of a response is required in one of the documents only.";
    HEADER_OF_SEVERAL "header-of-several" "A header of one of several responses was lost."
        accepted "dropshot describes the headers of only one response; the variants of the generated enum contain the headers of each response";
    HEADER_OF_BYTES "header-of-bytes" "A header of a response that is not JSON was lost."
        accepted "dropshot describes no headers for a response that is not JSON; a handler cannot build the generated response without the headers, and the served document describes them";
    ERROR_HEADER_LOST "error-header-lost" "A header of an error response was lost."
        accepted "dropshot cannot describe headers of errors; the middleware pipeline of the service sets them";
    ERROR_CONTENT_ADDED "error-content-added" "An error response without a body got a body."
        accepted "dropshot emits the same body for all errors, so an error without a body is emitted with the body of the others, or with any body";
    RESPONSE_EXTENSION "response-extension" "An extension of a response was lost." accepted EXTENSIONS;
    // Schemas.
    SCHEMA_MISSING "schema-missing" "A component schema is missing.";
    SCHEMA_LOST "schema-lost" "A schema was lost.";
    SCHEMA_ADDED "schema-added" "A schema was added.";
    SCHEMA_NAMED "schema-named" "An inline schema became a component."
        accepted "an inline object becomes a type with a name; its content is compared";
    SCHEMA_INLINED "schema-inlined" "A component became an inline schema.";
    SCHEMA_REFERENCE "schema-reference" "A reference leads to another component.";
    SCHEMA_NULLABLE "schema-nullable" "A schema allows `null` in one of the documents only.";
    COMPONENT_NULL_AT_USE "component-null-at-use" "A component that allows `null` became one that does not; each use of it allows `null`."
        accepted "a schema that allows `null` becomes a type that does not; instead, each use of the type allows `null`, which is compared";
    SCHEMA_TYPE "schema-type" "The type of a schema differs.";
    SCHEMA_FORMAT "schema-format" "The format of a schema differs.";
    SCHEMA_PATTERN "schema-pattern" "The pattern of a schema differs.";
    SCHEMA_ENUM "schema-enum" "The values of a schema differ.";
    SCHEMA_MINIMUM "schema-minimum" "The lower bound of a number differs.";
    SCHEMA_MAXIMUM "schema-maximum" "The upper bound of a number differs.";
    SCHEMA_MULTIPLE_OF "schema-multiple-of" "`multipleOf` of a schema differs.";
    SCHEMA_LENGTH "schema-length" "The bounds of the length of a string differ.";
    SCHEMA_ITEMS "schema-items" "One of the documents only describes the items of an array.";
    SCHEMA_ITEMS_BOUNDS "schema-items-bounds" "The bounds of the length of an array, or `uniqueItems`, differ.";
    SCHEMA_PROPERTIES_BOUNDS "schema-properties-bounds" "The bounds of the number of properties differ.";
    SCHEMA_PROPERTIES_BOUNDS_LOST "schema-properties-bounds-lost" "The bounds of the number of properties of an object with `properties` were lost."
        accepted "schemars does not derive these bounds; the round trip checks with values that objects with too few or too many members are rejected";
    SCHEMA_PROPERTY_LOST "schema-property-lost" "A property was lost.";
    SCHEMA_PROPERTY_ADDED "schema-property-added" "A property was added.";
    SCHEMA_REQUIRED "schema-required" "A property is required in one of the documents only.";
    SCHEMA_ADDITIONAL_PROPERTIES "schema-additional-properties" "The rule for other members differs.";
    SCHEMA_ALL_OF "schema-all-of" "The parts of `allOf` differ.";
    SCHEMA_ONE_OF "schema-one-of" "The alternatives of `oneOf` differ.";
    SCHEMA_ANY_OF "schema-any-of" "The alternatives of `anyOf` differ.";
    SCHEMA_NOT "schema-not" "One of the documents only has `not`."
        accepted "schemars does not derive `not`; the round trip checks with values that members that exclude each other are rejected together";
    SCHEMA_DISCRIMINATOR "schema-discriminator" "The discriminator differs.";
    SCHEMA_DISCRIMINATOR_LOST "schema-discriminator-lost" "The discriminator was lost."
        accepted "schemars has no discriminator; the round trip checks with values that the property selects the alternative";
    SCHEMA_READ_ONLY "schema-read-only" "A schema is `readOnly` in one of the documents only.";
    SCHEMA_WRITE_ONLY "schema-write-only" "A schema is `writeOnly` in one of the documents only.";
    SCHEMA_DEPRECATED "schema-deprecated" "A schema is deprecated in one of the documents only.";
    STRUCT_DEPRECATED "struct-deprecated" "The schema of an object is deprecated in the source document only."
        accepted "schemars cannot mark a struct as deprecated without a warning at each use; the documentation of the struct and the served document contain the deprecation";
    SCHEMA_DEFAULT "schema-default" "The default of a schema differs.";
    SCHEMA_DEFAULT_LOST "schema-default-lost" "The default of a parameter was lost."
        accepted "dropshot emits no defaults for parameters; the round trip checks with a request that an absent parameter gets its default";
    SCHEMA_DEFAULT_ADDED "schema-default-added" "A default was added.";
    SCHEMA_EXAMPLE "schema-example" "The example of a schema was lost." accepted EXAMPLES;
    SCHEMA_EXTENSION "schema-extension" "An extension of a schema was lost." accepted EXTENSIONS;
    // Values.
    TYPE_LOST "type-lost" "A schema has no generated type.";
    VALUE_ACCEPTED "value-accepted" "A value that is not valid is accepted.";
    VALUE_REFUSED "value-refused" "A valid value is rejected.";
    VALUE_CHANGED "value-changed" "A value is not written as it was read.";
    UNKNOWN_MEMBER_LEFT_OUT "unknown-member-left-out" "A member that the document does not name is dropped."
        accepted "members are ignored if the document, or the alternative of `anyOf` that accepts the value, does not name them";
    DEFAULT_WRITTEN "default-written" "A member that was absent is written with its default."
        accepted "a member that was absent and has a default is written with that default";
    // Requests.
    BODY_WITHOUT_EXAMPLE "body-without-example" "No valid body for an operation could be made from the document, so the operation was not tested.";
    REQUEST_REFUSED "request-refused" "A valid request is rejected.";
    SECURITY_OPEN "security-open" "An operation that requires credentials can be called without them.";
    PARAMETER_ACCEPTED "parameter-accepted" "A parameter that is not valid is accepted.";
    PARAMETER_REFUSED "parameter-refused" "A valid parameter is rejected.";
    PARAMETER_ABSENT "parameter-absent" "A required parameter may be absent, or an optional one may not.";
    PARAMETER_DEFAULT_LOST "parameter-default-lost" "A parameter that is absent does not have its default.";
    BODY_ABSENT "body-absent" "A required body may be absent, or an optional one may not.";
    BODY_REFUSED "body-refused" "A valid body is rejected.";
    BODY_ACCEPTED "body-accepted" "A body that is not valid is accepted.";
    ERROR_LOST "error-lost" "An error of the document cannot be returned.";
    ERROR_ADDED "error-added" "An error can be returned that the document does not have.";
}

//! Lists the accepted differences, each with its reason: equivalences, which have the
//! same meaning, and gaps, which dropshot cannot describe. A test fails if an entry
//! is no longer needed.

/// The rules whose differences do not fail the round trip, with the reason.
pub(crate) const ACCEPTED: &[(&[&str], &str)] = &[
    // Equivalences: another form, the same meaning.
    (
        &["summary-added"],
        "an operation without texts gets its id, method and path: Rust's lints ask for documentation",
    ),
    (
        &[
            "summary-form",
            "description-form",
            "parameter-description-form",
            "schema-description-form",
        ],
        "dropshot and schemars join lines, and Markdown is escaped for rustdoc; the words are compared",
    ),
    (
        &["description-added", "description-more"],
        "a description also says what dropshot cannot express of an operation: its end, its stability",
    ),
    (
        &["description-split"],
        "dropshot takes the first line of the documentation as the summary",
    ),
    (
        &["schema-named"],
        "an object inside of the document becomes a type with a name; its content is compared",
    ),
    (
        &["schema-title-added"],
        "schemars gives a title to lists and maps without a name, such as `Array_of_Tool`",
    ),
    (
        &["component-null-at-use"],
        "a schema that may be `null` is a type that may not; each use of it allows `null`, and is compared",
    ),
    (
        &["pagination-form"],
        "older dropshots wrote `true` where no parameter of the first page is required",
    ),
    (
        &["websocket-form"],
        "older dropshots wrote `default`, or any content, for the response that opens a websocket",
    ),
    (
        &["content-charset"],
        "JSON is UTF-8; `charset=utf-8` says it again, and is no parameter of this media type",
    ),
    (
        &["status-in-range", "status-default", "status-added-range"],
        "dropshot emits 4XX and 5XX for every operation; requests show which errors are returned",
    ),
    (
        &["unknown-member-left-out"],
        "members that the document, or the alternative of `anyOf` that accepts the value, does not name are ignored",
    ),
    (
        &["default-written"],
        "a member that was absent and has a default is written with it",
    ),
    // Gaps: dropshot cannot describe these. The requests check what matters of them.
    (
        &["servers"],
        "dropshot does not know where it is reached; the service binds its base path itself",
    ),
    (
        &["security"],
        "dropshot does not know credentials; a request shows that they are required",
    ),
    (
        &["schema-default-lost"],
        "dropshot emits no defaults of parameters; a request shows that an absent one has its default",
    ),
    (
        &[
            "operation-extension",
            "parameter-extension",
            "response-extension",
            "schema-extension",
        ],
        "dropshot emits no extensions; the served document has them, and requests show that each error code is returned",
    ),
    (
        &["response-description", "request-body-description"],
        "dropshot emits no description of a body, and one for each kind of response; the served document has them",
    ),
    (
        &["error-content-added"],
        "dropshot emits one body for all errors; one without a body is emitted with that of the others, or any",
    ),
    (
        &["optional-body-required"],
        "dropshot emits every body as required; a request shows that one may be absent",
    ),
    (
        &["content-any"],
        "dropshot emits `*/*` or `application/octet-stream` for a body that is not JSON; its media type is a constant of the generated code",
    ),
    (
        &["header-of-several"],
        "dropshot describes the headers of one response; the variants of the generated enum carry those of each",
    ),
    (
        &["header-of-bytes"],
        "dropshot describes no headers of a response that is not JSON; a handler cannot return the generated response without them, and the served document has them",
    ),
    (
        &["parameter-schema-text"],
        "dropshot describes a parameter or a header and not its schema; the served document has both texts",
    ),
    (
        &["schema-title-replaced"],
        "schemars gives a title to lists and maps without a name; the served document has their own",
    ),
    (
        &["content-parts"],
        "the handler reads the parts of a form by itself, and dropshot emits them as bytes",
    ),
    (
        &["content-alternative"],
        "a service may send any of the media types that the document lists, and sends the first that is JSON",
    ),
    (
        &["element-text"],
        "Rust has no place for the words about a body, an element of a list or a value of a map whose type has no name; the served document has them, and a type with a name keeps its own",
    ),
    (
        &["struct-deprecated"],
        "schemars cannot mark a struct as deprecated without a warning at each use; its documentation says it, and the served document",
    ),
    (
        &["request-content-unread"],
        "a service reads JSON if a request may also have another media type, which gets 415; this is a limit, of which the linter warns (`unread-body`)",
    ),
    (
        &["schema-discriminator-lost"],
        "schemars has no discriminator; values show that the property names the alternative",
    ),
    (
        &["error-header-lost"],
        "dropshot knows no headers of errors; the middleware pipeline of the service sets them",
    ),
    (
        &["schema-example", "parameter-example", "content-example"],
        "examples are for readers of the document, which is served as it is written",
    ),
];

/// Returns why differences of this rule are accepted, if they are.
pub(crate) fn reason(rule: &str) -> Option<&'static str> {
    let accepted = ACCEPTED.iter().find(|(rules, _)| rules.contains(&rule));
    accepted.map(|(_, reason)| *reason)
}

//! Lists the accepted differences, each with its reason: equivalences, which have the
//! same meaning, and gaps, for which dropshot has no place. A test fails where an
//! entry is no longer needed.

/// A kind of difference that fails nothing.
pub(super) struct Accepted {
    /// The rule of the differences.
    pub(super) rule: &'static str,
    /// Why it is accepted.
    pub(super) reason: &'static str,
}

/// All of them.
pub(super) const ACCEPTED: &[Accepted] = &[
    // Equivalences: another form, the same meaning.
    Accepted {
        rule: "summary-added",
        reason: "an operation without words gets its id, method and path: Rust's lints ask for documentation",
    },
    Accepted {
        rule: "summary-form",
        reason: "Markdown is escaped for rustdoc; the words are compared",
    },
    Accepted {
        rule: "description-form",
        reason: "dropshot joins lines, and Markdown is escaped for rustdoc; the words are compared",
    },
    Accepted {
        rule: "description-added",
        reason: "what dropshot cannot say of an operation (its end, its stability) is said in its description",
    },
    Accepted {
        rule: "description-more",
        reason: "what dropshot cannot say of an operation (its end, its stability) is said behind its description",
    },
    Accepted {
        rule: "description-split",
        reason: "dropshot takes the first line of the documentation as the summary",
    },
    Accepted {
        rule: "parameter-description-form",
        reason: "schemars joins lines, and Markdown is escaped for rustdoc; the words are compared",
    },
    Accepted {
        rule: "schema-description-form",
        reason: "schemars joins lines, and Markdown is escaped for rustdoc; the words are compared",
    },
    Accepted {
        rule: "schema-named",
        reason: "an object inside of the document becomes a type with a name; its content is compared",
    },
    Accepted {
        rule: "schema-title-added",
        reason: "schemars gives a title to lists and maps without a name, such as `Array_of_Tool`",
    },
    Accepted {
        rule: "component-null-at-use",
        reason: "a schema that may be `null` is a type that may not; each use of it allows `null`, and is compared",
    },
    Accepted {
        rule: "pagination-form",
        reason: "older dropshots wrote `true` where no parameter of the first page is required",
    },
    Accepted {
        rule: "websocket-form",
        reason: "older dropshots wrote `default`, or any content, for the response that opens a websocket",
    },
    Accepted {
        rule: "content-charset",
        reason: "JSON is UTF-8; `charset=utf-8` says it again, and is no parameter of this media type",
    },
    Accepted {
        rule: "status-in-range",
        reason: "dropshot emits all errors of an operation as 4XX and 5XX; each status is shown by a request",
    },
    Accepted {
        rule: "status-default",
        reason: "dropshot emits all errors of an operation as 4XX and 5XX; each status is shown by a request",
    },
    Accepted {
        rule: "status-added-range",
        reason: "dropshot emits 4XX and 5XX for every operation; requests show that no other error is returned",
    },
    Accepted {
        rule: "unknown-member-left-out",
        reason: "members that the document does not name are allowed and ignored, as its description says",
    },
    Accepted {
        rule: "alternative-member-left-out",
        reason: "in `anyOf`, a member that its own alternative rejects is one without a name in the other, and ignored there",
    },
    Accepted {
        rule: "default-written",
        reason: "a member that was absent and has a default is written with it",
    },
    // Gaps: dropshot has no place for it. What matters of them is shown by requests.
    Accepted {
        rule: "servers",
        reason: "dropshot does not know where it is reached; the service binds its base path itself",
    },
    Accepted {
        rule: "security",
        reason: "dropshot does not know credentials; a request shows that they are required",
    },
    Accepted {
        rule: "schema-default-lost",
        reason: "dropshot emits no defaults of parameters; that an absent one has its default is shown by a request",
    },
    Accepted {
        rule: "operation-extension",
        reason: "dropshot emits no extensions of operations; they are in the generated table of operations",
    },
    Accepted {
        rule: "parameter-extension",
        reason: "dropshot emits no extensions of parameters; the served document has them",
    },
    Accepted {
        rule: "response-extension",
        reason: "dropshot emits no extensions of responses; the requests show that each code is returned",
    },
    Accepted {
        rule: "schema-extension",
        reason: "extensions are for generators and readers of the document, which is served as it is written",
    },
    Accepted {
        rule: "response-description",
        reason: "dropshot has one description for each kind of response; the served document has its own",
    },
    Accepted {
        rule: "request-body-description",
        reason: "dropshot emits no description of a body; the served document has it",
    },
    Accepted {
        rule: "error-content-added",
        reason: "dropshot emits one body for all errors; one without a body is emitted with that of the others, or any",
    },
    Accepted {
        rule: "optional-body-required",
        reason: "dropshot emits every body as required; that one may be absent is shown by a request",
    },
    Accepted {
        rule: "content-any",
        reason: "dropshot emits `*/*` for a body that is not JSON; its media type is a constant of the generated response",
    },
    Accepted {
        rule: "schema-discriminator-lost",
        reason: "schemars has no discriminator; that the property names the alternative is shown by values",
    },
    Accepted {
        rule: "error-header-lost",
        reason: "dropshot knows no headers of errors; the middleware pipeline of the service sets them",
    },
    Accepted {
        rule: "schema-example",
        reason: "examples are for readers of the document, which is served as it is written",
    },
    Accepted {
        rule: "parameter-example",
        reason: "examples are for readers of the document, which is served as it is written",
    },
    Accepted {
        rule: "content-example",
        reason: "examples are for readers of the document, which is served as it is written",
    },
];

/// Whether differences of this rule are accepted.
pub(super) fn is_accepted(rule: &str) -> bool {
    ACCEPTED.iter().any(|accepted| accepted.rule == rule)
}

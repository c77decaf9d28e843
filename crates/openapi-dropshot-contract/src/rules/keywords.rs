//! The rules for changes of bounds and of other schema keywords that restrict values, including the keywords of JSON Schema
//! 2020-12. Ids and levels are the same as in oasdiff, as in [`super::changes`]. Places that oasdiff does not compare follow the
//! same pattern.

use super::changes::{ALL_REQUESTS, REQUESTS, RESPONSES, families};
use super::{Family, Level, Levels, Part, swapped};

// In responses a wider schema breaks clients, in requests a narrower one does.
const WIDER_BOUND: Levels = &[(Level::Err, &RESPONSES), (Level::Info, &REQUESTS)];
/// The levels for strings in responses that may become longer. No client has to reject a longer string, although oasdiff reports it
/// as breaking.
const LONGER_TEXT: Levels = &[(Level::Info, &RESPONSES), (Level::Info, &REQUESTS)];
const NARROWER_BOUND: Levels = &[(Level::Err, &REQUESTS), (Level::Info, &RESPONSES)];
/// The levels for bounds that oasdiff also compares in properties that requests do not contain.
const NARROWER_BOUND_ALSO_HIDDEN: Levels = &[
    (Level::Err, &REQUESTS),
    (Level::Info, &RESPONSES),
    (Level::Info, &["request-read-only-property"]),
];
const WIDER: Levels = &[(Level::Err, &RESPONSES), (Level::Info, &ALL_REQUESTS)];
const NARROWER: Levels = &[(Level::Err, &ALL_REQUESTS), (Level::Info, &RESPONSES)];

/// Makes rules with the general remedies, whose only example is a schema.
macro_rules! of_schema {
    ($ending:expr, $meaning:expr, $levels:expr, $base:expr, $revision:expr) => {
        Family {
            ending: $ending,
            meaning: $meaning,
            levels: $levels,
            examples: &[(Part::Schema, $base, $revision)],
            own_remedy: None,
        }
    };
}

/// Declares the rules for bounds. A declaration contains the keyword, the beginning of the ids after the place, the other members
/// of the schema in the examples, and the levels if the bound increased, if it decreased, and if it was removed.
macro_rules! bounds {
    ($($keyword:literal $ending:literal $members:literal $increased:ident $decreased:ident $unset:ident;)+) => {
        /// The keywords for bounds, each with the rules for a bound that increased, decreased, was added or was removed.
        pub(crate) static BOUNDS: &[(&str, [Family; 4])] = &[$(($keyword, {
            const NONE: &str = concat!("{", $members, "}");
            const LOW: &str = concat!("{", $members, ", ", $keyword, ": 5}");
            const HIGH: &str = concat!("{", $members, ", ", $keyword, ": 9}");
            [
                of_schema!(concat!($ending, "-increased"), concat!("`", $keyword, "` became larger"), $increased, LOW, HIGH),
                of_schema!(concat!($ending, "-decreased"), concat!("`", $keyword, "` became smaller"), $decreased, HIGH, LOW),
                of_schema!(concat!($ending, "-set"), concat!("`", $keyword, "` was added"), NARROWER_BOUND, NONE, LOW),
                of_schema!(concat!($ending, "-unset"), concat!("`", $keyword, "` was removed"), $unset, LOW, NONE),
            ]
        })),+];
    };
}

bounds! {
    "maximum" "max" "type: integer" WIDER_BOUND NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND;
    "minimum" "min" "type: integer" NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND WIDER_BOUND;
    "exclusiveMaximum" "exclusive-max" "type: integer" WIDER_BOUND NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND;
    "exclusiveMinimum" "exclusive-min" "type: integer" NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND WIDER_BOUND;
    "maxLength" "max-length" "type: string" LONGER_TEXT NARROWER_BOUND_ALSO_HIDDEN LONGER_TEXT;
    "minLength" "min-length" "type: string" NARROWER_BOUND WIDER_BOUND WIDER_BOUND;
    "maxItems" "max-items" "type: array, items: {}" WIDER_BOUND NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND;
    "minItems" "min-items" "type: array, items: {}" NARROWER_BOUND WIDER_BOUND WIDER_BOUND;
    "maxProperties" "max-properties" "type: object" WIDER_BOUND NARROWER_BOUND_ALSO_HIDDEN WIDER_BOUND;
    "minProperties" "min-properties" "type: object" NARROWER_BOUND WIDER_BOUND WIDER_BOUND;
    "maxContains" "max-contains" "type: array, items: {}, contains: {type: string}" WIDER_BOUND NARROWER_BOUND WIDER_BOUND;
    "minContains" "min-contains" "type: array, items: {}, contains: {type: string}" NARROWER_BOUND WIDER_BOUND WIDER_BOUND;
}

/// Declares the rules for keywords that restrict values by their presence. A declaration contains the keyword, the beginning of the
/// ids after the place, what was added or removed, and examples without it and with it.
macro_rules! restrictions {
    ($($keyword:literal $ending:literal $what:literal $without:literal $with:literal;)+) => {
        /// Keywords that restrict values, each with the rules for adding and removing the keyword or one of its members.
        pub(crate) static RESTRICTIONS: &[(&str, [Family; 2])] = &[$(($keyword, [
            of_schema!(concat!($ending, "-added"), concat!($what, " was added"), NARROWER, $without, $with),
            of_schema!(concat!($ending, "-removed"), concat!($what, " was removed"), WIDER, $with, $without),
        ])),+];
    };
}

restrictions! {
    "if" "if" "`if`" "{then: {minLength: 1}}" "{if: {type: string}, then: {minLength: 1}}";
    "then" "then" "`then`" "{if: {type: string}}" "{if: {type: string}, then: {minLength: 1}}";
    "else" "else" "`else`" "{if: {type: string}}" "{if: {type: string}, else: {type: integer}}";
    "contains" "contains" "`contains`" "{type: array, items: {}}" "{type: array, items: {}, contains: {type: string}}";
    "propertyNames" "property-names" "`propertyNames`" "{type: object}" "{type: object, propertyNames: {maxLength: 3}}";
    "patternProperties" "pattern-property" "a pattern of `patternProperties`"
        "{type: object}" "{type: object, patternProperties: {^a: {type: string}}}";
    "unevaluatedItems" "unevaluated-items" "`unevaluatedItems`"
        "{allOf: [{type: array}]}" "{allOf: [{type: array}], unevaluatedItems: false}";
    "unevaluatedProperties" "unevaluated-properties" "`unevaluatedProperties`"
        "{allOf: [{type: object}]}" "{allOf: [{type: object}], unevaluatedProperties: false}";
    "dependentRequired" "dependent-required" "a property of `dependentRequired`"
        "{type: object}" "{type: object, dependentRequired: {a: [b]}}";
    "dependentSchemas" "dependent-schema" "a property of `dependentSchemas`"
        "{type: object}" "{type: object, dependentSchemas: {a: {required: [b]}}}";
}

families! {
    MULTIPLE_OF_SET "multiple-of-set" "`multipleOf` was added" Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, multipleOf: 5}";
    <- MULTIPLE_OF_UNSET "multiple-of-unset" "`multipleOf` was removed" Err RESPONSES, Info REQUESTS;
    MULTIPLE_OF_GENERALIZED "multiple-of-generalized" "the new `multipleOf` is a divisor of the old one" Info REQUESTS
        Schema "{type: integer, multipleOf: 10}" "{type: integer, multipleOf: 5}";
    <- MULTIPLE_OF_SPECIALIZED "multiple-of-specialized" "the new `multipleOf` is a multiple of the old one" Info RESPONSES;
    MULTIPLE_OF_CHANGED "multiple-of-changed"
        "`multipleOf` changed: in requests the old number is not a multiple of the new one, or in responses the new number is not a multiple of the old one"
        Err REQUESTS, Err RESPONSES
        Schema "{type: integer, multipleOf: 5}" "{type: integer, multipleOf: 3}";
    UNIQUE_ITEMS_SET "unique-items-set" "`uniqueItems` was set: an item may not be repeated"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, uniqueItems: true}";
    <- UNIQUE_ITEMS_UNSET "unique-items-unset" "`uniqueItems` was removed: an item may be repeated" Err RESPONSES, Info REQUESTS;
    // Keywords of JSON Schema 2020-12.
    SCHEMA_BECAME_FALSE "schema-became-false" "a schema became `false` or `not: {}`: no value is valid"
        Err ALL_REQUESTS, Err ["response-body"], Info ["response-property", "response-header"]
        Schema "{type: array, items: {type: string}}" "{type: array, items: false}",
        Schema "{}" "{not: {}}";
    <- SCHEMA_BECAME_NOT_FALSE "schema-became-not-false" "a schema is no longer `false` or `not: {}`"
        Err ["response-property", "response-header"], Info ALL_REQUESTS, Info ["response-body"];
    CONST_ADDED "const-added" "`const` was added: only one value is allowed" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, const: a}";
    <- CONST_REMOVED "const-removed" "`const` was removed" Err RESPONSES, Info ALL_REQUESTS;
    CONST_CHANGED "const-changed" "`const` became another value" Err ALL_REQUESTS, Err RESPONSES
        Schema "{type: string, const: a}" "{type: string, const: b}";
    CONDITION_CHANGED "condition-changed"
        "the schema of `if` or `contains` changed; it is unknown whether it still allows the same values" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{if: {type: string}, then: {minLength: 1}}" "{if: {type: integer}, then: {minLength: 1}}";
    PREFIX_ITEMS_ADDED "prefix-items-added" "a schema was added to `prefixItems`" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: array, prefixItems: [{type: string}]}" "{type: array, prefixItems: [{type: string}, {type: integer}]}";
    <- PREFIX_ITEMS_REMOVED "prefix-items-removed" "a schema was removed from `prefixItems`" Warn ALL_REQUESTS, Warn RESPONSES;
    DEPENDENT_REQUIRED_CHANGED "dependent-required-changed" "the names that `dependentRequired` requires for a property changed"
        Err ALL_REQUESTS, Err RESPONSES
        Schema "{type: object, dependentRequired: {a: [b]}}" "{type: object, dependentRequired: {a: [c]}}";
}

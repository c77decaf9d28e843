//! The rules for changes of bounds and of other keywords of schemas that restrict
//! values, those of JSON Schema 2020-12 included. Ids and levels are oasdiff's, as in
//! [`super::changes`]; at places that oasdiff does not compare, they are alike.

use super::changes::{ALL_REQUESTS, REQUESTS, RESPONSES, families};
use super::{Family, Level, Part};

families! {
    // Bounds. A wider one breaks clients in responses, a narrower one in requests.
    MAX_INCREASED "max-increased" "`maximum` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, maximum: 5}" "{type: integer, maximum: 9}";
    MAX_DECREASED "max-decreased" "`maximum` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, maximum: 9}" "{type: integer, maximum: 5}";
    MAX_SET "max-set" "`maximum` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, maximum: 5}";
    MAX_UNSET "max-unset" "`maximum` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, maximum: 5}" "{type: integer}";
    MIN_INCREASED "min-increased" "`minimum` became larger"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, minimum: 5}" "{type: integer, minimum: 9}";
    MIN_DECREASED "min-decreased" "`minimum` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, minimum: 9}" "{type: integer, minimum: 5}";
    MIN_SET "min-set" "`minimum` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, minimum: 5}";
    MIN_UNSET "min-unset" "`minimum` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, minimum: 5}" "{type: integer}";
    EXCLUSIVE_MAX_INCREASED "exclusive-max-increased" "`exclusiveMaximum` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, exclusiveMaximum: 5}" "{type: integer, exclusiveMaximum: 9}";
    EXCLUSIVE_MAX_DECREASED "exclusive-max-decreased" "`exclusiveMaximum` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, exclusiveMaximum: 9}" "{type: integer, exclusiveMaximum: 5}";
    EXCLUSIVE_MAX_SET "exclusive-max-set" "`exclusiveMaximum` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, exclusiveMaximum: 5}";
    EXCLUSIVE_MAX_UNSET "exclusive-max-unset" "`exclusiveMaximum` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, exclusiveMaximum: 5}" "{type: integer}";
    EXCLUSIVE_MIN_INCREASED "exclusive-min-increased" "`exclusiveMinimum` became larger"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: integer, exclusiveMinimum: 5}" "{type: integer, exclusiveMinimum: 9}";
    EXCLUSIVE_MIN_DECREASED "exclusive-min-decreased" "`exclusiveMinimum` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, exclusiveMinimum: 9}" "{type: integer, exclusiveMinimum: 5}";
    EXCLUSIVE_MIN_SET "exclusive-min-set" "`exclusiveMinimum` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, exclusiveMinimum: 5}";
    EXCLUSIVE_MIN_UNSET "exclusive-min-unset" "`exclusiveMinimum` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: integer, exclusiveMinimum: 5}" "{type: integer}";
    MAX_LENGTH_INCREASED "max-length-increased" "`maxLength` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: string, maxLength: 5}" "{type: string, maxLength: 9}";
    MAX_LENGTH_DECREASED "max-length-decreased" "`maxLength` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: string, maxLength: 9}" "{type: string, maxLength: 5}";
    MAX_LENGTH_SET "max-length-set" "`maxLength` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, maxLength: 5}";
    MAX_LENGTH_UNSET "max-length-unset" "`maxLength` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: string, maxLength: 5}" "{type: string}";
    MIN_LENGTH_INCREASED "min-length-increased" "`minLength` became larger"
        Err REQUESTS, Info RESPONSES
        Schema "{type: string, minLength: 5}" "{type: string, minLength: 9}";
    MIN_LENGTH_DECREASED "min-length-decreased" "`minLength` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: string, minLength: 9}" "{type: string, minLength: 5}";
    MIN_LENGTH_SET "min-length-set" "`minLength` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, minLength: 5}";
    MIN_LENGTH_UNSET "min-length-unset" "`minLength` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: string, minLength: 5}" "{type: string}";
    MAX_ITEMS_INCREASED "max-items-increased" "`maxItems` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, maxItems: 5}" "{type: array, items: {}, maxItems: 9}";
    MAX_ITEMS_DECREASED "max-items-decreased" "`maxItems` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: array, items: {}, maxItems: 9}" "{type: array, items: {}, maxItems: 5}";
    MAX_ITEMS_SET "max-items-set" "`maxItems` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, maxItems: 5}";
    MAX_ITEMS_UNSET "max-items-unset" "`maxItems` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, maxItems: 5}" "{type: array, items: {}}";
    MIN_ITEMS_INCREASED "min-items-increased" "`minItems` became larger"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, minItems: 5}" "{type: array, items: {}, minItems: 9}";
    MIN_ITEMS_DECREASED "min-items-decreased" "`minItems` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, minItems: 9}" "{type: array, items: {}, minItems: 5}";
    MIN_ITEMS_SET "min-items-set" "`minItems` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, minItems: 5}";
    MIN_ITEMS_UNSET "min-items-unset" "`minItems` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, minItems: 5}" "{type: array, items: {}}";
    MAX_PROPERTIES_INCREASED "max-properties-increased" "`maxProperties` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: object, maxProperties: 5}" "{type: object, maxProperties: 9}";
    MAX_PROPERTIES_DECREASED "max-properties-decreased" "`maxProperties` became smaller"
        Err REQUESTS, Info RESPONSES, Info ["request-read-only-property"]
        Schema "{type: object, maxProperties: 9}" "{type: object, maxProperties: 5}";
    MAX_PROPERTIES_SET "max-properties-set" "`maxProperties` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, maxProperties: 5}";
    MAX_PROPERTIES_UNSET "max-properties-unset" "`maxProperties` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: object, maxProperties: 5}" "{type: object}";
    MIN_PROPERTIES_INCREASED "min-properties-increased" "`minProperties` became larger"
        Err REQUESTS, Info RESPONSES
        Schema "{type: object, minProperties: 5}" "{type: object, minProperties: 9}";
    MIN_PROPERTIES_DECREASED "min-properties-decreased" "`minProperties` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: object, minProperties: 9}" "{type: object, minProperties: 5}";
    MIN_PROPERTIES_SET "min-properties-set" "`minProperties` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, minProperties: 5}";
    MIN_PROPERTIES_UNSET "min-properties-unset" "`minProperties` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: object, minProperties: 5}" "{type: object}";
    MAX_CONTAINS_INCREASED "max-contains-increased" "`maxContains` became larger"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, contains: {type: string}, maxContains: 5}" "{type: array, items: {}, contains: {type: string}, maxContains: 9}";
    MAX_CONTAINS_DECREASED "max-contains-decreased" "`maxContains` became smaller"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, contains: {type: string}, maxContains: 9}" "{type: array, items: {}, contains: {type: string}, maxContains: 5}";
    MAX_CONTAINS_SET "max-contains-set" "`maxContains` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, contains: {type: string}}" "{type: array, items: {}, contains: {type: string}, maxContains: 5}";
    MAX_CONTAINS_UNSET "max-contains-unset" "`maxContains` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, contains: {type: string}, maxContains: 5}" "{type: array, items: {}, contains: {type: string}}";
    MIN_CONTAINS_INCREASED "min-contains-increased" "`minContains` became larger"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, contains: {type: string}, minContains: 5}" "{type: array, items: {}, contains: {type: string}, minContains: 9}";
    MIN_CONTAINS_DECREASED "min-contains-decreased" "`minContains` became smaller"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, contains: {type: string}, minContains: 9}" "{type: array, items: {}, contains: {type: string}, minContains: 5}";
    MIN_CONTAINS_SET "min-contains-set" "`minContains` was added"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}, contains: {type: string}}" "{type: array, items: {}, contains: {type: string}, minContains: 5}";
    MIN_CONTAINS_UNSET "min-contains-unset" "`minContains` was removed"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, contains: {type: string}, minContains: 5}" "{type: array, items: {}, contains: {type: string}}";
    MULTIPLE_OF_SET "multiple-of-set" "`multipleOf` was added" Err REQUESTS, Info RESPONSES
        Schema "{type: integer}" "{type: integer, multipleOf: 5}";
    MULTIPLE_OF_UNSET "multiple-of-unset" "`multipleOf` was removed" Err RESPONSES, Info REQUESTS
        Schema "{type: integer, multipleOf: 5}" "{type: integer}";
    MULTIPLE_OF_GENERALIZED "multiple-of-generalized" "`multipleOf` became a divisor of what it was" Info REQUESTS
        Schema "{type: integer, multipleOf: 10}" "{type: integer, multipleOf: 5}";
    MULTIPLE_OF_SPECIALIZED "multiple-of-specialized" "`multipleOf` became a multiple of what it was" Info RESPONSES
        Schema "{type: integer, multipleOf: 5}" "{type: integer, multipleOf: 10}";
    MULTIPLE_OF_CHANGED "multiple-of-changed"
        "`multipleOf` changed, and in requests the old number is not a multiple of the new one, or in responses the new one of the old"
        Err REQUESTS, Err RESPONSES
        Schema "{type: integer, multipleOf: 5}" "{type: integer, multipleOf: 3}";
    UNIQUE_ITEMS_SET "unique-items-set" "`uniqueItems` was set: an item may not be repeated"
        Err REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, uniqueItems: true}";
    UNIQUE_ITEMS_UNSET "unique-items-unset" "`uniqueItems` was removed: an item may be repeated"
        Err RESPONSES, Info REQUESTS
        Schema "{type: array, items: {}, uniqueItems: true}" "{type: array, items: {}}";
    // Keywords of JSON Schema 2020-12.
    SCHEMA_BECAME_FALSE "schema-became-false" "a schema became `false` or `not: {}`: no value is valid"
        Err ALL_REQUESTS, Err ["response-body"], Info ["response-property", "response-header"]
        Schema "{type: array, items: {type: string}}" "{type: array, items: false}",
        Schema "{}" "{not: {}}";
    SCHEMA_BECAME_NOT_FALSE "schema-became-not-false" "a schema is `false` or `not: {}` no longer"
        Err ["response-property", "response-header"], Info ALL_REQUESTS, Info ["response-body"]
        Schema "{type: array, items: false}" "{type: array, items: {type: string}}",
        Schema "{not: {}}" "{}";
    CONST_ADDED "const-added" "`const` was added: only one value is allowed" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: string}" "{type: string, const: a}";
    CONST_REMOVED "const-removed" "`const` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: string, const: a}" "{type: string}";
    CONST_CHANGED "const-changed" "`const` became another value" Err ALL_REQUESTS, Err RESPONSES
        Schema "{type: string, const: a}" "{type: string, const: b}";
    CONDITION_CHANGED "condition-changed"
        "the schema of `if` or `contains` changed; whether it allows what it did is unknown" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{if: {type: string}, then: {minLength: 1}}" "{if: {type: integer}, then: {minLength: 1}}";
    PREFIX_ITEMS_ADDED "prefix-items-added" "a schema was added to `prefixItems`" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: array, prefixItems: [{type: string}]}" "{type: array, prefixItems: [{type: string}, {type: integer}]}";
    PREFIX_ITEMS_REMOVED "prefix-items-removed" "a schema was removed from `prefixItems`" Warn ALL_REQUESTS, Warn RESPONSES
        Schema "{type: array, prefixItems: [{type: string}, {type: integer}]}" "{type: array, prefixItems: [{type: string}]}";
    DEPENDENT_REQUIRED_CHANGED "dependent-required-changed" "the names that `dependentRequired` requires for a property changed"
        Err ALL_REQUESTS, Err RESPONSES
        Schema "{type: object, dependentRequired: {a: [b]}}" "{type: object, dependentRequired: {a: [c]}}";
    IF_ADDED "if-added" "`if` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{then: {minLength: 1}}" "{if: {type: string}, then: {minLength: 1}}";
    IF_REMOVED "if-removed" "`if` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{if: {type: string}, then: {minLength: 1}}" "{then: {minLength: 1}}";
    THEN_ADDED "then-added" "`then` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{if: {type: string}}" "{if: {type: string}, then: {minLength: 1}}";
    THEN_REMOVED "then-removed" "`then` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{if: {type: string}, then: {minLength: 1}}" "{if: {type: string}}";
    ELSE_ADDED "else-added" "`else` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{if: {type: string}}" "{if: {type: string}, else: {type: integer}}";
    ELSE_REMOVED "else-removed" "`else` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{if: {type: string}, else: {type: integer}}" "{if: {type: string}}";
    CONTAINS_ADDED "contains-added" "`contains` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: array, items: {}}" "{type: array, items: {}, contains: {type: string}}";
    CONTAINS_REMOVED "contains-removed" "`contains` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: array, items: {}, contains: {type: string}}" "{type: array, items: {}}";
    PROPERTY_NAMES_ADDED "property-names-added" "`propertyNames` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, propertyNames: {maxLength: 3}}";
    PROPERTY_NAMES_REMOVED "property-names-removed" "`propertyNames` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, propertyNames: {maxLength: 3}}" "{type: object}";
    PATTERN_PROPERTY_ADDED "pattern-property-added" "a pattern of `patternProperties` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, patternProperties: {^a: {type: string}}}";
    PATTERN_PROPERTY_REMOVED "pattern-property-removed" "a pattern of `patternProperties` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, patternProperties: {^a: {type: string}}}" "{type: object}";
    UNEVALUATED_ITEMS_ADDED "unevaluated-items-added" "`unevaluatedItems` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: array, prefixItems: [{}]}" "{type: array, prefixItems: [{}], unevaluatedItems: false}";
    UNEVALUATED_ITEMS_REMOVED "unevaluated-items-removed" "`unevaluatedItems` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: array, prefixItems: [{}], unevaluatedItems: false}" "{type: array, prefixItems: [{}]}";
    UNEVALUATED_PROPERTIES_ADDED "unevaluated-properties-added" "`unevaluatedProperties` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{allOf: [{type: object}]}" "{allOf: [{type: object}], unevaluatedProperties: false}";
    UNEVALUATED_PROPERTIES_REMOVED "unevaluated-properties-removed" "`unevaluatedProperties` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{allOf: [{type: object}], unevaluatedProperties: false}" "{allOf: [{type: object}]}";
    DEPENDENT_REQUIRED_ADDED "dependent-required-added" "a property of `dependentRequired` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, dependentRequired: {a: [b]}}";
    DEPENDENT_REQUIRED_REMOVED "dependent-required-removed" "a property of `dependentRequired` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, dependentRequired: {a: [b]}}" "{type: object}";
    DEPENDENT_SCHEMA_ADDED "dependent-schema-added" "a property of `dependentSchemas` was added" Err ALL_REQUESTS, Info RESPONSES
        Schema "{type: object}" "{type: object, dependentSchemas: {a: {required: [b]}}}";
    DEPENDENT_SCHEMA_REMOVED "dependent-schema-removed" "a property of `dependentSchemas` was removed" Err RESPONSES, Info ALL_REQUESTS
        Schema "{type: object, dependentSchemas: {a: {required: [b]}}}" "{type: object}";
}

//! Checks the values in a document: defaults, enum values and examples must be
//! valid by the schemas they belong to.

use super::validate::{Subject, Validator};
use super::walk::{Direction, each_schema, schema_places};
use crate::model::Document;
use crate::problem::Problem;
use crate::rules::{Profile, Severity, document as rules};

const EXAMPLE: Subject = Subject(&rules::INVALID_EXAMPLE, "example");
const DEFAULT: Subject = Subject(&rules::INVALID_DEFAULT, "default");

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    // A wrong example misleads readers; by the project rules, examples are tests as well.
    let severity = match profile {
        Profile::General => Severity::Warning,
        Profile::Strict => Severity::Error,
    };
    let mut examples = Vec::new();
    let mut validator = Validator::new(document);
    for place in schema_places(document) {
        for example in place.examples {
            examples.extend(validator.problems(EXAMPLE, place.schema, example, place.direction));
        }
        each_schema(place.schema, &mut |schema| {
            let either = Direction::Either;
            if let Some(example) = &schema.example {
                examples.extend(validator.problems(EXAMPLE, schema, example, either));
            }
            if let Some(default) = &schema.default {
                problems.extend(validator.problems(DEFAULT, schema, default, either));
            }
            // Values of an enum that the rest of the schema excludes can never be sent.
            for value in schema.enumeration.iter().flatten() {
                if !(schema.nullable && value.is_null()) {
                    problems.extend(validator.problems_of_enum_value(schema, value));
                }
            }
        });
    }
    let examples = examples.into_iter();
    problems.extend(examples.map(|problem: Problem| problem.with_severity(severity)));
}

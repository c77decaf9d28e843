//! Checks the values in a document: defaults, enum values and examples must be
//! valid by the schemas they belong to.

use super::validate::{Fault, Validator};
use super::walk::{Direction, each_schema, schema_places};
use crate::model::{Document, Schema};
use crate::problem::Problem;
use crate::rules::{Profile, Rule, Severity, document as rules};

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
            let faults = validator.faults(place.schema, example, place.direction);
            report(&rules::INVALID_EXAMPLE, "example", faults, &mut examples);
        }
        each_schema(place.schema, &mut |schema| {
            if let Some(example) = &schema.example {
                let faults = validator.faults(schema, example, Direction::Either);
                report(&rules::INVALID_EXAMPLE, "example", faults, &mut examples);
            }
            if let Some(default) = &schema.default {
                let faults = validator.faults(schema, default, Direction::Either);
                report(&rules::INVALID_DEFAULT, "default", faults, problems);
            }
            enum_values(&mut validator, schema, problems);
        });
    }
    let examples = examples.into_iter();
    problems.extend(examples.map(|problem: Problem| problem.with_severity(severity)));
}

/// Values of an enum that the rest of the schema excludes can never be sent.
fn enum_values(validator: &mut Validator<'_>, schema: &Schema, problems: &mut Vec<Problem>) {
    for value in schema.enumeration.iter().flatten() {
        if !(schema.nullable && value.is_null()) {
            let faults = validator.faults_besides_enum(schema, value);
            report(&rules::INVALID_ENUM_VALUE, "enum value", faults, problems);
        }
    }
}

fn report(rule: &Rule, kind: &str, faults: Vec<Fault>, problems: &mut Vec<Problem>) {
    problems.extend(faults.into_iter().map(|fault| {
        let message = format!(
            "this {kind} is not valid by its own schema: {}",
            fault.message
        );
        let problem = rule.problem(&fault.at, message, fault.help);
        problem.with_related(&fault.by, "by this")
    }));
}

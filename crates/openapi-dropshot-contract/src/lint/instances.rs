//! Values that stand in the document: defaults, enum values and examples must
//! be valid by the schemas they belong to.

use super::Profile;
use super::validate::{Fault, Validator};
use super::walk::{Direction, each_schema, places};
use crate::model::{Document, Node, Schema};
use crate::problem::{Problem, Severity};

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    // Elsewhere a wrong example misleads readers; ours are tests as well.
    let examples = match profile {
        Profile::General => Severity::Warning,
        Profile::House => Severity::Error,
    };
    let mut validator = Validator::new(document);
    for place in places(document) {
        for example in place.examples {
            let faults = validator.faults(place.schema, example, place.direction);
            report("invalid-example", examples, "example", faults, problems);
        }
        each_schema(place.schema, &mut |schema| {
            if let Some(example) = &schema.example {
                let faults = validator.faults(schema, example, Direction::Either);
                report("invalid-example", examples, "example", faults, problems);
            }
            if let Some(default) = &schema.default {
                let faults = validator.faults(schema, default, Direction::Either);
                report(
                    "invalid-default",
                    Severity::Error,
                    "default",
                    faults,
                    problems,
                );
            }
            enum_values(&mut validator, schema, problems);
        });
    }
}

/// Values of an enum that the rest of the schema excludes can never be sent.
fn enum_values(validator: &mut Validator<'_>, schema: &Schema, problems: &mut Vec<Problem>) {
    let Some(values) = &schema.enumeration else {
        return;
    };
    for value in values
        .iter()
        .filter(|value| !is_null_of_nullable(schema, value))
    {
        let faults = validator.faults_besides_enum(schema, value);
        report(
            "invalid-enum-value",
            Severity::Error,
            "enum value",
            faults,
            problems,
        );
    }
}

fn is_null_of_nullable(schema: &Schema, value: &Node) -> bool {
    schema.nullable && value.is_null()
}

fn report(
    rule: &'static str,
    severity: Severity,
    what: &str,
    faults: Vec<Fault>,
    problems: &mut Vec<Problem>,
) {
    for fault in faults {
        let message = format!(
            "this {what} is not valid by its own schema: {}",
            fault.message
        );
        let mut problem =
            Problem::error(rule, &fault.at, message, fault.help).with_related(&fault.by, "by this");
        problem.severity = severity;
        problems.push(problem);
    }
}

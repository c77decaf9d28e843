//! Plans scalars: formats, bounds, lengths and patterns. Decides whether the bounds require a
//! separate type.

use super::{
    Planner,
    ir::{Base, Bounds, Checked, FORMATS, IntegerRule, Kind, Rule, Scalar, TextRule, Ty},
    value,
};
use crate::rules;
use openapi_dropshot_contract::model::{Node, Schema, Spanned, pattern_flags};
use serde_json::Number;

const BOUNDS: &[&str] = &[
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

impl<'a> Planner<'a> {
    /// Plans a schema of `type: integer`.
    pub(super) fn integer(&mut self, schema: &'a Schema) -> Kind {
        self.only(schema, "an integer", BOUNDS);
        let format = value(&schema.format);
        let base = Base::of_format(format.as_deref());
        let written = Self::bounds(schema);
        if let Some(step) = &schema.multiple_of
            && integer(&step.value).is_none()
        {
            let message = format!("`multipleOf: {step}` of an integer is not supported");
            let help = "write an integer, or `type: number`";
            self.reject(&rules::UNSUPPORTED_MULTIPLE_OF, &step.at, message, help);
        }
        let low = bound(schema.lower_bound(), 1, f64::ceil);
        let high = bound(schema.upper_bound(), -1, f64::floor);
        let least = low.unwrap_or(base.least).max(base.least);
        let greatest = high.unwrap_or(base.greatest).min(base.greatest);
        let step = schema.multiple_of.as_ref();
        let step = step.and_then(|step| integer(&step.value));
        let multiple_of = step.filter(|step| *step > 1);
        let step = multiple_of.unwrap_or(1);
        if least > greatest || least + (-least).rem_euclid(step) > greatest {
            let message = match multiple_of {
                Some(step) => format!("no multiple of {step} is between {least} and {greatest}"),
                None => format!("no integer of this type is between {least} and {greatest}"),
            };
            let help = "correct the bounds, `multipleOf` or `format`";
            self.reject(&rules::EMPTY_RANGE, &schema.at, message, help);
            return Kind::Wrapper(Ty::Invalid);
        }
        let scalar = Scalar::Integer { base, format };
        if least == base.least && greatest == base.greatest && multiple_of.is_none() {
            return Kind::Wrapper(Ty::Scalar(scalar));
        }
        let rule = Rule::Integer(IntegerRule {
            least,
            greatest,
            multiple_of,
            written,
        });
        Kind::Checked(Checked { scalar, rule })
    }

    /// Plans an enumeration of integers.
    pub(super) fn integers(&mut self, schema: &Schema, values: &[&Node]) -> Kind {
        let format = value(&schema.format);
        let base = Base::of_format(format.as_deref());
        let is_outside = |node: &&&Node| {
            let value = node.as_number().and_then(integer);
            value.is_some_and(|value| !base.contains(value))
        };
        for node in values.iter().filter(is_outside) {
            let message = format!("{} is not a value of {}", node.summary(), base.name);
            let help = "remove the value, or choose a wider `format`";
            self.reject(&rules::ENUM_OUTSIDE_TYPE, &node.at, message, help);
        }
        one_of(Scalar::Integer { base, format }, values)
    }

    /// Plans a schema of `type: number`.
    pub(super) fn number(&mut self, schema: &'a Schema) -> Kind {
        self.only(schema, "a number", BOUNDS);
        let bounds = Self::bounds(schema);
        let scalar = Scalar::Number {
            format: value(&schema.format),
        };
        if bounds == Bounds::default() {
            return Kind::Wrapper(Ty::Scalar(scalar));
        }
        let rule = Rule::Number(bounds);
        Kind::Checked(Checked { scalar, rule })
    }

    /// Reads the keywords for numbers.
    fn bounds(schema: &Schema) -> Bounds {
        let number = |bound: &Option<Spanned<Number>>| bound.as_ref()?.value.as_f64();
        Bounds {
            minimum: number(&schema.minimum),
            exclusive_minimum: number(&schema.exclusive_minimum),
            maximum: number(&schema.maximum),
            exclusive_maximum: number(&schema.exclusive_maximum),
            multiple_of: number(&schema.multiple_of),
        }
    }

    /// Plans a schema of `type: string`.
    pub(super) fn text(&mut self, schema: &'a Schema) -> Kind {
        let keywords = ["format", "minLength", "maxLength", "pattern"];
        self.only(schema, "a string", &keywords);
        let format = value(&schema.format);
        let rule = TextRule {
            min: value(&schema.min_length).filter(|least| *least > 0),
            max: value(&schema.max_length),
            pattern: value(&schema.pattern).and_then(|pattern| {
                let flags = pattern_flags(&pattern).ok()?;
                Some((pattern, flags))
            }),
            format: None,
        };
        let mut formats = FORMATS.iter();
        let checked = formats.find(|(known, ..)| Some(*known) == format.as_deref());
        let checked = checked.map(|(_, name, _)| *name);
        let scalar = Scalar::Text { format };
        if rule == TextRule::default() {
            return Kind::Wrapper(Ty::Scalar(checked.map_or(scalar, Scalar::Format)));
        }
        let format = checked;
        let rule = Rule::Text(TextRule { format, ..rule });
        Kind::Checked(Checked { scalar, rule })
    }
}

/// A scalar that has one of these values.
pub(super) fn one_of(scalar: Scalar, values: &[&Node]) -> Kind {
    let values = values.iter().map(|&value| value.clone());
    let rule = Rule::OneOf(values.collect());
    Kind::Checked(Checked { scalar, rule })
}

/// Returns the last integer that a bound allows. `inward` is the step from the bound to the allowed
/// values.
fn bound(
    written: Option<(&Spanned<Number>, bool)>,
    inward: i128,
    round: fn(f64) -> f64,
) -> Option<i128> {
    let (bound, is_exclusive) = written?;
    let number = &bound.value;
    match integer(number) {
        Some(value) if is_exclusive => Some(value + inward),
        Some(value) => Some(value),
        // The conversion saturates. No integer type has a range that large.
        None => number.as_f64().map(|value| {
            let last = round(value) as i128;
            match is_exclusive && value.fract() == 0.0 {
                true => last.saturating_add(inward),
                false => last,
            }
        }),
    }
}

/// Returns a number as an integer, if it has no fraction or a fraction of zero.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    number.as_i128().or_else(|| {
        let value = number.as_f64()?;
        (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i128)
    })
}

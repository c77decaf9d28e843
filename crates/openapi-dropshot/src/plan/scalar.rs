//! Plans scalars: formats, bounds, lengths and patterns. Decides whether a bound
//! needs a type of its own.

use super::{
    Planner,
    ir::{
        Base, Bounds, Checked, Format, IntegerRule, Kind, NumberRule, Rule, Scalar, TextRule, Ty,
    },
};
use openapi_dropshot_contract::{
    Problem,
    model::{Node, Schema, Spanned},
};
use serde_json::Number;

const BOUNDS: &[&str] = &[
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

impl Planner<'_> {
    /// `type: integer`
    pub(super) fn integer(&mut self, schema: &Schema) -> Kind {
        self.only(schema, "an integer", BOUNDS);
        let format = schema.format.as_ref().map(|format| format.value.clone());
        let base = Base::of_format(format.as_deref());
        let written = self.bounds(schema);
        let least = low_bound(schema).unwrap_or(base.least()).max(base.least());
        let greatest = high_bound(schema)
            .unwrap_or(base.greatest())
            .min(base.greatest());
        let multiple_of = schema
            .multiple_of
            .as_ref()
            .and_then(|step| self.step(step))
            .filter(|step| *step > 1);
        let step = multiple_of.unwrap_or(1);
        if least > greatest || least + (-least).rem_euclid(step) > greatest {
            self.problems.push(Problem::error(
                "empty-range",
                &schema.at,
                match multiple_of {
                    Some(step) => format!("no multiple of {step} is from {least} to {greatest}"),
                    None => format!("no integer of this type is from {least} to {greatest}"),
                },
                "correct the bounds, `multipleOf` or `format`",
            ));
            return Kind::Wrapper(Ty::Invalid);
        }
        let scalar = Scalar::Integer { base, format };
        if least == base.least() && greatest == base.greatest() && multiple_of.is_none() {
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

    /// An enumeration of integers.
    pub(super) fn integers(&mut self, schema: &Schema, values: &[&Node]) -> Kind {
        let format = schema.format.as_ref().map(|format| format.value.clone());
        let base = Base::of_format(format.as_deref());
        let mut allowed: Vec<i128> = values
            .iter()
            .filter_map(|value| value.as_i64())
            .map(i128::from)
            .collect();
        for value in values {
            let fits = value
                .as_i64()
                .map(i128::from)
                .is_some_and(|number| (base.least()..=base.greatest()).contains(&number));
            if !fits {
                self.problems.push(Problem::error(
                    "enum-outside-type",
                    &value.at,
                    format!("{} is no value of {}", value.summary(), base.name()),
                    "remove the value, or choose a wider `format`",
                ));
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        allowed.retain(|number| seen.insert(*number));
        Kind::Checked(Checked {
            scalar: Scalar::Integer { base, format },
            rule: Rule::OneOf(allowed),
        })
    }

    /// `type: number`
    pub(super) fn number(&mut self, schema: &Schema) -> Kind {
        self.only(schema, "a number", BOUNDS);
        let format = schema.format.as_ref().map(|format| format.value.clone());
        let written = self.bounds(schema);
        if let Some(step) = &schema.multiple_of {
            self.step(step);
        }
        if let (Some(least), Some(greatest)) = (written.minimum, written.maximum)
            && (least > greatest
                || (least == greatest && (written.exclusive_minimum || written.exclusive_maximum)))
        {
            self.problems.push(Problem::error(
                "empty-range",
                &schema.at,
                "no number is above `minimum` and below `maximum`",
                "correct `minimum` or `maximum`",
            ));
        }
        let scalar = Scalar::Number { format };
        if written == Bounds::default() {
            return Kind::Wrapper(Ty::Scalar(scalar));
        }
        Kind::Checked(Checked {
            scalar,
            rule: Rule::Number(NumberRule { written }),
        })
    }

    fn bounds(&mut self, schema: &Schema) -> Bounds {
        let sides = [
            (
                "exclusiveMinimum",
                schema.exclusive_minimum,
                "minimum",
                &schema.minimum,
            ),
            (
                "exclusiveMaximum",
                schema.exclusive_maximum,
                "maximum",
                &schema.maximum,
            ),
        ];
        for (flag, set, keyword, bound) in sides {
            if set && bound.is_none() {
                self.problems.push(Problem::error(
                    "meaningless-keyword",
                    &schema.at,
                    format!("`{flag}: true` excludes a `{keyword}` that is not there"),
                    format!("write the bound as `{keyword}`"),
                ));
            }
        }
        let value =
            |bound: &Option<Spanned<Number>>| bound.as_ref().and_then(|bound| bound.value.as_f64());
        Bounds {
            minimum: value(&schema.minimum),
            maximum: value(&schema.maximum),
            exclusive_minimum: schema.exclusive_minimum,
            exclusive_maximum: schema.exclusive_maximum,
            multiple_of: value(&schema.multiple_of),
        }
    }

    /// `multipleOf`, which has to be a positive integer: a fraction such as 0.1
    /// has no exact value, so that its multiples are not defined.
    fn step(&mut self, step: &Spanned<Number>) -> Option<i128> {
        let value = integer(&step.value).filter(|value| *value > 0);
        if value.is_none() {
            self.problems.push(Problem::error(
                "unsupported-multiple-of",
                &step.at,
                format!(
                    "`multipleOf: {}` is not supported: it has to be an integer from 1",
                    step.value
                ),
                "count in the smallest unit, as integers",
            ));
        }
        value
    }

    /// `type: string`
    pub(super) fn text(&mut self, schema: &Schema) -> Kind {
        self.only(
            schema,
            "a string",
            &["format", "minLength", "maxLength", "pattern"],
        );
        let checked = schema
            .format
            .as_ref()
            .and_then(|format| Format::from_word(&format.value));
        let rule = TextRule {
            min: schema
                .min_length
                .as_ref()
                .map(|bound| bound.value)
                .filter(|least| *least > 0),
            max: schema.max_length.as_ref().map(|bound| bound.value),
            pattern: schema
                .pattern
                .as_ref()
                .and_then(|pattern| self.pattern(pattern)),
        };
        self.ordered(schema, "minLength", rule.min, "maxLength", rule.max);
        let bounded = rule.min.is_some() || rule.max.is_some() || rule.pattern.is_some();
        match (checked, bounded) {
            (Some(format), false) => Kind::Wrapper(Ty::Scalar(Scalar::Format(format))),
            (Some(_), true) => {
                self.problems.push(Problem::error(
                    "unsupported-schema",
                    &schema.at,
                    "a length or a pattern beside this `format` is not supported: the format has its own rules",
                    "keep the `format` alone, or the `pattern` and the lengths without it",
                ));
                Kind::Wrapper(Ty::Invalid)
            }
            (None, bounded) => {
                let scalar = Scalar::Text {
                    format: schema.format.as_ref().map(|format| format.value.clone()),
                };
                if bounded {
                    Kind::Checked(Checked {
                        scalar,
                        rule: Rule::Text(rule),
                    })
                } else {
                    Kind::Wrapper(Ty::Scalar(scalar))
                }
            }
        }
    }

    /// A pattern as ECMA-262 reads it: with the flag `u`, or without where only
    /// that compiles.
    fn pattern(&mut self, pattern: &Spanned<String>) -> Option<(String, &'static str)> {
        let flags = ["u", ""]
            .into_iter()
            .find(|flags| regress::Regex::with_flags(&pattern.value, *flags).is_ok());
        if flags.is_none() {
            let why = regress::Regex::with_flags(&pattern.value, "")
                .err()
                .map(|error| error.to_string());
            self.problems.push(Problem::error(
                "invalid-pattern",
                &pattern.at,
                format!("the pattern does not compile: {}", why.unwrap_or_default()),
                "write a regular expression of ECMA-262, without the slashes around it",
            ));
        }
        flags.map(|flags| (pattern.value.clone(), flags))
    }
}

/// The least integer that `minimum` allows.
fn low_bound(schema: &Schema) -> Option<i128> {
    let bound = &schema.minimum.as_ref()?.value;
    match integer(bound) {
        Some(value) => Some(if schema.exclusive_minimum {
            value + 1
        } else {
            value
        }),
        // The conversion saturates, and no integer type reaches that far.
        None => bound.as_f64().map(|value| value.ceil() as i128),
    }
}

/// The greatest integer that `maximum` allows.
fn high_bound(schema: &Schema) -> Option<i128> {
    let bound = &schema.maximum.as_ref()?.value;
    match integer(bound) {
        Some(value) => Some(if schema.exclusive_maximum {
            value - 1
        } else {
            value
        }),
        None => bound.as_f64().map(|value| value.floor() as i128),
    }
}

/// A number that is written as an integer, or as one with a fraction of zero.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    let exact = number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| {
        let value = number.as_f64()?;
        (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i128)
    })
}

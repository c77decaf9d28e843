//! The rules that values keep: of scalars, arrays and objects.

use super::Scalar;

/// A scalar and its rules.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    /// The type of the value.
    pub(crate) scalar: Scalar,
    /// Its rules.
    pub(crate) rule: Rule,
}

/// The rules of a scalar.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// Bounds of an integer.
    Integer(IntegerRule),
    /// Bounds of a number.
    Number(NumberRule),
    /// Length and pattern of a string.
    Text(TextRule),
    /// `enum` of an integer.
    OneOf(Vec<i128>),
}

/// Bounds of an integer: the ones to check and the ones in the document.
#[derive(Clone, Debug)]
pub(crate) struct IntegerRule {
    /// The least value, that of the type included.
    pub(crate) least: i128,
    /// The greatest value, that of the type included.
    pub(crate) greatest: i128,
    /// `multipleOf`
    pub(crate) multiple_of: Option<i128>,
    /// The bounds as the document has them.
    pub(crate) written: Bounds,
}

/// Bounds of a number.
#[derive(Clone, Debug)]
pub(crate) struct NumberRule {
    /// The bounds as the document has them.
    pub(crate) written: Bounds,
}

/// `minimum`, `maximum` and the other keywords for numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bounds {
    /// `minimum`
    pub(crate) minimum: Option<f64>,
    /// `maximum`
    pub(crate) maximum: Option<f64>,
    /// `exclusiveMinimum`
    pub(crate) exclusive_minimum: bool,
    /// `exclusiveMaximum`
    pub(crate) exclusive_maximum: bool,
    /// `multipleOf`
    pub(crate) multiple_of: Option<f64>,
}

/// Length and pattern of a string.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextRule {
    /// `minLength`
    pub(crate) min: Option<u64>,
    /// `maxLength`
    pub(crate) max: Option<u64>,
    /// `pattern`, and the flags with which it compiles.
    pub(crate) pattern: Option<(String, &'static str)>,
}

/// The rules of an array.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Items {
    /// `minItems`
    pub(crate) min: Option<u64>,
    /// `maxItems`
    pub(crate) max: Option<u64>,
    /// `uniqueItems`
    pub(crate) unique: bool,
}

/// The rules of an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Entries {
    /// `minProperties`
    pub(crate) min: Option<u64>,
    /// `maxProperties`
    pub(crate) max: Option<u64>,
}

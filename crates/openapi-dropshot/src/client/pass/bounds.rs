//! Writes the bounds of a number as a Rust condition, and as text.

use openapi_dropshot_contract::model::{Schema, Type};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use serde_json::Number;

/// The bounds of a value.
pub(super) struct Bounds {
    /// A condition on `value`.
    pub(super) condition: TokenStream,
    /// What the value must be, such as `from 1 to 100`.
    pub(super) description: String,
}

/// Returns the bounds of an inline schema of a number; `None` for other types, which check their values
/// themselves.
pub(super) fn of(schema: &Schema, target: &syn::Type) -> Option<Bounds> {
    let kind = schema.types.as_ref()?.value;
    let rust = target.to_token_stream().to_string();
    let is_float = matches!(rust.as_str(), "f32" | "f64");
    let is_number = is_float || rust.starts_with(['i', 'u']);
    if !is_number || !matches!(kind, Type::Integer | Type::Number) {
        return None;
    }
    let (minimum, maximum) = (schema.lower_bound(), schema.upper_bound());
    let (mut conditions, mut descriptions) = (Vec::new(), Vec::new());
    for (bound, is_lower) in [(minimum, true), (maximum, false)] {
        let Some((bound, is_exclusive)) = bound else {
            continue;
        };
        let number = literal(&bound.value, is_float, is_lower != is_exclusive);
        let (operator, words) = match (is_lower, is_exclusive) {
            (true, false) => (quote!(>=), "at least"),
            (true, true) => (quote!(>), "more than"),
            (false, false) => (quote!(<=), "at most"),
            (false, true) => (quote!(<), "less than"),
        };
        conditions.push(quote!(value #operator #number));
        descriptions.push(format!("{words} {bound}"));
    }
    if let (Some((minimum, false)), Some((maximum, false))) = (minimum, maximum) {
        descriptions = vec![format!("from {minimum} to {maximum}")];
    }
    let step = schema.multiple_of.as_ref();
    if let Some(step) = step.filter(|step| !is_float && step.value.is_u64()) {
        let number = literal(&step.value, false, true);
        conditions.push(quote!(value % #number == 0));
        descriptions.push(format!("a multiple of {}", step.value));
    }
    (!conditions.is_empty()).then(|| Bounds {
        condition: quote!(#(#conditions)&&*),
        description: descriptions.join(" and "),
    })
}

/// Returns what the service requires for the number of values in a list. The client does not check this.
pub(super) fn of_list(schema: &Schema) -> Option<String> {
    let least = schema.min_items.as_ref().map(|least| least.value);
    let most = schema.max_items.as_ref().map(|most| most.value);
    let unique = match schema.unique_items {
        true => " different",
        false => "",
    };
    let noun = match most.or(least) {
        Some(1) => "value",
        _ => "values",
    };
    let count = match (least, most) {
        (Some(least), Some(most)) if least == most => format!("{least}{unique} {noun}"),
        (Some(least), Some(most)) => format!("{least} to {most}{unique} {noun}"),
        (Some(least), None) => format!("at least {least}{unique} {noun}"),
        (None, Some(most)) => format!("at most {most}{unique} {noun}"),
        (None, None) => format!("{unique} {noun}").trim_start().to_owned(),
    };
    let is_bounded = least.is_some() || most.is_some() || schema.unique_items;
    is_bounded.then(|| format!("The service takes {count}."))
}

/// Returns a number as a Rust literal. If the bound of an integer is written with a fraction, the literal
/// is the nearest allowed integer.
fn literal(number: &Number, is_float: bool, up: bool) -> TokenStream {
    let real = number.as_f64().unwrap_or_default();
    let text = if is_float {
        format!("{real:?}")
    } else if number.is_i64() || number.is_u64() {
        number.to_string()
    } else {
        let rounded = if up { real.ceil() } else { real.floor() };
        let sign = if rounded < 0.0 { "-" } else { "" };
        // A cast from a double saturates, so it cannot produce another bound.
        format!("{sign}{}", rounded.abs() as u64)
    };
    text.parse().unwrap_or_default()
}

//! Writes the bounds of a number as a condition in Rust, and as text.

use openapi_dropshot_contract::model::{Schema, Type};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The bounds of a value.
#[derive(Default)]
pub(super) struct Bounds {
    /// A condition on `value`.
    pub(super) condition: Option<TokenStream>,
    /// What the value must be: `from 1 to 100`.
    pub(super) description: Option<String>,
}

/// The bounds of an inline schema of a number; none for other types, which check their values themselves.
pub(super) fn of(schema: &Schema, target: &syn::Type) -> Bounds {
    let kind = schema.types.as_ref().map(|kind| kind.value);
    if schema.is_reference() || !matches!(kind, Some(Type::Integer | Type::Number)) {
        return Bounds::default();
    }
    let rust = target.to_token_stream().to_string();
    let float = matches!(rust.as_str(), "f32" | "f64");
    if !float && !["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"].contains(&rust.as_str()) {
        return Bounds::default();
    }
    let minimum = schema.minimum.as_ref().map(|minimum| &minimum.value);
    let maximum = schema.maximum.as_ref().map(|maximum| &maximum.value);
    let mut conditions = Vec::new();
    // The type of an unsigned number implies a minimum of zero.
    if let Some(minimum) = minimum.filter(|minimum| {
        !(rust.starts_with('u') && minimum.as_u64() == Some(0) && !schema.exclusive_minimum)
    }) {
        let number = literal(minimum, float, !schema.exclusive_minimum);
        conditions.push(if schema.exclusive_minimum {
            quote!(value > #number)
        } else {
            quote!(value >= #number)
        });
    }
    if let Some(maximum) = maximum {
        let number = literal(maximum, float, schema.exclusive_maximum);
        conditions.push(if schema.exclusive_maximum {
            quote!(value < #number)
        } else {
            quote!(value <= #number)
        });
    }
    if let Some(step) = schema
        .multiple_of
        .as_ref()
        .filter(|step| !float && step.value.as_u64().is_some_and(|step| step > 1))
    {
        let number = literal(&step.value, float, true);
        conditions.push(quote!(value % #number == 0));
    }
    let condition = (!conditions.is_empty()).then(|| quote!(#(#conditions)&&*));
    Bounds {
        description: description(schema),
        condition,
    }
}

fn description(schema: &Schema) -> Option<String> {
    let minimum = schema.minimum.as_ref().map(|minimum| &minimum.value);
    let maximum = schema.maximum.as_ref().map(|maximum| &maximum.value);
    let mut description = Vec::new();
    match (
        minimum,
        schema.exclusive_minimum,
        maximum,
        schema.exclusive_maximum,
    ) {
        (Some(minimum), false, Some(maximum), false) => {
            description.push(format!("from {minimum} to {maximum}"))
        }
        _ => {
            if let Some(minimum) = minimum {
                let more = if schema.exclusive_minimum {
                    "more than"
                } else {
                    "at least"
                };
                description.push(format!("{more} {minimum}"));
            }
            if let Some(maximum) = maximum {
                let less = if schema.exclusive_maximum {
                    "less than"
                } else {
                    "at most"
                };
                description.push(format!("{less} {maximum}"));
            }
        }
    }
    if let Some(step) = &schema.multiple_of {
        description.push(format!("a multiple of {}", step.value));
    }
    (!description.is_empty()).then(|| description.join(" and "))
}

/// The number as Rust writes it. A bound of an integer may be written with a
/// fraction; then it is the next integer on the side of what is allowed.
fn literal(number: &serde_json::Number, float: bool, up: bool) -> TokenStream {
    let real = number.as_f64().unwrap_or_default();
    let negative = number
        .as_i64()
        .map_or(real.is_sign_negative(), i64::is_negative);
    let digits = if float {
        proc_macro2::Literal::f64_unsuffixed(real.abs())
    } else {
        let rounded = if up { real.ceil() } else { real.floor() };
        let integer = number
            .as_u64()
            .or_else(|| number.as_i64().map(i64::unsigned_abs));
        // A cast from a double saturates, so that no bound becomes another one.
        proc_macro2::Literal::u64_unsuffixed(integer.unwrap_or(rounded.abs() as u64))
    };
    if negative {
        quote!(-#digits)
    } else {
        quote!(#digits)
    }
}

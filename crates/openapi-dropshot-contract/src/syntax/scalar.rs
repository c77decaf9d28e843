//! Resolves plain (unquoted) YAML scalars with the core schema of YAML 1.2 (section 10.3.2), as far
//! as JSON can express the value.

use crate::model::NodeKind;
use regex::Regex;
use serde_json::Number;
use std::sync::LazyLock;

/// Matches the numbers of YAML's core schema. JSON numbers have no leading `+` and need digits on
/// both sides of the point, so the expression captures the parts from which a JSON number is built.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?x)^(?:
        0o(?<octal>[0-7]+) | 0x(?<hexadecimal>[0-9a-fA-F]+)
        | (?:\+|(?<minus>-))? (?: 0*(?<whole>[0-9]+) (?:(?<fraction>\.[0-9]+)|\.)?
            | (?<only_fraction>\.[0-9]+) ) (?<exponent>[eE][-+]?[0-9]+)?
    )$";
    Regex::new(pattern).expect("the pattern is valid")
});

/// Resolves a plain scalar. The error is the message for a value that JSON cannot express.
pub(super) fn resolve(text: &str) -> Result<NodeKind, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(NodeKind::Null),
        "true" | "True" | "TRUE" => return Ok(NodeKind::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(NodeKind::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Err(format!("`{text}` is not a JSON number")),
        _ => {}
    }
    if let ".inf" | ".Inf" | ".INF" = text.strip_prefix(['+', '-']).unwrap_or(text) {
        return Err(format!("`{text}` is not a JSON number"));
    }
    let Some(parts) = NUMBER.captures(text) else {
        return Ok(NodeKind::String(text.to_owned()));
    };
    let part = |name| parts.name(name).map_or("", |part| part.as_str());
    let number: Option<Number> = if let Some(digits) = parts.name("octal") {
        u64::from_str_radix(digits.as_str(), 8)
            .ok()
            .map(Number::from)
    } else if let Some(digits) = parts.name("hexadecimal") {
        u64::from_str_radix(digits.as_str(), 16)
            .ok()
            .map(Number::from)
    } else {
        let whole = parts.name("whole").map_or("0", |digits| digits.as_str());
        let fraction = format!("{}{}", part("fraction"), part("only_fraction"));
        let json = format!("{}{whole}{fraction}{}", part("minus"), part("exponent"));
        serde_json::from_str(&json).ok()
    };
    let too_large = || format!("the number `{text}` is too large");
    number.map(NodeKind::Number).ok_or_else(too_large)
}

#[cfg(test)]
mod tests;

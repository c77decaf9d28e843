//! Prints findings as workflow commands of GitHub Actions, which shows each beside
//! its line
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use super::{Gate, finding};

/// A line for each finding.
pub(super) fn render(gates: &[Gate]) -> String {
    let mut lines = String::new();
    for gate in gates {
        for found in &gate.outcome.findings {
            let mut message = format!("{}; {}", found.message, found.help);
            if let Some(fix) = &gate.outcome.fix {
                message.push_str(&format!("\nfix: {fix}"));
            }
            lines.push_str(&format!(
                "::{} file={},line={},col={},title={}::{}\n",
                finding::word(found.severity),
                property(&found.at.file),
                found.at.line,
                found.at.column,
                property(&format!("{} ({})", gate.name.as_str(), found.rule)),
                data(&message),
            ));
        }
    }
    lines
}

/// The text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property, which a comma or a colon would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

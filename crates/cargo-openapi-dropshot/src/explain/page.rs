//! Formats the description of a rule for a terminal, and the page with the descriptions of all
//! rules.

use super::{Explanation, Reporter, all, find};

/// The page for the documentation, in Markdown.
pub(super) fn markdown() -> String {
    let mut text = "# Rules\n\n\
                    Each rule that a task of `cargo openapi-dropshot` reports, with the same text as `cargo openapi-dropshot explain RULE` \
                    prints.\n"
        .to_owned();
    let rules = all().into_iter().filter_map(|(_, id, _)| find(id));
    let rules: Vec<Explanation> = rules.collect();
    for reporter in Reporter::ALL {
        let (title, about) = reporter.about();
        text += &format!("\n## {title}\n\n{about}\n");
        // Many rules for changes differ only in the place of the change.
        let mut sections: Vec<(String, Vec<&str>, &str)> = Vec::new();
        for rule in rules.iter().filter(|rule| rule.reporter == reporter) {
            let body = body(rule);
            let is_same = |other: &&mut (String, Vec<&str>, &str)| {
                other.0 == body && other.2 == rule.severity
            };
            match sections.iter_mut().find(is_same) {
                Some((_, ids, _)) => ids.push(rule.id),
                None => sections.push((body, vec![rule.id], &rule.severity)),
            }
        }
        for (body, ids, severity) in sections {
            text += &format!("\n### `{}` ({severity})\n\n{body}", ids.join("`, `"));
        }
    }
    text
}

/// The description of one rule for a terminal.
pub(super) fn text(rule: &Explanation) -> String {
    let (id, severity) = (rule.id, &rule.severity);
    let about = rule.reporter.about().1;
    format!("{id} ({severity})\n\n{}\n{about}\n", body(rule))
}

/// Meaning, examples, remedy and configuration.
pub(super) fn body(rule: &Explanation) -> String {
    let Explanation {
        meaning,
        remedy,
        part,
        breaks,
        keeps,
        configuration,
        ..
    } = rule;
    let code = |text: &str| match *part {
        "in words" => text.to_owned(),
        _ if rule.reporter == Reporter::Comparison => text.to_owned(),
        _ if text.is_empty() => "nothing".to_owned(),
        _ if text.contains('\n') => format!("\n\n```yaml\n{text}\n```\n"),
        _ => format!("`{text}`"),
    };
    let (breaks, keeps) = (code(breaks), code(keeps));
    let text = format!(
        "{meaning}\n\n- Breaks it ({part}): {breaks}\n- Keeps it ({part}): {keeps}\n\nHow to fix it: {remedy}\n\n\
         How to configure it: {configuration}\n"
    );
    format!("{}\n", text.trim_end().replace("\n\n\n", "\n\n"))
}

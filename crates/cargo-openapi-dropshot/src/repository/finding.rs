//! A finding of a gate: one error or warning, with its place and its remedy.

use openapi_dropshot_contract::{Problem, Problems, Texts};

/// One finding. An error fails the gate, a warning does not.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) problem: Problem,
    /// The problem as it is printed to a terminal, in several lines.
    pub(crate) rendered: String,
}

impl Finding {
    /// Creates a finding that is printed without the lines of its file.
    pub(crate) fn new(problem: Problem) -> Self {
        let (word, rule, at) = (problem.severity.word(), problem.rule, &problem.at);
        let mut rendered = format!("{word}[{rule}]: {}\n  --> {at}", problem.message);
        if !at.pointer.is_empty() {
            rendered += &format!("\n   = note: at {}", at.pointer);
        }
        let help = problem.help.replace('\n', "\n     ");
        rendered += &format!("\n   = help: {help}");
        Finding { problem, rendered }
    }

    /// Creates a finding in this text. It is printed with the lines around it.
    pub(crate) fn in_text(problem: Problem, text: impl Into<Texts>) -> Self {
        let rendered = Problems::new(text, vec![problem.clone()]).to_string();
        Finding { problem, rendered }
    }

    /// Adds lines to the output for a terminal.
    #[must_use]
    pub(crate) fn with_lines(mut self, lines: &str) -> Self {
        self.rendered += &format!("\n{}", lines.trim_end());
        self
    }
}

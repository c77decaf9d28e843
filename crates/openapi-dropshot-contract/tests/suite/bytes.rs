//! Tests that no text makes the reader panic or hang. The texts are a contract and other texts,
//! damaged in the ways in which typing, merging and truncating damage files.

use crate::support::CONTRACT;
use openapi_dropshot_contract::{Problems, Profile, lint, read};
use proptest::prelude::*;

const SMALL_JSON: &str = r##"{"openapi": "3.0.3", "info": {"title": "T\u0000\ud83d\ude00", "version": "1"}, "paths": {"/a/{b}": {"get":
{"parameters": [{"name": "b", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1, "default": 5}}],
"responses": {"200": {"description": "d", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}, "example": {"a": [1]}}}}}}}},
"components": {"schemas": {"A": {"type": "object", "properties": {"a": {"type": "array", "items": {"oneOf": [{"$ref": "#/components/schemas/A"}, {"type": "integer"}]}}}}}}}"##;

/// Reads and lints a text. The result does not matter here.
fn survive(file: &str, text: &str) {
    match read(file, text) {
        Ok(document) => {
            let problems = lint(&document, Profile::Strict);
            let _ = Problems::new(&document.text, problems).to_string();
        }
        Err(problems) => {
            let _ = problems.to_string();
        }
    }
}

/// One way to damage a text. The numbers choose the place, modulo the length of the text.
#[derive(Clone, Debug)]
enum Damage {
    DropLine(usize),
    RepeatLine(usize),
    SwapLines(usize, usize),
    IndentLine(usize, bool),
    DropBytes(usize, usize),
    Insert(usize, String),
    Truncate(usize),
    ReplaceScalar(usize, String),
}

impl Damage {
    fn apply(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split('\n').collect();
        let line = |index: usize| index % lines.len();
        match self {
            Damage::DropLine(index) => {
                lines.remove(line(*index));
                lines.join("\n")
            }
            Damage::RepeatLine(index) => {
                let index = line(*index);
                lines.insert(index, lines[index]);
                lines.join("\n")
            }
            Damage::SwapLines(one, other) => {
                let (one, other) = (line(*one), line(*other));
                lines.swap(one, other);
                lines.join("\n")
            }
            Damage::IndentLine(index, deeper) => {
                let index = line(*index);
                let changed = if *deeper {
                    format!("  {}", lines[index])
                } else {
                    lines[index].trim_start_matches("  ").to_owned()
                };
                lines[index] = &changed;
                lines.join("\n")
            }
            Damage::ReplaceScalar(index, value) => {
                let index = line(*index);
                let changed = match lines[index].split_once(": ") {
                    Some((name, _)) => format!("{name}: {value}"),
                    None => format!("{} {value}", lines[index]),
                };
                lines[index] = &changed;
                lines.join("\n")
            }
            Damage::DropBytes(from, count) => {
                let from = from % (text.len() + 1);
                let to = text.len().min(from + count);
                format!(
                    "{}{}",
                    lossy(&text.as_bytes()[..from]),
                    lossy(&text.as_bytes()[to..])
                )
            }
            Damage::Insert(at, what) => {
                let at = at % (text.len() + 1);
                format!(
                    "{}{what}{}",
                    lossy(&text.as_bytes()[..at]),
                    lossy(&text.as_bytes()[at..])
                )
            }
            Damage::Truncate(at) => lossy(&text.as_bytes()[..at % (text.len() + 1)]),
        }
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ": ",
        ",",
        "-",
        "- ",
        "?",
        "? ",
        "&a ",
        "*a",
        "!x ",
        "!!int ",
        "|",
        ">",
        "'",
        "\"",
        "#",
        "%",
        "@",
        "`",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\u{0}",
        "\u{feff}",
        "\u{2028}",
        "\u{85}",
        "ß",
        "😀",
        "\\",
        "\\u",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "<<: ",
        "~",
        "null",
        "1e999",
        "-0",
        ".inf",
        "0x",
        "$ref: '#'",
        "{}",
        "[]",
        "x-a: &b [*b]",
        "$ref: '#/components/schemas/Book'",
        "allOf: [{$ref: '#/components/schemas/Books'}]",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => ".{0,8}"]
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<usize>;
    prop_oneof![
        at().prop_map(Damage::DropLine),
        at().prop_map(Damage::RepeatLine),
        (at(), at()).prop_map(|(one, other)| Damage::SwapLines(one, other)),
        (at(), any::<bool>()).prop_map(|(index, deeper)| Damage::IndentLine(index, deeper)),
        (at(), 1..80_usize).prop_map(|(from, count)| Damage::DropBytes(from, count)),
        (at(), piece()).prop_map(|(at, what)| Damage::Insert(at, what)),
        at().prop_map(Damage::Truncate),
        (at(), piece()).prop_map(|(index, value)| Damage::ReplaceScalar(index, value)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_contract_causes_no_panic(damages in prop::collection::vec(damage(), 1..4)) {
        let text = damages.iter().fold(CONTRACT.to_owned(), |text, damage| damage.apply(&text));
        survive("openapi.yaml", &text);
    }

    #[test]
    fn a_damaged_json_document_causes_no_panic(damages in prop::collection::vec(damage(), 1..4)) {
        let text = damages.iter().fold(SMALL_JSON.to_owned(), |text, damage| damage.apply(&text));
        survive("openapi.json", &text);
        survive("openapi.yaml", &text);
    }

    #[test]
    fn random_pieces_of_text_cause_no_panic(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        survive("openapi.yaml", &text);
        survive("openapi.json", &text);
        survive("openapi.yaml", &format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\n{text}"));
    }
}

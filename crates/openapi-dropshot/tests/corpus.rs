//! Documents of real services, where a copy of the corpus stands beside the
//! repository: each operation comes through, or the document is refused for
//! reasons that are known and have a place.

use openapi_contract::Problem;
use openapi_dropshot::{Options, generate, generate_service};
use std::{collections::BTreeMap, fs, path::Path};

fn options(name: &str) -> Options {
    Options {
        command: "test".to_owned(),
        source: name.to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        trait_name: None,
    }
}

/// How often each rule is broken.
fn counted(problems: &[Problem]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for problem in problems {
        assert!(
            problem.at.line > 1 && !problem.help.is_empty(),
            "{problem:?}"
        );
        *counts.entry(problem.rule).or_default() += 1;
    }
    counts
}

#[test]
fn documents_of_real_services_come_through_or_are_refused_at_a_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/accept");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no corpus at {}", folder.display());
        return;
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    for name in names {
        let text = fs::read_to_string(folder.join(&name)).expect("the document can be read");
        let document = openapi_contract::read(&name, &text).expect("the document is valid");
        let found = generate_service(&document, &options(&name))
            .err()
            .unwrap_or_default();
        let found: Vec<(&str, usize)> = counted(&found).into_iter().collect();
        let expected: &[(&str, usize)] = match name.as_str() {
            "buildomat.json" => &[
                ("missing-success", 2),
                ("unsupported-media-type", 1),
                ("unsupported-optional-body", 1),
                ("unsupported-parameter", 1),
            ],
            "swagger-petstore.yaml" => &[
                ("ambiguous-paths", 3),
                ("unsupported-media-type", 21),
                ("unsupported-optional-body", 5),
                ("unsupported-parameter", 1),
                ("unsupported-security", 9),
            ],
            _ => &[],
        };
        assert_eq!(found, expected, "{name}");
        // The client takes less, and says where.
        let client = generate(&document, &options(&name))
            .err()
            .unwrap_or_default();
        println!("{name}: with a client {:?}", counted(&client));
    }
}

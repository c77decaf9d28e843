//! Tests that every pass reaches each object of the grammar.

use super::*;

/// Returns, for each kind of object, the members that lead from the document to such an object and then to
/// a schema.
fn ways(
    kind: ObjectKind,
    way: &str,
    seen: &mut Vec<ObjectKind>,
    found: &mut Vec<(String, String)>,
) {
    if kind == ObjectKind::Schema {
        found.push((way.to_owned(), "%".to_owned()));
        let inside = ObjectKind::Schema.members().iter();
        for (member, text) in inside.filter_map(|member| Some((member, written(member.holds)?))) {
            found.push((way.to_owned(), format!("{{{}: {text}}}", member.name)));
        }
        return;
    }
    for member in kind.members() {
        let (Holds::One(inner) | Holds::List(inner) | Holds::Map(inner) | Holds::Extensible(inner)) =
            member.holds
        else {
            continue;
        };
        if seen.contains(&inner)
            || (inner == ObjectKind::PathItem && member.name == "pathItems")
            || member.name == "mediaTypes"
        {
            continue;
        }
        let name = member.name.replace('*', "'{$url}'");
        let text = match member.holds {
            Holds::List(_) => format!("{name}: [{{^}}]"),
            Holds::Map(_) => format!("{name}: {{x-a: {{^}}}}"),
            Holds::Extensible(_) => format!("{name}: {{a: {{^}}}}"),
            _ => format!("{name}: {{^}}"),
        };
        seen.push(inner);
        ways(inner, &way.replace('^', &text), seen, found);
        seen.pop();
    }
}

/// Returns how to write a member that contains schemas, with `%` in place of the schema; `None` for other
/// members.
fn written(holds: Holds) -> Option<&'static str> {
    match holds {
        Holds::One(ObjectKind::Schema) => Some("%"),
        Holds::List(ObjectKind::Schema) => Some("[%]"),
        Holds::Map(ObjectKind::Schema) => Some("{x: %}"),
        _ => None,
    }
}

#[test]
fn every_pass_over_a_document_visits_schemas_at_every_place_of_the_grammar() {
    let mut found = Vec::new();
    ways(
        ObjectKind::Document,
        "^",
        &mut vec![ObjectKind::Document],
        &mut found,
    );
    assert!(found.len() > 500, "{}", found.len());
    let schema =
        "{type: [string, 'null'], allOf: [{$ref: 'other.yaml#/a'}, {$ref: '#/x-parts/a/b/c'}]}";
    for (way, text) in found {
        let schema = text.replace('%', schema);
        let text = format!(
            "{{openapi: 3.2.0, x-parts: {{a: {{b: {{c: {{type: string}}}}}}}}, {}}}",
            way.replace("{^}", &schema)
        );
        let mut problems = Vec::new();
        let parsed = crate::syntax::parse(&"a.yaml".into(), &text).root;
        let tree = parsed.unwrap_or_else(|| panic!("{text}"));
        let mut load = |_: &str| Ok("a: {type: string}".to_owned());
        let bundle = crate::bundle::bundle("a.yaml", &tree, &mut load, &mut problems);
        let bundle = bundle.unwrap_or_else(|| panic!("no reference was found in {text}"));
        let named = crate::inner_schemas::name_inner_schemas(&bundle.root);
        let named = named.unwrap_or_else(|| panic!("no inner schema was found in {text}"));
        let rewritten = crate::dialect::rewrite(&named, Since::V32, &mut problems);
        let rewritten = rewritten.expect("it is newer").to_json().to_string();
        for left in ["other.yaml", "#/x-parts", "[\"string\",\"null\"]"] {
            assert!(
                !rewritten.contains(left),
                "{left} of {text} is left: {rewritten}"
            );
        }
    }
}

//! Tests of values in templates.

use super::*;

#[test]
fn a_template_is_filled_with_its_values_and_optional_parts() {
    let mut values = Values::default();
    values.set("name", "shop");
    values.keep("client", true);
    values.keep("open", false);
    for (text, filled) in [
        ("plain {text}", "plain {text}"),
        ("{{name}}-api, {{name}}", "shop-api, shop"),
        ("a{{#client}}, {{name}}{{/client}}, b", "a, shop, b"),
        ("a{{#open}}, {{name}}{{/open}}, b", "a, b"),
        ("1\n{{#client}}\n2\n{{/client}}\n3\n", "1\n2\n3\n"),
        ("1\n{{#open}}\n2\n{{/open}}\n3\n", "1\n3\n"),
        (
            "{{#client}}\n{{#open}}\n1\n{{/open}}\n2\n{{/client}}\n",
            "2\n",
        ),
    ] {
        assert_eq!(values.fill(text), filled, "{text}");
    }
}

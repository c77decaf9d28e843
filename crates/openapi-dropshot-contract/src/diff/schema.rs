//! Compares two schemas: which rules apply at each place, and which schemas
//! inside are compared next.

use super::context::Context;
use super::scope::Scope;
use super::view::View;
use super::{bounds, compose, properties, types, values};
use crate::model::Node;
use compose::Keyword;

/// Compares the schemas of a body, a parameter or a header.
pub(super) fn start<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    base: &'a Node,
    revision: &'a Node,
) {
    context.seen.clear();
    compare(context, scope, &[base], &[revision]);
}

/// Compares two schemas; each is a list of schemas that apply together.
pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    base: &[&'a Node],
    revision: &[&'a Node],
) {
    if let ([base], [revision]) = (base, revision)
        && context.equality.same(base, revision)
    {
        return;
    }
    let mut old = context.base.view(base);
    let mut new = context.revision.view(revision);
    let (Some(old_node), Some(new_node)) = (old.node(), new.node()) else {
        return;
    };
    if !(context.seen).insert((old_node, new_node, scope.path.is_empty(), scope.hidden)) {
        return;
    }
    compose::unwrap_single(&mut old, &mut new);
    if !compose::list_of_types(context, scope, &old, &new) {
        types::compare(context, scope, &old, &new);
        compose::alternatives(context, scope, &old, &new, &Keyword::ONE_OF);
        compose::alternatives(context, scope, &old, &new, &Keyword::ANY_OF);
    }
    compose::all_of(context, scope, &old, &new);
    compose::discriminator(context, scope, &old, &new);
    compose::not(context, scope, &old, &new);
    values::compare(context, scope, &old, &new);
    bounds::compare(context, scope, &old, &new);
    properties::compare(context, scope, &old, &new);
    inside(context, scope, &old, &new, "items");
    inside(context, scope, &old, &new, "additionalProperties");
}

/// Compares the schemas of a keyword that holds one schema.
fn inside<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    keyword: &str,
) {
    let schemas = |view: &View<'a>| -> Vec<&'a Node> {
        (view.parts.iter())
            .filter_map(|part| part.get(keyword))
            .filter(|node| node.as_object().is_some())
            .collect()
    };
    let (base, revision) = (schemas(old), schemas(new));
    if !base.is_empty() && !revision.is_empty() {
        compare(context, &scope.at(keyword), &base, &revision);
    }
}

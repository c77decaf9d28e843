//! Compares two schemas: decides which rules apply at each place, and which inner schemas are
//! compared next.

use super::context::Context;
use super::scope::Scope;
use super::view::View;
use crate::model::Node;
use crate::rules::Family;

/// Two schemas at one place. They are compared keyword by keyword.
pub(super) struct Comparison<'c, 'a> {
    pub context: &'c mut Context<'a>,
    pub scope: &'c Scope,
    pub old: View<'a>,
    pub new: View<'a>,
}

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

/// Compares two schemas. Each is given as a list of schemas that apply together.
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
    let old = context.base.view(base);
    let new = context.revision.view(revision);
    let (Some(old_node), Some(new_node)) = (old.node(), new.node()) else {
        return;
    };
    if !(context.seen).insert((old_node, new_node, scope.path.is_empty(), scope.hidden)) {
        return;
    }
    let mut schemas = Comparison {
        context,
        scope,
        old,
        new,
    };
    if schemas.nothing() {
        return;
    }
    schemas.unwrap_single();
    if !schemas.list_of_types() {
        schemas.types();
        schemas.choices();
    }
    schemas.all_of();
    schemas.discriminator();
    schemas.not();
    schemas.values();
    schemas.bounds();
    schemas.properties();
    schemas.inside("items");
    schemas.inside("additionalProperties");
    schemas.keywords_of_json_schema();
}

impl<'a> Comparison<'_, 'a> {
    /// Reports a change at these nodes. If a node is absent, the change is reported at the schema.
    pub(super) fn report(
        &mut self,
        family: &'static Family,
        base: Option<&Node>,
        revision: Option<&Node>,
        text: &str,
    ) {
        let (base, revision) = (base.or(self.old.node()), revision.or(self.new.node()));
        (self.scope).report(self.context, family, base, revision, text);
    }

    /// Reports a change whose text is the meaning of its rules.
    pub(super) fn report_meaning(
        &mut self,
        family: &'static Family,
        (base, revision): (Option<&Node>, Option<&Node>),
    ) {
        self.report(family, base, revision, family.meaning);
    }

    /// Returns the value of a keyword on both sides.
    pub(super) fn both(&self, keyword: &str) -> (Option<&'a Node>, Option<&'a Node>) {
        (self.old.first(keyword), self.new.first(keyword))
    }

    /// Compares the schemas in a keyword whose value is one schema.
    fn inside(&mut self, keyword: &str) {
        let (base, revision) = (self.old.objects(keyword), self.new.objects(keyword));
        if !base.is_empty() && !revision.is_empty() {
            compare(self.context, &self.scope.at(keyword), &base, &revision);
        }
    }
}

/// Returns the rule and the text for a keyword that was added, removed or changed.
pub(super) fn keyword_change(
    keyword: &str,
    from: Option<&Node>,
    to: Option<&Node>,
    [added, removed, changed]: [&'static Family; 3],
) -> Option<(&'static Family, String)> {
    Some(match (from.map(quoted), to.map(quoted)) {
        (None, Some(to)) => (added, format!("`{keyword}` {to} was added")),
        (Some(from), None) => (removed, format!("`{keyword}` {from} was removed")),
        (Some(from), Some(to)) => {
            let text = format!("`{keyword}` changed from {from} to {to}");
            (changed, text)
        }
        (None, None) => return None,
    })
}

/// Formats a value for messages.
pub(super) fn quoted(value: &Node) -> String {
    format!("`{}`", value.to_json())
}

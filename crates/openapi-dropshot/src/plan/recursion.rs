//! Types that contain themselves: a struct cannot hold itself by value, so that
//! the members that lead back are put behind a pointer. Lists and maps are
//! pointers already.

use super::{
    Planner,
    ir::{Item, Kind, Ty},
};
use std::collections::{BTreeMap, BTreeSet};

impl Planner<'_> {
    /// Boxes each member that leads back to its own struct.
    pub(super) fn box_recursion(&mut self) {
        let edges: BTreeMap<String, BTreeSet<String>> = self
            .items
            .iter()
            .map(|item| (item.name.clone(), held(item)))
            .collect();
        for item in &mut self.items {
            let own = item.name.clone();
            let leads_back = |ty: &Ty| by_value(ty).is_some_and(|name| reaches(&edges, name, &own));
            match &mut item.kind {
                Kind::Struct(object) => {
                    for field in object
                        .fields
                        .iter_mut()
                        .filter(|field| leads_back(&field.ty))
                    {
                        boxed(&mut field.ty);
                    }
                }
                Kind::Union(union) => {
                    for variant in union
                        .variants
                        .iter_mut()
                        .filter(|variant| leads_back(&variant.ty))
                    {
                        boxed(&mut variant.ty);
                    }
                }
                Kind::Wrapper(ty) if leads_back(ty) => boxed(ty),
                _ => {}
            }
        }
    }
}

/// The items that an item holds by value.
fn held(item: &Item) -> BTreeSet<String> {
    let types: Vec<&Ty> = match &item.kind {
        Kind::Struct(object) => object.fields.iter().map(|field| &field.ty).collect(),
        Kind::Union(union) => union.variants.iter().map(|variant| &variant.ty).collect(),
        Kind::Wrapper(ty) | Kind::Alias(ty) => vec![ty],
        Kind::Words(_) | Kind::Checked(_) | Kind::Items(..) | Kind::Entries(..) => Vec::new(),
    };
    types
        .into_iter()
        .filter_map(by_value)
        .map(str::to_owned)
        .collect()
}

/// The item that a type holds by value.
fn by_value(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Named(name) => Some(name),
        Ty::Nullable(inner) => by_value(inner),
        Ty::Scalar(_)
        | Ty::List(_)
        | Ty::Map(_)
        | Ty::AnyMap
        | Ty::Any
        | Ty::Invalid
        | Ty::Null
        | Ty::Boxed(_) => None,
    }
}

/// Whether a value of `from` may hold one of `to`.
fn reaches(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        for next in edges.get(name).into_iter().flatten() {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// Puts the value behind a pointer; `null` stays outside.
fn boxed(ty: &mut Ty) {
    match ty {
        Ty::Nullable(inner) => boxed(inner),
        other => *other = Ty::Boxed(Box::new(std::mem::replace(other, Ty::Any))),
    }
}

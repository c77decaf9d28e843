//! Finds types that contain themselves. A struct cannot contain itself by value, so members that
//! lead back to the struct are boxed. Lists and maps already are pointers.

use super::{
    Planner,
    ir::{Kind, Ty},
};
use openapi_dropshot_contract::reached;
use std::collections::{BTreeMap, BTreeSet};

impl Planner<'_> {
    /// Boxes each member that leads back to its own struct.
    pub(super) fn box_recursion(&mut self) {
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for item in &mut self.items {
            let held = held(&mut item.kind).into_iter();
            let names = held.filter_map(|ty| by_value(ty).map(str::to_owned));
            edges.insert(item.name.clone(), names.collect());
        }
        for item in &mut self.items {
            if matches!(item.kind, Kind::Alias(_)) {
                continue;
            }
            for ty in held(&mut item.kind) {
                if by_value(ty).is_some_and(|name| reaches(&edges, name, &item.name)) {
                    put_in_box(ty);
                }
            }
        }
    }
}

/// Returns the types of the parts of an item, except the elements of lists and maps.
fn held(kind: &mut Kind) -> Vec<&mut Ty> {
    match kind {
        Kind::Struct(object) => object.fields.iter_mut().map(|own| &mut own.ty).collect(),
        Kind::Union(union) => union.variants.iter_mut().map(|own| &mut own.ty).collect(),
        Kind::Wrapper(ty) | Kind::Alias(ty) => vec![ty],
        Kind::Words(_) | Kind::Checked(_) | Kind::Items(..) | Kind::Entries(..) => Vec::new(),
    }
}

/// Returns the name of the item that a type contains by value.
fn by_value(ty: &Ty) -> Option<&str> {
    match ty {
        Ty::Named(name) => Some(name),
        Ty::Nullable(inner) => by_value(inner),
        _ => None,
    }
}

/// Returns whether a value of `from` may contain a value of `to`.
fn reaches(edges: &BTreeMap<String, BTreeSet<String>>, from: &str, to: &str) -> bool {
    let next = |name: &&str| edges.get(*name).into_iter().flatten().map(String::as_str);
    reached([from], next).contains(to)
}

/// Puts the value behind a pointer. For a nullable type, `null` stays outside of the pointer.
fn put_in_box(ty: &mut Ty) {
    match ty {
        Ty::Nullable(inner) => put_in_box(inner),
        other => *other = Ty::Boxed(Box::new(std::mem::replace(other, Ty::Any))),
    }
}

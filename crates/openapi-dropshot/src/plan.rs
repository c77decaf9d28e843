//! Plans what will be generated: the items, the operations and the errors of a
//! document, with all their names. Planning finds everything that the generator
//! does not support, so that writing Rust cannot fail.

mod bodies;
pub(crate) mod defaults;
mod directions;
mod errors;
pub(crate) mod ir;
mod keywords;
mod object;
mod operations;
mod pages;
mod parameters;
mod paths;
mod recursion;
mod responses;
mod scalar;
mod schema;
mod unions;
mod unsupported;
mod uses;
mod websockets;

pub(crate) use bodies::Body;
pub(crate) use errors::{Catalogue, ErrorResponse, Errors, Listed};
pub(crate) use operations::OperationPlan;
pub(crate) use parameters::{Fields, Wire};
pub(crate) use responses::Success;
pub(crate) use unsupported::path_of;

use crate::names::{Names, pascal};
use directions::Bodies;
use ir::{Choice, Item, Kind, Scalar, Ty};
use openapi_dropshot_contract::{Problem, model::Document};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that will be generated of a document, but the client.
pub(crate) struct Plan<'a> {
    /// The types of schemas and parameters, in the order of the document.
    pub(crate) items: Vec<Item>,
    /// The operations, in the order of the document.
    pub(crate) operations: Vec<OperationPlan<'a>>,
    /// The catalogue of error codes, where the document has one.
    pub(crate) catalogue: Option<Catalogue<'a>>,
}

/// Names that the generated models themselves use.
const TAKEN: &[&str] = &[
    "ArrayValidation",
    "BTreeMap",
    "Bool",
    "Box",
    "Clone",
    "Copy",
    "Cow",
    "Debug",
    "Default",
    "Deserialize",
    "Deserializer",
    "Display",
    "Eq",
    "Err",
    "From",
    "FromStr",
    "FromText",
    "Hash",
    "InstanceType",
    "Into",
    "JsonSchema",
    "LazyLock",
    "Map",
    "Metadata",
    "None",
    "NumberValidation",
    "ObjectValidation",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Regex",
    "Result",
    "Schema",
    "SchemaGenerator",
    "SchemaObject",
    "Serialize",
    "Serializer",
    "Some",
    "String",
    "StringValidation",
    "ToString",
    "TryFrom",
    "TryInto",
    "Value",
    "Vec",
    "Violation",
    "Alternatives",
    "SubschemaValidation",
    "Date",
    "DateTime",
    "Uuid",
    "Base64",
    "IpAddress",
    "Ipv4Address",
    "Ipv6Address",
];

/// Plans a document.
///
/// # Errors
///
/// All constructs that the generator does not support.
pub(crate) fn plan(document: &Document) -> Result<Plan<'_>, Vec<Problem>> {
    let mut planner = Planner::new(document);
    planner.check_unsupported();
    planner.components();
    let catalogue = planner.catalogue();
    let operations = planner.operations(catalogue.as_ref());
    planner.box_recursion();
    planner.check_defaults(&operations);
    if planner.problems.is_empty() {
        Ok(Plan {
            items: planner.items,
            operations,
            catalogue,
        })
    } else {
        planner.problems.sort_by(|a, b| a.at.cmp(&b.at));
        planner.problems.dedup();
        Err(planner.problems)
    }
}

/// The results that planning collects.
pub(super) struct Planner<'a> {
    document: &'a Document,
    problems: Vec<Problem>,
    names: Names,
    components: BTreeMap<String, String>,
    /// The types of components of parameters, by the name of the component.
    shared: BTreeMap<String, Ty>,
    /// The types of schemas without a name, by their place.
    known: BTreeMap<String, Known>,
    /// The places of schemas that are members of objects.
    members: BTreeSet<String>,
    /// What bodies lead to.
    bodies: Bodies,
    /// How many schemas are being planned, each inside of the one before.
    depth: usize,
    items: Vec<Item>,
}

/// A schema without a name that was met before.
enum Known {
    /// It is being planned; it has a name if something inside refers to it.
    Open(Option<String>),
    /// It has this type.
    Planned(Ty),
}

/// How deep schemas may be nested: far deeper than anyone writes, and not so
/// deep that the stack ends.
const DEEPEST: usize = 64;

impl<'a> Planner<'a> {
    fn new(document: &'a Document) -> Self {
        let mut names = Names::without(TAKEN);
        let components = document
            .schemas
            .keys()
            .map(|component| (component.clone(), names.claim(&pascal(component))))
            .collect();
        Planner {
            document,
            problems: Vec::new(),
            names,
            components,
            shared: BTreeMap::new(),
            known: BTreeMap::new(),
            members: BTreeSet::new(),
            bodies: Bodies::of(document),
            depth: 0,
            items: Vec::new(),
        }
    }
}

/// Finds an item by its name in Rust.
pub(crate) fn find<'i>(items: &'i [Item], name: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.name == name)
}

/// The item that a type leads to, through names for the same type.
pub(crate) fn target<'i>(items: &'i [Item], ty: &Ty) -> Option<&'i Item> {
    let mut name = match ty {
        Ty::Named(name) => name,
        _ => return None,
    };
    for _ in 0..=items.len() {
        let item = find(items, name)?;
        match &item.kind {
            Kind::Alias(Ty::Named(next)) => name = next,
            _ => return Some(item),
        }
    }
    None
}

/// Whether a value of the type can be written as the text of a parameter.
pub(crate) fn is_text(items: &[Item], ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Invalid => true,
        Ty::Named(_) => match target(items, ty).map(|item| &item.kind) {
            Some(Kind::Words(_) | Kind::Checked(_)) => true,
            // dropshot takes no other alternatives for a parameter.
            Some(Kind::Union(union)) => {
                matches!(union.choice, Choice::One)
                    && union.instance.is_none()
                    && union
                        .variants
                        .iter()
                        .all(|variant| is_text(items, &variant.ty))
            }
            Some(Kind::Wrapper(inner)) => {
                !matches!(inner, Ty::Nullable(_)) && is_text(items, inner)
            }
            _ => false,
        },
        Ty::Boxed(inner) => is_text(items, inner),
        Ty::List(_) | Ty::Map(_) | Ty::AnyMap | Ty::Any | Ty::Nullable(_) | Ty::Null => false,
    }
}

/// Whether a scalar has values that are equal only to themselves.
pub(crate) fn is_exact(scalar: &Scalar) -> bool {
    !matches!(scalar, Scalar::Number { .. })
}

//! Plans the generated code for a document: the items, the operations and the errors, with all their
//! names. Planning finds every construct that the generator does not support, so that writing the Rust
//! code cannot fail.

mod bodies;
pub(crate) mod defaults;
mod directions;
mod errors;
pub(crate) mod ir;
mod keywords;
mod object;
mod operations;
mod parameters;
mod parts;
mod paths;
mod recursion;
mod responses;
mod scalar;
mod schema;
mod security;
mod unions;
mod uses;

pub(crate) use bodies::{Body, JsonBody, streamed_lines, warning as form_warning};
pub(crate) use errors::{Catalogue, ErrorResponse, Errors, Listed};
pub(crate) use operations::OperationPlan;
pub(crate) use parameters::Fields;
pub(crate) use parts::{Content, FormProperty, Part, Parts, form_properties};
pub(crate) use responses::{
    ItemForm, Items, Success, Successes, variant_name, warnings as response_warnings,
};
pub use security::scheme_of_single_key;
pub(crate) use security::{Security, is_key, scheme_kind};

use crate::{
    InlineType,
    names::{Names, pascal},
};
use directions::{in_requests, in_responses};
use ir::{Choice, Home, Item, Kind, Scalar, Ty};
use openapi_dropshot_contract::{
    Problem, Profile, Rule, Severity, lint,
    model::{Document, Location, Spanned},
};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that will be generated for a document, except the client.
pub(crate) struct Plan<'a> {
    /// The types of schemas and parameters, in the order of the document.
    pub(crate) items: Vec<Item>,
    /// The operations, in the order of the document.
    pub(crate) operations: Vec<OperationPlan<'a>>,
    /// The catalogue of error codes, if the document has one.
    pub(crate) catalogue: Option<Catalogue<'a>>,
    /// The types of inline schemas.
    pub(crate) inline: Vec<InlineType>,
}

/// The names that the generated models use themselves. `D` and `S` are parameters of generic functions.
const TAKEN: &str = "
    ArrayValidation BTreeMap Bool Box Clone Copy Cow D Debug Default Deserialize Deserializer
    Display Eq Err From FromStr FromText Hash InstanceType Into JsonSchema LazyLock Map Metadata
    None NumberValidation ObjectValidation Ok Option Ord PartialEq PartialOrd Regex Result S
    Schema SchemaGenerator SchemaObject Serialize Serializer Some String StringValidation
    ToString TryFrom TryInto Value Vec Violation Alternatives SubschemaValidation Date DateTime
    Uuid Base64 IpAddress Ipv4Address Ipv6Address
";

/// Plans a document. `renames` contains other names for types of inline schemas.
///
/// # Errors
///
/// The errors that [`lint`] finds, and all constructs that the generator does not support.
pub(crate) fn plan<'a>(
    document: &'a Document,
    renames: &BTreeMap<String, String>,
) -> Result<Plan<'a>, Vec<Problem>> {
    let mut planner = Planner::new(document, renames);
    planner.check_reserved();
    planner.components();
    let catalogue = planner.catalogue();
    let operations = planner.operations(catalogue.as_ref());
    planner.box_recursion();
    planner.check_defaults(&operations);
    let Planner {
        items,
        mut problems,
        known,
        components,
        names,
        ..
    } = planner;
    if problems.is_empty() {
        let is_component = |name: &String| components.values().any(|other| other == name);
        let named = known.into_iter().filter_map(|(place, known)| match known {
            Known::Planned(Ty::Named(name)) if !is_component(&name) => Some(InlineType {
                pointer: place,
                before_rename: names.before_rename(&name).to_owned(),
                name,
            }),
            _ => None,
        });
        return Ok(Plan {
            inline: named.collect(),
            items,
            operations,
            catalogue,
        });
    }
    problems.sort_by(|a, b| (&a.at, a.rule).cmp(&(&b.at, b.rule)));
    // The linter and the planner may report the same problem.
    problems.dedup_by(|a, b| a.rule == b.rule && a.at == b.at);
    Err(problems)
}

/// The results that planning collects.
struct Planner<'a> {
    document: &'a Document,
    problems: Vec<Problem>,
    names: Names,
    /// The Rust names of the component schemas.
    components: BTreeMap<String, String>,
    /// The types of inline schemas, by their place.
    known: BTreeMap<String, Known>,
    /// The places of schemas that are members of objects.
    members: BTreeSet<String>,
    /// All places in the schemas of request bodies, including the schemas to which they refer.
    in_requests: BTreeSet<&'a str>,
    /// All places in the schemas of response bodies, including the schemas to which they refer.
    in_responses: BTreeSet<&'a str>,
    /// The number of nested schemas that are currently being planned.
    depth: usize,
    /// The file for the items that are currently being planned.
    home: Home,
    items: Vec<Item>,
}

/// An inline schema that was planned before, or is being planned.
enum Known {
    /// The schema is being planned. It gets a name if a schema inside of it refers to it.
    Open(Option<String>),
    /// The schema was planned and has this type.
    Planned(Ty),
}

/// The maximum depth of nested schemas. It is far above the depth in real documents, and low enough for
/// the stack of a thread.
const DEEPEST: usize = 64;

impl<'a> Planner<'a> {
    fn new(document: &'a Document, renames: &BTreeMap<String, String>) -> Self {
        let mut names = Names::without(TAKEN.split_whitespace()).with_renames(renames);
        let components = document.schemas.keys();
        let components = components.map(|own| (own.clone(), names.claim(&pascal(own))));
        let components = components.collect();
        let faults = lint(document, Profile::General).into_iter();
        Planner {
            document,
            problems: faults.filter(Problem::is_error).collect(),
            names,
            components,
            known: BTreeMap::new(),
            members: BTreeSet::new(),
            in_requests: in_requests(document),
            in_responses: in_responses(document),
            depth: 0,
            home: Home::Schemas,
            items: Vec::new(),
        }
    }

    /// Reports a construct that the generator does not support.
    fn reject(
        &mut self,
        rule: &Rule,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let problem = rule.problem(at, message, help);
        self.problems.push(problem.with_severity(Severity::Error));
    }
}

/// Returns the value of a keyword, if the document has the keyword.
fn value<T: Clone>(keyword: &Option<Spanned<T>>) -> Option<T> {
    keyword.as_ref().map(|keyword| keyword.value.clone())
}

/// Finds an item by its name in Rust.
pub(crate) fn find<'i>(items: &'i [Item], name: &str) -> Option<&'i Item> {
    items.iter().find(|item| item.name == name)
}

/// Finds the item to which a type refers, directly or through aliases.
pub(crate) fn target<'i>(items: &'i [Item], ty: &Ty) -> Option<&'i Item> {
    // The reader rejects cycles of references.
    let mut ty = ty;
    loop {
        let Ty::Named(name) = ty else { return None };
        let item = find(items, name)?;
        let Kind::Alias(next) = &item.kind else {
            return Some(item);
        };
        ty = next;
    }
}

/// Returns the type of the values of a list.
pub(crate) fn list_of<'i>(items: &'i [Item], ty: &'i Ty) -> Option<&'i Ty> {
    match (ty, target(items, ty).map(|item| &item.kind)) {
        (Ty::List(of), _) => Some(of),
        (_, Some(Kind::Items(of, _))) => Some(of),
        _ => None,
    }
}

/// Returns whether a value of the type can be written as the text of a parameter, and dropshot accepts
/// the type there.
pub(crate) fn is_text(items: &[Item], ty: &Ty) -> bool {
    has_text(items, ty, false)
}

/// Returns whether a value of the type can be written as one string. `any` tells whether alternatives
/// of `anyOf` count, which dropshot does not accept for a parameter.
pub(crate) fn has_text(items: &[Item], ty: &Ty, any: bool) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Invalid => true,
        Ty::Named(_) => match target(items, ty).map(|item| &item.kind) {
            Some(Kind::Words(_) | Kind::Checked(_)) => true,
            Some(Kind::Union(union)) => {
                let mut types = union.variants.iter().map(|variant| &variant.ty);
                (matches!(union.choice, Choice::One) || any && matches!(union.choice, Choice::Any))
                    && union.instance.is_none()
                    && types.all(|ty| is_text(items, ty))
            }
            Some(Kind::Wrapper(inner)) => {
                !matches!(inner, Ty::Nullable(_)) && has_text(items, inner, any)
            }
            _ => false,
        },
        Ty::Boxed(inner) => has_text(items, inner, any),
        Ty::List(_) | Ty::Map(_) | Ty::AnyMap | Ty::Any | Ty::Nullable(_) | Ty::Null => false,
        Ty::Never => false,
    }
}

/// Returns whether values of a scalar can be compared exactly.
pub(crate) fn is_exact(scalar: &Scalar) -> bool {
    !matches!(scalar, Scalar::Number { .. })
}

//! One of several: types, and the words of an enumeration that is written so.

use super::Ty;
use openapi_dropshot_contract::model::Type;

/// A part of an enumeration that is written as `oneOf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// Which one.
    pub(crate) index: usize,
    /// `title`
    pub(crate) title: Option<String>,
    /// `description`
    pub(crate) description: Option<String>,
}

/// One of several types.
#[derive(Clone, Debug)]
pub(crate) struct Union {
    /// The alternatives, in the order of the document.
    pub(crate) variants: Vec<Variant>,
    /// How the generated code chooses one of them.
    pub(crate) choice: Choice,
    /// `type` beside the alternatives.
    pub(crate) instance: Option<Type>,
}

/// How an alternative is chosen.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// `oneOf`: the one that accepts the value.
    One,
    /// `anyOf`: the first that keeps all of the value, or that accepts it.
    Any,
    /// `oneOf` with a `discriminator`: the one that this property names.
    Tag(String),
}

/// An alternative.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// Its name in Rust.
    pub(crate) name: String,
    /// `title`
    pub(crate) title: Option<String>,
    /// `description`
    pub(crate) description: Option<String>,
    /// Its type.
    pub(crate) ty: Ty,
    /// The values of the discriminator that name it.
    pub(crate) tags: Vec<String>,
}

//! The setters of a builder: documented in the words of the document, and
//! strict about its bounds, so that nothing is sent that will be refused.

use super::{
    Surprise, bounds, deprecate, described, examples::Examples, messages, part_note, part_since,
    set_docs,
};
use crate::client::names::folded;
use openapi_dropshot_contract::model::{Document, Operation, Parameter, Stability};
use quote::{ToTokens, quote};
use syn::{ImplItemFn, parse_quote};

/// Puts a setter in the place of progenitor's, which forgets why a value was
/// refused.
pub(super) fn rewrite(
    document: &Document,
    operation: &Operation,
    parameter: &Parameter,
    method: &mut ImplItemFn,
    examples: &Examples<'_>,
) -> Result<(), Surprise> {
    let ident = method.sig.ident.clone();
    let target = target(method)
        .ok_or_else(|| Surprise(format!("the setter `{ident}` does not say what it takes")))?;
    let optional = method
        .block
        .to_token_stream()
        .to_string()
        .contains("map (Some)");
    let bounds = parameter
        .schema
        .as_ref()
        .map(|schema| bounds::of(schema, &target))
        .unwrap_or_default();
    let name = &parameter.name.value;
    let conversion = match &bounds.words {
        Some(words) => format!("`{name}` must be {words}: {{error}}"),
        None => format!("`{name}` is refused: {{error}}"),
    };
    let check = bounds.condition.map(|condition| {
        let message = format!(
            "`{name}` must be {}, found {{value}}",
            bounds.words.as_deref().unwrap_or_default()
        );
        quote!(.and_then(|value| if #condition { Ok(value) } else { Err(format!(#message)) }))
    });
    let wrap = optional.then(|| quote!(.map(Some)));
    *method = parse_quote! {
        pub fn #ident<V>(mut self, value: V) -> Self
        where
            V: ::std::convert::TryInto<#target>,
            V::Error: ::std::fmt::Display,
        {
            self.#ident = value.try_into().map_err(|error| format!(#conversion)) #check #wrap;
            self
        }
    };
    let mut paragraphs = vec![match parameter.description.as_deref() {
        Some(description) => described(Some(description)),
        None => inherited(document, parameter).unwrap_or_else(|| format!("Sets `{name}`.")),
    }];
    if let Some(words) = &bounds.words {
        paragraphs.push(format!(
            "Has to be {words}; anything else is refused before it is sent."
        ));
    }
    if parameter.required {
        paragraphs.push("Required.".to_owned());
    }
    let level = parameter
        .extensions
        .get("x-stability-level")
        .and_then(|level| level.as_str())
        .and_then(Stability::from_word);
    match level {
        Some(Stability::Beta) => paragraphs.push("Beta: may change, with a warning.".to_owned()),
        Some(Stability::Experimental) => {
            paragraphs.push("Experimental: may change or vanish at any time.".to_owned())
        }
        Some(Stability::Stable) | None => {}
    }
    let note = parameter
        .deprecated
        .then(|| part_note(&parameter.extensions));
    if let Some(note) = &note {
        paragraphs.push(format!("Deprecated; {note}."));
    }
    paragraphs.extend(examples.setter(operation, &ident));
    set_docs(&mut method.attrs, &paragraphs);
    if let Some(note) = &note {
        deprecate(
            &mut method.attrs,
            part_since(&parameter.extensions).as_deref(),
            note,
        );
    }
    Ok(())
}

/// The description of the schema, where the parameter has none.
fn inherited(document: &Document, parameter: &Parameter) -> Option<String> {
    let schema = document.resolve(parameter.schema.as_ref()?)?;
    schema
        .description
        .as_deref()
        .map(|text| described(Some(text)))
}

/// The type that a setter takes values for: that of `V: TryInto<…>`.
pub(super) fn target(method: &ImplItemFn) -> Option<syn::Type> {
    let clause = method.sig.generics.where_clause.as_ref()?;
    clause.predicates.iter().find_map(|predicate| {
        let syn::WherePredicate::Type(predicate) = predicate else {
            return None;
        };
        let syn::TypeParamBound::Trait(bound) = predicate.bounds.first()? else {
            return None;
        };
        let syn::PathArguments::AngleBracketed(arguments) = &bound.path.segments.last()?.arguments
        else {
            return None;
        };
        match arguments.args.first()? {
            syn::GenericArgument::Type(target) => Some(target.clone()),
            _ => None,
        }
    })
}

/// Documents the setters of the body.
pub(super) fn document_body(
    method: &mut ImplItemFn,
    operation: &Operation,
    examples: &Examples<'_>,
) {
    let description = operation
        .request_body
        .as_ref()
        .and_then(|body| body.description.as_deref());
    let mut paragraphs = if method.sig.ident == "body_map" {
        vec![
            "Changes the body step by step, by way of its builder.".to_owned(),
            described(description),
        ]
    } else if description.is_some() {
        vec![
            described(description),
            "Takes a value, or the builder of one.".to_owned(),
        ]
    } else {
        vec!["Sets the body.".to_owned()]
    };
    messages::reword(method, |text| {
        text.starts_with("conversion to `")
            .then(|| "the body is refused: {}".to_owned())
    });
    paragraphs.extend(if method.sig.ident == "body_map" {
        examples.body_map(operation)
    } else {
        examples.setter(operation, &method.sig.ident)
    });
    set_docs(&mut method.attrs, &paragraphs);
}

/// Says what is missing in the words of the document, and how to give it.
pub(super) fn name_what_is_missing(method: &mut ImplItemFn, operation: &Operation) {
    messages::reword(method, |text| {
        let field = text.strip_suffix(" was not initialized")?;
        let name = operation
            .parameters
            .iter()
            .find(|parameter| folded(&parameter.name.value) == folded(field))
            .map_or(field, |parameter| parameter.name.value.as_str());
        Some(format!("`{name}` is required: set it with `{field}`"))
    });
    set_docs(
        &mut method.attrs,
        &["A request without any parameter set.".to_owned()],
    );
}

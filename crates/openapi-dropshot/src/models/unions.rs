//! Writes `oneOf` and `anyOf` as an enumeration with one variant for each alternative.

use super::{
    metadata::{json_schema, keyword},
    structs::default_impl,
    types::{Shapes, rust, tokens},
};
use crate::{
    docs::{Docs, one_line},
    names::ident,
    plan::{
        Plan,
        ir::{Choice, Item, Kind, Presence, Ty, Union, Variant},
        is_text, target,
    },
    render::option,
};
use openapi_dropshot_contract::model::Type;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Writes the enumeration, and the code that reads and writes its values.
pub(super) fn union(
    plan: &Plan<'_>,
    item: &Item,
    union: &Union,
    shapes: &mut Shapes,
) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let all = union.variants.iter();
    let variants: Vec<Ident> = (all.clone()).map(|variant| ident(&variant.name)).collect();
    let types = (all.clone()).map(|variant| tokens(&rust(&variant.ty)));
    let types: Vec<TokenStream> = types.collect();
    let about = all.clone().map(|variant| {
        let words = variant.description.as_deref().map(one_line);
        Docs::new(words.as_deref(), format!("{}.", what(&variant.ty))).attributes()
    });
    let schema = schema(item, union, shapes);
    let choice = choice(&name, union);
    let instance = union.instance.map(instance_check);
    let default = default_impl(plan, item);
    let writers = all.clone().map(|variant| writer(plan, union, variant));
    let mut all_types = all.map(|variant| &variant.ty);
    let are_texts = all_types.all(|ty| is_text(&plan.items, ty));
    let texts = are_texts.then(|| texts(&name, &variants, &types)).flatten();
    quote! {
        #docs
        #[derive(Clone, Debug, PartialEq)]
        pub enum #name {
            #(#about #variants(#types),)*
        }

        #default

        impl Serialize for #name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(#name::#variants(value) => #writers,)*
                }
            }
        }

        impl<'de> Deserialize<'de> for #name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Value::deserialize(deserializer)?;
                #instance
                #choice.map_err(serde::de::Error::custom)
            }
        }

        #texts

        #schema
    }
}

/// Returns how an alternative is written: the value of the discriminator is added if the type of the
/// alternative may lack it.
fn writer(plan: &Plan<'_>, union: &Union, variant: &Variant) -> TokenStream {
    // The name of the component comes first, followed by the values of the mapping.
    let tag = variant.tags.get(1).or(variant.tags.first());
    match (&union.choice, tag) {
        (Choice::Tag(property), Some(tag)) if may_lack(&plan.items, &variant.ty, property) => {
            quote!(openapi_dropshot_types::unions::with_tag(value, #property, #tag, serializer))
        }
        _ => quote!(value.serialize(serializer)),
    }
}

/// Whether a value of an object type may lack this property.
fn may_lack(items: &[Item], ty: &Ty, property: &str) -> bool {
    if let Ty::Boxed(inner) = ty {
        return may_lack(items, inner, property);
    }
    match target(items, ty).map(|item| &item.kind) {
        Some(Kind::Struct(object)) => {
            let mut fields = object.fields.iter();
            fields.all(|field| {
                field.wire != property || !matches!(field.presence, Presence::Required)
            })
        }
        Some(Kind::Wrapper(inner)) => may_lack(items, inner, property),
        _ => false,
    }
}

/// Describes a type in words.
fn what(ty: &Ty) -> String {
    match ty {
        Ty::Named(name) => format!("[`{name}`]"),
        Ty::Nullable(inner) => format!("{}, or `null`", what(inner)),
        Ty::Boxed(inner) => what(inner),
        Ty::List(_) => "A list".to_owned(),
        Ty::Map(_) | Ty::AnyMap => "An object".to_owned(),
        Ty::Any | Ty::Invalid => "Any value".to_owned(),
        Ty::Null => "`null`".to_owned(),
        Ty::Never => "No value".to_owned(),
        Ty::Scalar(_) => format!("`{}`", rust(ty)),
    }
}

/// Returns the expression that converts a JSON value to the enumeration: a `Result` whose error is a
/// text.
fn choice(name: &Ident, union: &Union) -> TokenStream {
    let tries = union.variants.iter().map(|variant| {
        let (variant_name, text) = (ident(&variant.name), format!("`{}`", variant.name));
        quote!(.or(#text, #name::#variant_name))
    });
    match &union.choice {
        Choice::One => quote!(Alternatives::of(&value)#(#tries)*.one()),
        Choice::Any => quote!(Alternatives::of(&value)#(#tries)*.any()),
        Choice::Tag(property) => {
            let arms = union.variants.iter().map(|variant| {
                let (variant_name, tags) = (ident(&variant.name), &variant.tags);
                quote!(#(#tags)|* => serde_json::from_value(value).map(#name::#variant_name).map_err(|error| error.to_string()))
            });
            let tags = union.variants.iter().flat_map(|variant| &variant.tags);
            let words: Vec<String> = tags.map(|tag| format!("`{tag}`")).collect();
            let wrong = format!("`{property}` must be one of {}", words.join(", "));
            quote! {
                openapi_dropshot_types::unions::tag(&value, #property).map(str::to_owned).and_then(|tag| match tag.as_str() {
                    #(#arms,)*
                    _ => Err(#wrong.to_owned()),
                })
            }
        }
    }
}

/// Returns the check of the `type` that is written beside the alternatives.
fn instance_check(instance: Type) -> TokenStream {
    let check = match instance {
        Type::Boolean => quote!(value.is_boolean()),
        Type::Integer => {
            quote!(value.as_f64().is_some_and(|number| number.fract() == 0.0))
        }
        Type::Number => quote!(value.is_number()),
        Type::String => quote!(value.is_string()),
        Type::Array => quote!(value.is_array()),
        Type::Object => quote!(value.is_object()),
    };
    let wrong = format!("must be of type {instance}");
    quote! {
        if !#check {
            return Err(serde::de::Error::custom(#wrong));
        }
    }
}

/// Writes the conversion from the text of a parameter to the enumeration: the first alternative that
/// accepts the text is used.
fn texts(name: &Ident, variants: &[Ident], types: &[TokenStream]) -> Option<TokenStream> {
    let (first, others) = types.split_first()?;
    let (first_variant, other_variants) = variants.split_first()?;
    Some(quote! {
        impl FromText for #name {
            fn from_text(text: &str) -> Result<Self, Violation> {
                <#first>::from_text(text)
                    .map(#name::#first_variant)
                    #(.or_else(|first| {
                        <#others>::from_text(text).map(#name::#other_variants).map_err(|_| first)
                    }))*
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    #(#name::#variants(value) => value.fmt(f),)*
                }
            }
        }
    })
}

/// Writes `JsonSchema` with the alternatives as they are in the document.
fn schema(item: &Item, union: &Union, shapes: &mut Shapes) -> TokenStream {
    let alternatives = union.variants.iter().map(|variant| {
        let shape = tokens(&shapes.schema(&variant.ty));
        let alternative = quote!(generator.subschema_for::<#shape>());
        if variant.title.is_none() && variant.description.is_none() {
            return alternative;
        }
        let title = option(variant.title.as_ref());
        let description = option(variant.description.as_ref());
        quote!(openapi_dropshot_types::unions::described(#alternative, #title, #description))
    });
    let name = match union.choice {
        Choice::One | Choice::Tag(_) => "oneOf",
        Choice::Any => "anyOf",
    };
    let mut keywords = vec![keyword(name, quote!([#(#alternatives),*]))];
    keywords.extend(union.instance.map(|instance| {
        let instance = instance.to_string();
        keyword("type", instance)
    }));
    json_schema(item, keywords)
}

//! Lets unions follow their `discriminator`, or, without one, be read as the alternative that keeps most of the value.
//! typify's enumeration is read as the first matching alternative, which may differ from the one that the value names.

use super::{
    Pass, change_derives,
    kinds::{argument_of, in_module, name_of, serde_arguments},
    repeated::held,
};
use crate::{
    client::{
        document::{all_schemas, alternatives},
        names::folded,
    },
    docs::code,
};
use openapi_dropshot_contract::model::{Discriminator, SCHEMAS, Schema};
use quote::quote;
use std::collections::BTreeSet;
use syn::{Fields, Ident, Item, ItemEnum, Path, parse_quote};

impl<'a> Pass<'a> {
    /// Replaces the deserialisation of unions: by the discriminator, or as the alternative that fits best.
    ///
    /// # Errors
    ///
    /// A union of the document has no such type.
    pub(super) fn unions(&self, items: &mut Vec<Item>) -> Result<(), String> {
        let mut met = BTreeSet::new();
        let mut written = Vec::new();
        for item in items.iter_mut() {
            let Item::Enum(choice) = item else { continue };
            let union = self.union_of(choice);
            // serde reads an untagged enumeration as the first alternative that fits.
            let is_untagged = serde_arguments(&choice.attrs).contains_key("untagged");
            let reader = match union {
                _ if !is_untagged => None,
                Some((union, discriminator)) => self.reader(choice, union, discriminator),
                None => closest_reader(choice),
            };
            if let Some((union, _)) = union.filter(|_| !is_untagged || reader.is_some()) {
                met.insert(union.at.pointer.as_str());
            }
            let writer = match union {
                Some((union, discriminator)) if reader.is_some() => {
                    self.writer(choice, union, discriminator)
                }
                _ => None,
            };
            if writer.is_some() {
                // Without a derive, nothing knows this attribute.
                choice.attrs.retain(|own| !own.path().is_ident("serde"));
            }
            for (derive, own) in [("Deserialize", reader), ("Serialize", writer)] {
                let Some(own) = own else { continue };
                change_derives(&mut choice.attrs, |paths| {
                    let is_other =
                        |path: &Path| !path.segments.iter().any(|word| word.ident == derive);
                    paths.retain(is_other);
                });
                written.push(own);
            }
        }
        items.extend(written);
        let mut named = self.names.values();
        let missed = named.find(|named| {
            let (union, at) = (named.schema, named.schema.at.pointer.as_str());
            union.discriminator.is_some() && alternatives(union).len() > 1 && !met.contains(at)
        });
        match missed {
            Some(named) => Err(format!("no type has the discriminator of `{}`", named.name)),
            None => Ok(()),
        }
    }

    /// Finds the union of the document that became this enumeration.
    fn union_of(&self, choice: &ItemEnum) -> Option<(&'a Schema, &'a Discriminator)> {
        let name = folded(&choice.ident.to_string());
        // typify adds `Inner` to the name of a union that may be `null`.
        let named = self.names.get(&name);
        let named = named.or_else(|| self.names.get(name.strip_suffix("inner")?));
        if let Some(named) = named {
            return Some((named.schema, named.schema.discriminator.as_ref()?));
        }
        // typify names a union inside of another one by itself.
        let variants = choice.variants.iter();
        let components = variants.map(|variant| self.component(&variant.fields));
        let components: BTreeSet<&str> = components.collect::<Option<_>>()?;
        let mut unions = all_schemas(self.document).into_iter();
        unions.find_map(|union| {
            let own = alternatives(union).iter().filter_map(Schema::component);
            (own.collect::<BTreeSet<_>>() == components)
                .then_some((union, union.discriminator.as_ref()?))
        })
    }

    /// The component of a variant.
    fn component(&self, fields: &Fields) -> Option<&'a str> {
        let target = in_module(held(fields)?, "types");
        let target = argument_of(&target, "Box").unwrap_or(target);
        let named = self.names.get(&folded(&name_of(&target)?.to_string()))?;
        (!named.inline).then_some(named.name.as_str())
    }

    /// Writes how a union is read.
    fn reader(
        &self,
        choice: &ItemEnum,
        union: &Schema,
        discriminator: &Discriminator,
    ) -> Option<Item> {
        let mut listed = Vec::new();
        let mut arms = Vec::new();
        for variant in &choice.variants {
            let component = self.component(&variant.fields)?;
            let tags = tags(component, discriminator);
            // A value that names two alternatives is the first one's.
            let tags: Vec<&str> = tags.filter(|tag| !listed.contains(tag)).collect();
            listed.extend(&tags);
            let ident: &Ident = &variant.ident;
            if !tags.is_empty() {
                arms.push(quote!(#(#tags)|* => ::openapi_dropshot_client::generated::json_value(value).map(Self::#ident),));
            }
        }
        let is_whole = alternatives(union).len() == choice.variants.len();
        let ident = &choice.ident;
        let property = &discriminator.property;
        let known: Vec<String> = listed.iter().map(|tag| code(tag)).collect();
        let message = format!("{} must be one of {}", code(property), known.join(", "));
        is_whole.then(|| {
            parse_quote! {
                impl<'de> ::serde::Deserialize<'de> for #ident {
                    fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                        ::openapi_dropshot_client::generated::by_tag(deserializer, #property, |tag, value| match tag {
                            #(#arms)*
                            _ => Err(::openapi_dropshot_client::generated::unknown_tag(#message)),
                        })
                    }
                }
            }
        })
    }
}

impl Pass<'_> {
    /// Writes how a union is written, if an alternative may lack the property that names it.
    fn writer(
        &self,
        choice: &ItemEnum,
        union: &Schema,
        discriminator: &Discriminator,
    ) -> Option<Item> {
        let property = &discriminator.property;
        if (alternatives(union).iter()).all(|part| self.requires(part, property)) {
            return None;
        }
        let mut arms = Vec::new();
        for variant in &choice.variants {
            let tag = tags(self.component(&variant.fields)?, discriminator).next()?;
            let variant = &variant.ident;
            arms.push(quote! {
                Self::#variant(value) => ::openapi_dropshot_client::generated::with_tag(value, #property, #tag, serializer),
            });
        }
        let ident = &choice.ident;
        Some(parse_quote! {
            impl ::serde::Serialize for #ident {
                fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    match self {
                        #(#arms)*
                    }
                }
            }
        })
    }

    /// Whether each value of a schema has this property.
    fn requires(&self, schema: &Schema, property: &str) -> bool {
        let Some(schema) = self.document.resolve(schema) else {
            return false;
        };
        (schema.required.iter()).any(|name| name.value == property)
            || (schema.all_of.iter()).any(|part| self.requires(part, property))
    }
}

/// Writes how a union without a discriminator is read, if each alternative has a type.
fn closest_reader(choice: &ItemEnum) -> Option<Item> {
    let variant = |variant: &syn::Variant| held(&variant.fields).map(|_| variant.ident.clone());
    let variants: Vec<Ident> = choice.variants.iter().map(variant).collect::<Option<_>>()?;
    let ident = &choice.ident;
    Some(parse_quote! {
        impl<'de> ::serde::Deserialize<'de> for #ident {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                ::openapi_dropshot_client::generated::closest(deserializer, &[
                    #(|value| ::openapi_dropshot_client::generated::json_value(value).map(Self::#variants)),*
                ])
            }
        }
    })
}

/// The values of the discriminator that name a component: those of the mapping, and its own name.
fn tags<'d>(component: &'d str, discriminator: &'d Discriminator) -> impl Iterator<Item = &'d str> {
    let mapped = discriminator.mapping.iter().filter(move |(_, target)| {
        target.value.strip_prefix(SCHEMAS).unwrap_or(&target.value) == component
    });
    let mapped = mapped.map(|(tag, _)| tag.as_str());
    let own = discriminator.mapping.get(component).is_none();
    mapped.chain(own.then_some(component))
}

//! Writes an example for each public item, with values from the examples in the document. If the document has no example value, the
//! value is an argument of the example, so that it still compiles. The documentation tests of the client crate compile all
//! examples.

use super::{
    Pass,
    kinds::name_of,
    requests::{Request, Setter},
};
use crate::probe::text;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Ident, Type};

/// A part of a request that a setter sets.
pub(super) struct Setting<'r> {
    pub(super) name: &'r Ident,
    target: &'r Type,
    /// The example value in the document.
    value: Option<TokenStream>,
    required: bool,
    deprecated: bool,
}

/// Returns whether every request must set this part.
pub(super) fn is_required(setting: &Setting<'_>) -> bool {
    setting.required
}

/// Returns whether the example of a whole request sets this part.
pub(super) fn is_typical(setting: &Setting<'_>) -> bool {
    !setting.deprecated && (setting.required || setting.value.is_some())
}

impl Pass<'_> {
    fn settings<'r>(&'r self, request: &'r Request<'_>) -> impl Iterator<Item = Setting<'r>> {
        let parameter = |setter: &'r Setter<'_>| {
            let (parameter, target) = (setter.parameter, &setter.target);
            let json = parameter.json();
            let examples = json.map_or(&parameter.examples, |media| &media.examples);
            Setting {
                name: &setter.name,
                target,
                value: self.value_for_setter(examples, parameter.value(), target),
                required: parameter.required,
                deprecated: parameter.deprecated,
            }
        };
        let body = request.body.as_ref().map(|body| {
            let media = body.media;
            Setting {
                name: &body.name,
                target: &body.target,
                value: match body.line() {
                    Some(line) => name_of(&line)
                        .and_then(|line| self.value_of_type(&line))
                        .map(|line| quote!(vec![#line])),
                    None => {
                        self.value_for_setter(&media.examples, media.schema.as_ref(), &body.target)
                    }
                },
                required: body.required,
                deprecated: false,
            }
        });
        request.parameters.iter().map(parameter).chain(body)
    }

    /// Makes an example with a request that sets the selected parts. `keyword` is the beginning of the function around it: `fn` or
    /// `async fn`.
    pub(super) fn request_example(
        &self,
        request: &Request<'_>,
        keyword: &str,
        is_set: impl Fn(&Setting<'_>) -> bool,
        code: impl FnOnce(TokenStream) -> TokenStream,
    ) -> String {
        let method = &request.method;
        self.example_of_values(request, keyword, is_set, |names, values| {
            code(quote!(client.#method()#(.#names(#values))*))
        })
    }

    /// Makes an example of an expression with a value for everything that the operation requires.
    pub(super) fn complete_example(
        &self,
        request: &Request<'_>,
        code: impl FnOnce(&[TokenStream]) -> TokenStream,
    ) -> String {
        self.example_of_values(request, "async fn", is_required, |_, values| code(values))
    }

    /// Makes an example with the setters of the selected parts and their values. A value that the document does not have becomes an
    /// argument.
    fn example_of_values(
        &self,
        request: &Request<'_>,
        keyword: &str,
        is_set: impl Fn(&Setting<'_>) -> bool,
        code: impl FnOnce(&[&Ident], &[TokenStream]) -> TokenStream,
    ) -> String {
        let (mut names, mut values, mut arguments) = (Vec::new(), Vec::new(), String::new());
        for setting in self.settings(request).filter(is_set) {
            let Setting { name, target, .. } = setting;
            names.push(name);
            values.push(setting.value.unwrap_or_else(|| {
                arguments.push_str(&format!(", {name}: {}", text(target)));
                name.to_token_stream()
            }));
        }
        let library = self.library;
        let before = format!(
            "{keyword} example(client: &{library}::Client{arguments}) -> Result<(), Box<dyn std::error::Error>> {{"
        );
        self.example_code(&before, &code(&names, &values), "Ok(())\n}")
    }

    /// Makes an example that runs without arguments and may return an error.
    pub(super) fn fallible_example(&self, code: &TokenStream) -> String {
        self.example_code("", code, "Ok::<(), Box<dyn std::error::Error>>(())")
    }

    /// Makes an example with an argument of this type, because the document has no value for it.
    pub(super) fn example_with_argument(
        &self,
        target: &impl ToTokens,
        code: &TokenStream,
    ) -> String {
        let before = format!("fn example(value: {}) {{", text(target));
        self.example_code(&before, code, "}")
    }

    /// Makes an example for a type, if the document has an example value for it.
    pub(super) fn type_example(&self, ident: &Ident) -> String {
        let example = self.value_of_type(ident).map(|value| {
            self.fallible_example(&quote! {
                let value: types::#ident = #value;
                println!("{value:?}");
            })
        });
        example.unwrap_or_default()
    }

    /// Returns the code block for the documentation. Rustdoc hides the lines of `before` and `after`.
    pub(super) fn example_code(&self, before: &str, code: &TokenStream, after: &str) -> String {
        let Some(shown) = formatted(code) else {
            return String::new();
        };
        let mut lines = vec!["```".to_owned()];
        for (usage, import) in [("types::", "types"), (" Client::builder", "Client")] {
            if before.contains(usage) || shown.contains(usage) {
                lines.extend([format!("use {}::{import};", self.library), String::new()]);
            }
        }
        lines.extend(before.lines().map(|line| format!("# {line}")));
        lines.push(shown);
        lines.extend(after.lines().map(|line| format!("# {line}")));
        lines.push("```".to_owned());
        lines.join("\n")
    }
}

/// Formats statements like hand-written code.
fn formatted(code: &TokenStream) -> Option<String> {
    let file: syn::File = syn::parse2(quote!(fn example() { #code })).ok()?;
    let text = prettyplease::unparse(&file);
    let inside = text.strip_prefix("fn example() {\n")?.trim_end();
    let lines = inside.strip_suffix('}')?.lines();
    let lines = lines.map(|line| line.strip_prefix("    ").unwrap_or(line));
    Some(lines.collect::<Vec<_>>().join("\n").trim_end().to_owned())
}

//! Plans request parameters and response headers, whose values are sent as strings, and operations that return
//! pages.

use super::{
    Planner, has_text,
    ir::{Field, Home, Presence, Ty},
    is_text, list_of,
    object::presence,
    value,
};
use crate::{
    docs::Docs,
    names::{Names, pascal},
    rules,
};
use openapi_dropshot_contract::model::{
    Header, Node, Operation, Parameter, ParameterIn, Schema, Spanned, Type, is_token,
};

/// The struct for the parameters in one location, or for the headers of one response.
#[derive(Clone, Debug)]
pub(crate) struct Fields {
    /// The name of the struct.
    pub(crate) name: String,
    pub(crate) docs: Docs,
    pub(crate) fields: Vec<Field>,
    /// The pages, if these are the query parameters of an operation that returns pages.
    pub(crate) pages: Option<Pages>,
}

impl Fields {
    /// Whether no member is required.
    pub(crate) fn are_optional(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.all(|field| matches!(field.presence, Presence::Optional))
    }
}

/// The facts about pages that dropshot needs.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// The name of the struct that derives the schema.
    pub(crate) described: String,
    /// The names of the parameters that a request for the first page must contain.
    pub(crate) first: Vec<String>,
}

impl<'a> Planner<'a> {
    /// Plans the parameters of an operation in one location.
    pub(super) fn parameters(
        &mut self,
        operation: &'a Operation,
        place: ParameterIn,
        type_name: &str,
    ) -> Option<(ParameterIn, Fields)> {
        let mut parameters = operation.parameters.iter();
        if parameters.all(|parameter| parameter.location != place) {
            return None;
        }
        let (what, suffix) = match place {
            ParameterIn::Path => ("Path parameters", "Path"),
            ParameterIn::Query => ("Query parameters", "Query"),
            ParameterIn::Header => ("Header parameters", "Headers"),
            ParameterIn::Cookie => ("Cookies", "Cookies"),
        };
        let name = self.names.claim(&format!("{type_name}{suffix}"));
        let mut names = Names::default();
        let mut fields = Vec::new();
        for parameter in &operation.parameters {
            if parameter.location == place {
                self.check_other_places(operation, parameter);
                fields.extend(self.parameter(&mut names, parameter, type_name));
            }
        }
        let id = operation.id.as_ref().map_or("", |id| &id.value);
        let first = match place {
            ParameterIn::Query => self.first_page(operation),
            _ => None,
        };
        let fields = Fields {
            pages: first.map(|first| Pages {
                described: self.names.claim(&format!("{name}Described")),
                first,
            }),
            name,
            docs: Docs::own(format!("{what} of `{id}`.")),
            fields,
        };
        Some((place, fields))
    }

    /// Rejects a query parameter with the name of a path parameter.
    fn check_other_places(&mut self, operation: &'a Operation, parameter: &'a Parameter) {
        let is_in_path = |other: &&Parameter| {
            other.location == ParameterIn::Path && other.name.value == parameter.name.value
        };
        if parameter.location == ParameterIn::Query
            && let Some(other) = operation.parameters.iter().find(is_in_path)
        {
            let name = &parameter.name.value;
            let message =
                format!("`{name}` is also a path parameter: dropshot does not distinguish the two");
            let help = "rename the path parameter; its name does not appear in requests";
            let problem = rules::UNSUPPORTED_PARAMETER.problem(&parameter.at, message, help);
            self.problems
                .push(problem.with_related(&other.at, "the parameter of the path"));
        }
    }

    fn parameter(
        &mut self,
        names: &mut Names,
        parameter: &'a Parameter,
        type_name: &str,
    ) -> Option<Field> {
        let wire = &parameter.name.value;
        let (schema, json) = (parameter.value(), parameter.json());
        if schema.is_none() && json.is_none() {
            let message = format!("the parameter `{wire}` has no `schema`");
            let help = "describe it with `schema`, or with a `content` of `application/json`";
            self.reject(&rules::UNSUPPORTED_PARAMETER, &parameter.at, message, help);
            return None;
        }
        // If the parameter is a component, the type is named after the component, and the operations share it.
        let component = parameter.at.pointer.strip_prefix("/components/parameters/");
        let wanted = match component.filter(|name| !name.contains('/')) {
            Some(component) => pascal(component),
            None => format!("{type_name}{}", pascal(wire)),
        };
        let description = parameter.description.as_deref();
        let ty = match (schema, json) {
            (None, _) => Ty::Any,
            (Some(schema), Some(_)) => self.use_of(schema, &wanted),
            (Some(schema), None) => self.text_type(schema, &wanted, description),
        };
        let otherwise = format!("`{wire}`");
        let mut docs = match schema.filter(|_| description.is_none()) {
            Some(schema) => self.docs_of(schema, otherwise),
            None => Docs::new(description, otherwise),
        };
        if parameter.deprecated {
            docs = docs.with_note("Deprecated.");
        }
        let stability = parameter.extensions.get("x-stability-level");
        if let Some(level) = stability.and_then(Node::as_str) {
            docs = docs.with_note(format!("Stability: {level}."));
        }
        let default = schema.and_then(|schema| self.default_of(schema));
        let presence = presence(parameter.required, default);
        let field = Field::new(names, wire, docs, ty, presence);
        let Some(schema) = schema.filter(|_| json.is_none()) else {
            return Some(Field {
                own_schema: true,
                is_json: true,
                ..field
            });
        };
        if list_of(&self.items, &field.ty).is_some()
            && parameter.location == ParameterIn::Cookie
            && parameter.separator().is_none()
        {
            let message = format!("the cookie `{wire}` cannot be sent as several values");
            let help = "write `explode: false`: commas then separate the values";
            self.reject(&rules::UNSUPPORTED_PARAMETER, &parameter.at, message, help);
        }
        Some(self.text_field(field, schema, Some(parameter.separator())))
    }

    /// Plans the type of a parameter or a header. If this creates an item without a description, the item gets
    /// this description.
    fn text_type(&mut self, schema: &'a Schema, wanted: &str, description: Option<&str>) -> Ty {
        let before = self.items.len();
        self.home = Home::Parameters;
        let ty = self.use_of(schema, wanted);
        self.home = Home::Schemas;
        if schema.description.is_none()
            && let (Some(item), Some(description)) = (self.items.get_mut(before), description)
        {
            item.docs = Docs::new(Some(description), String::new());
        }
        ty
    }

    /// Completes the field for a parameter or a header. Its value is one string, which is never `null`. `separator` stands
    /// between the values of a list (`Some(None)` if each value is sent with its own name); `None` if a list cannot be sent.
    fn text_field(
        &mut self,
        field: Field,
        schema: &Schema,
        separator: Option<Option<char>>,
    ) -> Field {
        let (ty, null_text) = match field.ty {
            Ty::Nullable(inner) => (*inner, true),
            other => (other, false),
        };
        let list = list_of(&self.items, &ty);
        let several = separator.filter(|_| list.is_some_and(|of| has_text(&self.items, of, true)));
        let is_text = is_text(&self.items, &ty);
        let own_schema = several.is_some() || !is_text;
        if several.is_none() && !is_text && !has_text(&self.items, &ty, true) {
            let message = format!(
                "`{}` is not supported: an array, an object or a value of any type cannot be sent as one string here",
                field.wire
            );
            let help = match self.has_members(schema) {
                true => {
                    "write a parameter for each member; a query parameter may be an object without `minProperties`, `maxProperties`, `additionalProperties` and `allOf` of the same members, and with `required` only if the parameter is required, too"
                }
                false => {
                    "use a string, an integer, a number, a boolean, an enumeration, or an array of these"
                }
            };
            self.reject(&rules::UNSUPPORTED_PARAMETER, &schema.at, message, help);
        }
        Field {
            ty,
            null_text,
            several,
            own_schema,
            ..field
        }
    }

    /// Returns whether a schema is an object with members.
    fn has_members(&self, schema: &Schema) -> bool {
        let target = self.document.resolve(schema);
        target.is_some_and(|target| !target.properties.is_empty() || !target.all_of.is_empty())
    }

    /// Rejects parameters whose reserved characters must not be encoded, including parameters in components. The
    /// client encodes these characters, so ignoring the keyword would be a silent loss.
    pub(super) fn check_reserved(&mut self) {
        let document = self.document;
        for parameter in document.all_parameters() {
            let node = document.root.pointer(&parameter.at.pointer);
            let reserved = node.and_then(|node| node.get("allowReserved"));
            if let Some(reserved) = reserved.filter(|value| value.as_bool() == Some(true)) {
                let message = "`allowReserved: true` is not supported: the client encodes reserved characters";
                let (rule, help) = (&rules::UNSUPPORTED_ALLOW_RESERVED, "remove `allowReserved`");
                self.reject(rule, &reserved.at, message, help);
            }
        }
    }

    /// Checks everything about a parameter except its schema.
    pub(super) fn check_parameter(&mut self, parameter: &'a Parameter) {
        let plain = match parameter.location {
            ParameterIn::Query => &["form", "spaceDelimited", "pipeDelimited"][..],
            ParameterIn::Cookie => &["form"],
            ParameterIn::Path | ParameterIn::Header => &["simple"],
        };
        // An object that cannot be sent is rejected with its own message.
        let has_members = |schema: &Schema| self.has_members(schema);
        let is_deep = parameter.location == ParameterIn::Query
            && (parameter.style.as_ref()).is_some_and(|style| style.value == "deepObject")
            && parameter.schema.as_ref().is_some_and(has_members);
        if let Some(style) = &parameter.style
            && !plain.contains(&style.value.as_str())
            && !is_deep
        {
            let message = format!("`style: {}` is not supported", style.value);
            let help = format!("write `style: {}`, or remove `style`", plain[0]);
            self.reject(&rules::UNSUPPORTED_PARAMETER, &style.at, message, help);
        }
        let schema = parameter.schema.as_ref();
        let schema = schema.and_then(|schema| self.document.resolve(schema));
        if parameter.allow_empty_value && !schema.is_some_and(accepts_empty_text) {
            let message = "`allowEmptyValue` is not supported: the schema decides whether a value may be empty, and this schema does not accept an empty string";
            let help = "remove it; a string without `minLength`, `pattern`, `enum` and `format` may be empty";
            self.reject(&rules::UNSUPPORTED_PARAMETER, &parameter.at, message, help);
        }
        if let ParameterIn::Header | ParameterIn::Cookie = parameter.location {
            self.check_header_name(&parameter.name, parameter.location.as_str());
        }
    }

    /// Checks that a name can be the name of a header or a cookie.
    fn check_header_name(&mut self, name: &Spanned<String>, what: &str) {
        if !is_token(&name.value) {
            let message = format!("`{}` is not a valid {what} name", name.value);
            let help = "use letters, digits and hyphens";
            self.reject(&rules::HEADER_NAME, &name.at, message, help);
        }
    }

    /// Plans the headers of a response.
    pub(super) fn headers(
        &mut self,
        headers: &'a [Header],
        name: &str,
        docs: Docs,
    ) -> Option<Fields> {
        if headers.is_empty() {
            return None;
        }
        let struct_name = self.names.claim(name);
        let mut names = Names::default();
        let mut fields = Vec::new();
        for header in headers {
            let wire = &header.name.value;
            self.check_header_name(&header.name, "header");
            let Some(schema) = &header.schema else {
                let message = format!("the header `{wire}` has no schema");
                let help = "add a `schema`, such as `type: string`";
                self.reject(&rules::MISSING_SCHEMA, &header.at, message, help);
                continue;
            };
            let wanted = format!("{struct_name}{}", pascal(wire));
            let ty = self.text_type(schema, &wanted, None);
            let mut docs = Docs::new(header.description.as_deref(), format!("`{wire}`"));
            if header.deprecated {
                docs = docs.with_note("Deprecated.");
            }
            let presence = presence(header.required, None);
            let field = Field::new(&mut names, wire, docs, ty, presence);
            fields.push(self.text_field(field, schema, None));
        }
        Some(Fields {
            name: struct_name,
            docs,
            fields,
            pages: None,
        })
    }

    /// Returns the parameters that the first page requires, if `x-dropshot-pagination` says that the operation
    /// returns pages.
    fn first_page(&mut self, operation: &'a Operation) -> Option<Vec<String>> {
        let mark = operation.extensions.get("x-dropshot-pagination")?;
        if let Some(is_set) = mark.as_bool() {
            return is_set.then(Vec::new);
        }
        let required = mark.get("required").and_then(Node::as_array);
        let names = required.and_then(|names| {
            let names = names.iter().map(|name| name.as_str().map(str::to_owned));
            names.collect::<Option<Vec<String>>>()
        });
        if names.is_none() {
            let message =
                "`x-dropshot-pagination` does not list the parameters that the first page requires";
            let help =
                "write `x-dropshot-pagination: {required: []}`, with the names of parameters";
            self.reject(&rules::UNSUPPORTED_PAGINATION, &mark.at, message, help);
        }
        names
    }

    /// Checks that an operation that returns pages has query parameters with which pages are requested.
    pub(super) fn check_pages(&mut self, operation: &'a Operation, websocket: bool) {
        let mut parameters = operation.parameters.iter();
        let has_query = parameters.any(|parameter| parameter.location == ParameterIn::Query);
        if let Some(mark) = operation.extensions.get("x-dropshot-pagination")
            && mark.as_bool() != Some(false)
            && (websocket || !has_query)
        {
            let message = "the operation has `x-dropshot-pagination`, but does not return pages";
            let help = "add the query parameters `limit` and `page_token`, or remove the extension";
            self.reject(&rules::UNSUPPORTED_PAGINATION, &mark.at, message, help);
        }
    }
}

/// Returns whether a schema allows any string, including the empty string.
fn accepts_empty_text(schema: &Schema) -> bool {
    schema.kind() == Some(Type::String)
        && value(&schema.min_length).is_none_or(|least| least == 0)
        && schema.pattern.is_none()
        && schema.enumeration.is_none()
        && schema.format.is_none()
}

//! Creates values from a translated schema. The values are the same in each run: a small valid value, and
//! for each rule of the schema values that follow it and values that break it. The validator, not this
//! module, decides whether a value is valid.

mod scalars;

use super::schemas::{DEEPEST, Schema};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The depth to which the parts of a value are varied. Deeper parts are as small as possible.
const DEEPEST_VARIED: usize = 2;
/// The maximum number of values that are created for one schema.
const MOST: usize = 600;
/// The maximum number of values that are created for a part of a schema. Each of them is tested inside of
/// the whole value.
const MOST_OF_A_PART: usize = 48;
/// The maximum number of combinations of alternatives that are tested.
const MOST_CASES: usize = 64;

/// The name of a member that is in no document.
pub(super) const UNKNOWN: &str = "zz-not-in-the-document";

/// The keywords of all schemas that apply to a value together. References and `allOf` are followed, and
/// one alternative of each `oneOf` and `anyOf` is chosen.
#[derive(Clone, Default)]
struct Case<'d>(Vec<&'d Map<String, Value>>);

impl Schema {
    /// Returns a valid value that is as small as possible; `None` if none was found, or if every value
    /// would be infinitely deep.
    pub(crate) fn smallest(&self) -> Option<Value> {
        let valid = DEEPEST.into_iter().find_map(|deepest| {
            self.deepest.set(deepest);
            let value = self.smallest_of(&[&self.root], 0);
            value.filter(|value| self.is_valid(value))
        });
        self.deepest.set(DEEPEST[0]);
        valid.or_else(|| {
            let mut instances = self.instances().into_iter();
            instances.find(|value| self.is_valid(value))
        })
    }

    /// Returns a valid value as a service or a client would send it: with the examples and defaults of the
    /// schema, and with all properties except those with the keyword `left_out` (`readOnly` or
    /// `writeOnly`). If no such value is valid, returns a value that is as small as possible.
    pub(crate) fn example(&self, left_out: &str) -> Option<Value> {
        let example = self.example_of(&[&self.root], left_out, 0);
        let example = example.filter(|value| self.is_valid(value));
        example.or_else(|| self.smallest())
    }

    fn example_of<'d>(
        &'d self,
        schemas: &[&'d Value],
        left_out: &str,
        depth: usize,
    ) -> Option<Value> {
        let mut cases = self.cases(schemas).into_iter();
        cases.find_map(|case| self.example_of_case(&case, left_out, depth))
    }

    fn example_of_case<'d>(
        &'d self,
        case: &Case<'d>,
        left_out: &str,
        depth: usize,
    ) -> Option<Value> {
        if let Some(value) = case.examples().next().or_else(|| case.get("default")) {
            return Some(value.clone());
        }
        if case.get("enum").is_some() {
            return self.smallest_of_case(case, depth);
        }
        match case.kind() {
            "object" if depth <= DEEPEST[0] => {
                let members = case.members(|schemas, is_required| {
                    let mut cases = self.cases(schemas).into_iter();
                    let is_left_out = !is_required && cases.any(|case| case.is(left_out));
                    let example = || self.example_of(schemas, left_out, depth + 1);
                    (!is_left_out).then(example).flatten()
                });
                members.map(Value::Object)
            }
            "array" if depth <= DEEPEST[0] && case.count("minItems").unwrap_or_default() <= 1 => {
                let most = case.count("maxItems").unwrap_or(1);
                let item =
                    (most > 0).then(|| self.example_of(&case.element(0), left_out, depth + 1));
                let items: Vec<Value> = item.flatten().into_iter().collect();
                Some(items.into())
            }
            _ => self.smallest_of_case(case, depth),
        }
    }

    /// Returns the default of the schema, or of a schema to which it refers.
    pub(super) fn default(&self) -> Option<&Value> {
        let cases = self.cases(&[&self.root]);
        cases.iter().find_map(|case| case.get("default"))
    }

    /// Returns valid and invalid values, in no particular order.
    pub(super) fn instances(&self) -> Vec<Value> {
        let mut values = self.values(&[&self.root], 0);
        values.extend([
            Value::Null,
            json!(true),
            json!(0),
            json!(-1),
            json!(1.5),
            json!(""),
            json!("text"),
            json!([]),
            json!([1]),
            json!({}),
            json!({ UNKNOWN: 1 }),
        ]);
        let mut distinct = BTreeSet::new();
        values.retain(|value| distinct.insert(value.to_string()));
        values
    }

    /// Returns all combinations of alternatives for schemas that apply together.
    fn cases<'d>(&'d self, schemas: &[&'d Value]) -> Vec<Case<'d>> {
        let mut cases = Vec::new();
        let left = schemas.iter().rev().copied().collect();
        self.add_cases(Case::default(), left, &mut cases);
        cases
    }

    /// Adds the cases that begin with `case`. The schemas in `left` still have to be added.
    fn add_cases<'d>(
        &'d self,
        mut case: Case<'d>,
        mut left: Vec<&'d Value>,
        cases: &mut Vec<Case<'d>>,
    ) {
        // The limit ends the recursion for a schema that contains itself.
        if case.0.len() > 50 || cases.len() >= MOST_CASES {
            return;
        }
        let Some(schema) = left.pop() else {
            return cases.push(case);
        };
        let Some(members) = schema.as_object() else {
            return self.add_cases(case, left, cases);
        };
        case.0.push(members);
        let parts = |keyword: &str| members.get(keyword).and_then(Value::as_array).into_iter();
        let reference = members.get("$ref").and_then(Value::as_str);
        left.extend(reference.and_then(|place| self.root.pointer(place.strip_prefix('#')?)));
        left.extend(parts("allOf").flatten().rev());
        let mut alternatives = parts("oneOf").chain(parts("anyOf")).flatten().peekable();
        if alternatives.peek().is_none() {
            return self.add_cases(case, left, cases);
        }
        for alternative in alternatives {
            let left = left.iter().copied().chain([alternative]).collect();
            self.add_cases(case.clone(), left, cases);
        }
    }

    /// Returns a valid value of schemas that apply together.
    fn smallest_of<'d>(&'d self, schemas: &[&'d Value], depth: usize) -> Option<Value> {
        let mut cases = self.cases(schemas).into_iter();
        cases.find_map(|case| self.smallest_of_case(&case, depth))
    }

    fn smallest_of_case<'d>(&'d self, case: &Case<'d>, depth: usize) -> Option<Value> {
        if let Some(values) = case.get("enum") {
            let is_everywhere = |value: &&Value| {
                let mut lists = case.all("enum").filter_map(Value::as_array);
                lists.all(|list| list.contains(value))
            };
            let mut values = values.as_array().into_iter().flatten();
            return values.find(is_everywhere).cloned();
        }
        match case.kind() {
            "object" | "array" if depth > self.deepest.get() => None,
            "object" => self.object(case, depth, false).map(Value::Object),
            "array" => {
                let count = case.count("minItems").unwrap_or_default().min(20);
                self.array(case, count, depth)
            }
            _ => scalars::valid(case),
        }
    }

    /// Returns an object with only its required members, or with all members that it can have.
    fn object<'d>(
        &'d self,
        case: &Case<'d>,
        depth: usize,
        full: bool,
    ) -> Option<Map<String, Value>> {
        let mut members = case.members(|schemas, is_required| {
            let smallest = || self.smallest_of(schemas, depth + 1);
            (is_required || full).then(smallest).flatten()
        })?;
        for name in case.required() {
            members.entry(name).or_insert(Value::Null);
        }
        let others = case.schemas("additionalProperties");
        let least = usize::from(full && !others.is_empty());
        let least = least.max(case.count("minProperties").unwrap_or_default().min(20));
        let names = self.names(case, depth);
        for index in members.len()..least {
            let value = self.smallest_of(&others, depth + 1)?;
            let name = names.get(index).cloned();
            members.insert(name.unwrap_or(format!("name-{index}")), value);
        }
        Some(members)
    }

    /// Returns names that `propertyNames` allows and names that it does not allow, if it restricts the
    /// names.
    fn names<'d>(&'d self, case: &Case<'d>, depth: usize) -> Vec<String> {
        let rules = case.schemas("propertyNames");
        let names = (!rules.is_empty()).then(|| self.values(&rules, depth + 1));
        let names = names.into_iter().flatten();
        names
            .filter_map(|name| Some(name.as_str()?.to_owned()))
            .collect()
    }

    /// Returns an array with this number of items. They are distinct if they have to be.
    fn array<'d>(&'d self, case: &Case<'d>, count: usize, depth: usize) -> Option<Value> {
        if count == 0 {
            return Some(json!([]));
        }
        let first = (0..case.first().min(count))
            .map(|index| self.smallest_of(&case.element(index), depth + 1));
        let first: Vec<Value> = first.collect::<Option<_>>()?;
        let left = count - first.len();
        if left == 0 {
            return Some(first.into());
        }
        let items = case.element(first.len());
        // An item that is not allowed is still created, to test that it is rejected.
        let further = self.smallest_of(&items, depth + 1);
        let mut values = vec![further.or_else(|| first.first().cloned())?];
        if case.is("uniqueItems") {
            for value in self.values(&items, depth + 1) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        let further = values.iter().cycle().take(left);
        Some(first.iter().chain(further).cloned().collect())
    }

    /// Returns values that follow and values that break each rule of schemas that apply together.
    fn values<'d>(&'d self, schemas: &[&'d Value], depth: usize) -> Vec<Value> {
        let cases = self.cases(schemas);
        let most = if depth == 0 { MOST } else { MOST_OF_A_PART };
        let most = (most / cases.len().max(1)).max(3);
        let of_case = |case| {
            let mut values = Vec::from_iter(self.smallest_of_case(case, depth));
            if depth <= DEEPEST_VARIED {
                values.extend(case.examples().chain(case.all("default")).cloned());
                match case.kind() {
                    "object" => self.objects(case, depth, &mut values),
                    "array" => self.arrays(case, depth, &mut values),
                    _ => scalars::values(case, &mut values),
                }
            }
            values.truncate(most);
            values
        };
        cases.iter().flat_map(of_case).collect()
    }

    fn objects<'d>(&'d self, case: &Case<'d>, depth: usize, values: &mut Vec<Value>) {
        let Some(full) = self.object(case, depth, true) else {
            return;
        };
        let with = |name: &str, value: Value| {
            let mut members = full.clone();
            members.insert(name.to_owned(), value);
            Value::Object(members)
        };
        values.push(Value::Object(full.clone()));
        // The structs of serde would also accept an array of the members.
        values.push(full.values().cloned().collect());
        values.extend([json!(1), json!("text")].map(|value| with(UNKNOWN, value)));
        let mut parts = case.properties();
        for name in parts.keys() {
            let mut without = full.clone();
            without.remove(*name);
            values.push(Value::Object(without));
            values.push(with(name, Value::Null));
            values.push(with(name, json!({ UNKNOWN: [] })));
        }
        let others = case.schemas("additionalProperties");
        let other = self.smallest_of(&others, depth + 1).unwrap_or_default();
        let names = self.names(case, depth);
        values.extend(names.iter().map(|name| with(name, other.clone())));
        for count in case.counts_around(["minProperties", "maxProperties"]) {
            let members = (0..count).map(|index| (format!("name-{index}"), other.clone()));
            values.push(members.collect());
        }
        if !others.is_empty() {
            parts.insert("another", others);
        }
        for (name, schemas) in parts {
            let found = self.values(&schemas, depth + 1).into_iter();
            values.extend(found.map(|value| with(name, value)));
        }
    }

    fn arrays<'d>(&'d self, case: &Case<'d>, depth: usize, values: &mut Vec<Value>) {
        let counts = [0, 1, 2, case.first(), case.first() + 1];
        for count in case.counts_around(["minItems", "maxItems"]).chain(counts) {
            values.extend(self.array(case, count, depth));
        }
        let least = case.count("minItems").unwrap_or(1).clamp(1, 20);
        let Some(Value::Array(base)) = self.array(case, least.max(case.first()), depth) else {
            return;
        };
        for index in 1..case.first() {
            for item in self.values(&case.element(index), depth + 1) {
                let mut items = base.clone();
                items[index] = item;
                values.push(items.into());
            }
        }
        for item in self.values(&case.element(0), depth + 1) {
            let mut items = base.clone();
            items[0] = item.clone();
            values.push(Value::Array(items));
            values.push(json!([item, item]));
        }
        values.push(json!([{ UNKNOWN: null }]));
    }
}

impl<'d> Case<'d> {
    /// Returns all values of a keyword, the outermost first.
    fn all(&self, keyword: &str) -> impl Iterator<Item = &'d Value> {
        self.0.iter().filter_map(move |part| part.get(keyword))
    }

    /// Returns the outermost value of a keyword.
    fn get(&self, keyword: &str) -> Option<&'d Value> {
        self.all(keyword).next()
    }

    fn examples(&self) -> impl Iterator<Item = &'d Value> {
        let lists = self.all("examples").filter_map(Value::as_array);
        self.all("example").chain(lists.flatten())
    }

    /// Returns whether a keyword is `true` in any of the schemas.
    fn is(&self, keyword: &str) -> bool {
        self.all(keyword).any(|value| *value == true)
    }

    fn text(&self, keyword: &str) -> Option<&'d str> {
        self.get(keyword).and_then(Value::as_str)
    }

    fn count(&self, keyword: &str) -> Option<usize> {
        self.get(keyword)?.as_u64()?.try_into().ok()
    }

    /// Returns the counts at the bounds of these keywords, except counts that are too large to create.
    fn counts_around(&self, keywords: [&str; 2]) -> impl Iterator<Item = usize> + use<> {
        const LONGEST: usize = 2_000;
        let bounds = keywords.map(|keyword| self.count(keyword));
        let bounds = bounds.into_iter().flatten();
        let counts = bounds.flat_map(|bound| bound.saturating_sub(1)..=bound.saturating_add(1));
        counts.filter(|count| *count <= LONGEST)
    }

    /// Returns the schemas that a keyword contains.
    fn schemas(&self, keyword: &str) -> Vec<&'d Value> {
        self.all(keyword)
            .filter(|value| value.is_object())
            .collect()
    }

    /// Returns how many elements have separate schemas (`prefixItems`).
    fn first(&self) -> usize {
        let lists = self.all("prefixItems").filter_map(Value::as_array);
        lists.map(Vec::len).max().unwrap_or_default()
    }

    /// Returns the schemas of the element at an index.
    fn element(&self, index: usize) -> Vec<&'d Value> {
        let parts = self.0.iter().filter_map(|part| {
            let first = part.get("prefixItems").and_then(Value::as_array);
            let own = first.and_then(|first| first.get(index));
            let keywords = ["items", "unevaluatedItems"].iter();
            own.or_else(|| keywords.clone().find_map(|keyword| part.get(*keyword)))
        });
        parts.filter(|schema| schema.is_object()).collect()
    }

    /// Returns an object with the values of the properties that have one; `None` if a required property has none. `value`
    /// makes the value from the schemas of the property, and from whether it is required.
    fn members(
        &self,
        value: impl Fn(&[&'d Value], bool) -> Option<Value>,
    ) -> Option<Map<String, Value>> {
        let required = self.required();
        let mut members = Map::new();
        for (name, schemas) in self.properties() {
            let is_required = required.contains(&name);
            match value(&schemas, is_required) {
                Some(value) => drop(members.insert(name.to_owned(), value)),
                None if is_required => return None,
                None => {}
            }
        }
        Some(members)
    }

    /// Returns the properties, each with all schemas that apply to it.
    fn properties(&self) -> BTreeMap<&'d str, Vec<&'d Value>> {
        let mut properties: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let lists = self.all("properties").filter_map(Value::as_object);
        for (name, schema) in lists.flatten() {
            properties.entry(name.as_str()).or_default().push(schema);
        }
        properties
    }

    fn required(&self) -> Vec<&'d str> {
        let lists = self.all("required").filter_map(Value::as_array);
        lists.flatten().filter_map(Value::as_str).collect()
    }

    /// Returns the type, or the type that other keywords imply.
    fn kind(&self) -> &'d str {
        let listed = self.get("type").and_then(Value::as_array).into_iter();
        let mut listed = listed.flatten().filter_map(Value::as_str);
        let own = self
            .text("type")
            .or_else(|| listed.find(|kind| *kind != "null"));
        own.unwrap_or_else(|| {
            if self.get("properties").is_some() {
                "object"
            } else if self.get("items").is_some() || self.get("prefixItems").is_some() {
                "array"
            } else {
                ""
            }
        })
    }
}

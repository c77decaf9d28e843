//! Templates of paths and addresses, such as `/books/{bookId}`.

/// The names in the braces of a template.
pub fn variables(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

/// The template without the names of its variables: two paths of the same
/// shape match the same requests.
pub(crate) fn shape(template: &str) -> String {
    variables(template).fold(template.to_owned(), |shape, name| {
        shape.replacen(&format!("{{{name}}}"), "{}", 1)
    })
}

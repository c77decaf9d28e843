//! Templates of paths and addresses, such as `/books/{bookId}`.

/// The names in the braces of a template.
pub(crate) fn variables(template: &str) -> impl Iterator<Item = &str> {
    let parts = template.split('{').skip(1);
    parts.filter_map(|part| Some(part.split_once('}')?.0))
}

/// The template without the names of its variables: two paths of the same
/// shape match the same requests.
pub(crate) fn shape(template: &str) -> String {
    let mut shape = String::with_capacity(template.len());
    let mut is_inside = false;
    for character in template.chars() {
        match character {
            '{' => is_inside = true,
            '}' => is_inside = false,
            _ if is_inside => continue,
            _ => {}
        }
        shape.push(character);
    }
    shape
}

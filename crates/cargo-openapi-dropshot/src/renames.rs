//! Checks the names that the configuration gives to types of inline schemas, and lists the
//! generated names of such types.

use crate::FILE;
use anyhow::{Result, bail, ensure};
use openapi_dropshot::{InlineType, Options};
use openapi_dropshot_contract::{Document, suggest::did_you_mean};

/// Checks that each rename of the configuration names a type, and that the new name is not used by
/// another type.
pub(crate) fn check(options: &Options, inline: &[InlineType]) -> Result<()> {
    for (old, new) in &options.renames {
        let Some(ty) = inline.iter().find(|ty| ty.before_rename == *old) else {
            let known = inline.iter().map(|ty| ty.before_rename.as_str());
            let otherwise =
                "run `generate` without the entry to see the generated names of inline schemas";
            let help = did_you_mean(old, known, otherwise);
            bail!(
                "{FILE}: `[document.rename]` renames `{old}`, but no inline schema of {} has a type with this name: {help}",
                options.source
            );
        };
        ensure!(
            ty.name == *new,
            "{FILE}: `[document.rename]` renames `{old}` to `{new}`, but the generated code of {} already uses this name: choose another \
             name",
            options.source
        );
    }
    Ok(())
}

/// Returns a line for each inline schema whose type is new in these files: the name of the type and
/// the place of the schema.
pub(crate) fn new_names(
    document: &Document,
    inline: &[InlineType],
    before: &[&str],
) -> Vec<String> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let has = |text: &str, name: &str| {
        text.split(|letter| !is_of_word(letter))
            .any(|word| word == name)
    };
    let is_new = |ty: &&InlineType| !before.iter().any(|text| has(text, &ty.name));
    let line = |InlineType { pointer, name, .. }: &InlineType| {
        let at = document.root.pointer(pointer).map(|node| &node.at);
        let place = at.map_or(String::new(), |at| format!("{}:{}: ", at.line, at.column));
        format!("named   {name}: the inline schema at {place}{pointer}")
    };
    inline.iter().filter(is_new).map(line).collect()
}

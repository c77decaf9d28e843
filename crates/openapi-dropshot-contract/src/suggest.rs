//! Finds the correct word for a mistyped one.

/// The candidate that is most similar to a mistyped word.
pub fn closest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    // A longer word is not a typing mistake, and comparing many long words takes too much time.
    const MAX_LENGTH: usize = 100;
    const MAX_CANDIDATES: usize = 1000;
    if word.len() > MAX_LENGTH {
        return None;
    }
    let lower = word.to_lowercase();
    let distance = |other: &str| strsim::osa_distance(&lower, &other.to_lowercase());
    (candidates.into_iter().take(MAX_CANDIDATES))
        .filter(|candidate| {
            candidate.len() <= MAX_LENGTH && candidate.len().abs_diff(word.len()) <= word.len()
        })
        .map(|candidate| (distance(candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len().min(word.len()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the help for a word that is not one of the candidates: the closest candidate or, if none
/// is close, what to do instead.
pub fn did_you_mean<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
    otherwise: &str,
) -> String {
    match closest(word, candidates) {
        Some(close) => format!("did you mean `{close}`?"),
        None => otherwise.to_owned(),
    }
}

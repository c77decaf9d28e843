//! Draws the results of `compare` as an SVG: a group of bars for each load, with one bar for each
//! candidate, as shares of the baseline.

use super::{
    candidates::Kind,
    compare::{Row, usual_connections},
};
use clap::ValueEnum as _;
use petstore_bench::Load;

const WIDTH: usize = 1080;
const HEIGHT: usize = 360;
const MARGIN: usize = 50;
/// The height of the bar of the baseline.
const FULL: f64 = (HEIGHT - 2 * MARGIN) as f64;

/// The colours of the candidates, in the order of [`Kind`].
const COLOURS: [&str; 8] = [
    "#9aa0a6", "#d98f3e", "#e8b96f", "#4fa38a", "#8bc7a5", "#b58ac9", "#2f7ed8", "#7a5fb5",
];

/// Draws the results for one number of connections.
pub(crate) fn svg(rows: &[Row]) -> String {
    let connections = usual_connections(rows);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    svg += &text(
        MARGIN,
        20,
        &format!("requests a second, as a share of the baseline; {connections} connections"),
    );
    let candidates = Kind::value_variants().iter().zip(COLOURS);
    let measured = |kind| rows.iter().any(|row| row.candidate == kind);
    let candidates: Vec<_> = candidates.filter(|(kind, _)| measured(**kind)).collect();
    let group = (WIDTH - 2 * MARGIN) / Load::ALL.len();
    let bar = group / (candidates.len() + 1);
    for (place, load) in Load::ALL.into_iter().enumerate() {
        let left = MARGIN + place * group;
        svg += &text(left, HEIGHT - MARGIN + 16, &load.to_string());
        for (place, (kind, colour)) in candidates.iter().enumerate() {
            let row = rows.iter().find(|row| row.is(**kind, load, connections));
            let Some((row, share)) = row.and_then(|row| Some((row, row.of_baseline?))) else {
                continue;
            };
            let left = left + place * bar;
            let width = bar - 2;
            let height = (share.min(1.0) * FULL) as usize;
            let top = HEIGHT - MARGIN - height;
            let medians = row.medians.as_ref();
            let rate = medians.map_or(0.0, |medians| medians.of.requests_per_second);
            svg += &format!(
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{colour}\">\
                 <title>{kind}: {rate:.0} requests/s</title></rect>\n"
            );
            svg += &text(left, top - 4, &format!("{share:.2}"));
        }
    }
    for (place, (kind, colour)) in candidates.iter().enumerate() {
        let left = MARGIN + place * (WIDTH - MARGIN) / candidates.len();
        let top = HEIGHT - 20;
        svg += &format!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n"
        );
        svg += &text(left + 14, HEIGHT - 11, &kind.to_string());
    }
    svg + "</svg>\n"
}

/// The texts contain no characters with a special meaning in XML.
fn text(x: usize, y: usize, text: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\">{text}</text>\n")
}

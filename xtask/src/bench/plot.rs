//! Draws the results of `compare` as an SVG: a group of bars for each load, with one bar for each
//! candidate, as shares of the baseline.

use super::{candidates::Kind, compare::Row, load::LOADS};
use std::fmt::Write as _;

const CONNECTIONS: usize = 64;
const WIDTH: usize = 1080;
const HEIGHT: usize = 360;
const MARGIN: usize = 50;
/// The height of the bar of the baseline.
const FULL: f64 = (HEIGHT - 2 * MARGIN) as f64;

const CANDIDATES: [(Kind, &str); 10] = [
    (Kind::Baseline, "#9aa0a6"),
    (Kind::Actix, "#c4c7ca"),
    (Kind::Comparison, "#d98f3e"),
    (Kind::AxumRusqlite, "#e8b96f"),
    (Kind::OpenapiToRust, "#8f6b3a"),
    (Kind::Fastapi, "#4fa38a"),
    (Kind::Fastify, "#8bc7a5"),
    (Kind::AxumPostgres, "#b58ac9"),
    (Kind::Service, "#2f7ed8"),
    (Kind::ServicePostgres, "#7a5fb5"),
];

/// Draws the results for 64 connections or, if these were not measured, for the highest number of
/// connections.
pub(super) fn svg(rows: &[Row]) -> String {
    let most = rows.iter().map(|row| row.connections).max().unwrap_or(0);
    let connections = match rows.iter().any(|row| row.connections == CONNECTIONS) {
        true => CONNECTIONS,
        false => most,
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text(
        &mut svg,
        MARGIN,
        20,
        &format!("requests a second, as a share of the baseline; {connections} connections"),
    );
    let candidates = CANDIDATES.into_iter();
    let candidates: Vec<_> = candidates
        .filter(|(kind, _)| rows.iter().any(|row| row.candidate == *kind))
        .collect();
    let group = (WIDTH - 2 * MARGIN) / LOADS.len();
    let bar = group / (candidates.len() + 1);
    for (place, load) in LOADS.into_iter().enumerate() {
        let left = MARGIN + place * group;
        text(&mut svg, left, HEIGHT - MARGIN + 16, &load.to_string());
        for (place, (kind, colour)) in candidates.iter().copied().enumerate() {
            let row = rows.iter().find(|row| {
                (row.load, row.connections, row.candidate) == (load, connections, kind)
            });
            let Some((row, share)) = row.and_then(|row| Some((row, row.of_baseline?))) else {
                continue;
            };
            let left = left + place * bar;
            let height = (share.min(1.0) * FULL) as usize;
            let top = HEIGHT - MARGIN - height;
            let rate = row
                .medians
                .as_ref()
                .map_or(0.0, |medians| medians.of.requests_per_second);
            let written = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{height}\" fill=\"{colour}\">\
                 <title>{kind}: {rate:.0} requests/s</title></rect>",
                bar - 2
            );
            debug_assert!(written.is_ok(), "a String takes any text");
            text(&mut svg, left, top - 4, &format!("{share:.2}"));
        }
    }
    for (place, (kind, colour)) in candidates.iter().enumerate() {
        let left = MARGIN + place * (WIDTH - MARGIN) / candidates.len();
        let written = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>",
            HEIGHT - 20
        );
        debug_assert!(written.is_ok(), "a String takes any text");
        text(&mut svg, left + 14, HEIGHT - 11, &kind.to_string());
    }
    svg.push_str("</svg>\n");
    svg
}

/// The texts contain no characters with a special meaning in XML.
fn text(svg: &mut String, x: usize, y: usize, text: &str) {
    let written = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{text}</text>");
    debug_assert!(written.is_ok(), "a String takes any text");
}

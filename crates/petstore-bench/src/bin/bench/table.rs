//! Formats tables for readers, and the figures in them.

/// Prints a table after an empty line: the first column is aligned left, and figures are aligned
/// right. A row may have fewer cells than the head.
pub(crate) fn print(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    println!("\n{}", text(head, rows));
}

fn text(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let head = head.iter().map(ToString::to_string).collect();
    let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ")
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Formats a figure that may be missing.
pub(crate) fn or_none(figure: Option<f64>, format: fn(f64) -> String) -> String {
    figure.map_or_else(|| "-".to_owned(), format)
}

pub(crate) fn ratio(ratio: Option<f64>) -> String {
    or_none(ratio, |ratio| format!("{ratio:.2}"))
}

pub(crate) fn connections(number: usize) -> String {
    match number {
        1 => "1 connection".to_owned(),
        number => format!("{number} connections"),
    }
}

/// Formats microseconds.
pub(crate) fn latency(us: f64) -> String {
    match us {
        us if us < 1e3 => format!("{us:.0} µs"),
        us => milliseconds(us / 1e3),
    }
}

pub(crate) fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms < 100.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.0} ms"),
    }
}

/// Formats bytes.
pub(crate) fn mebibytes(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_aligned_left_and_figures_right() {
        let rows = [
            vec!["get".to_owned(), latency(7.0)],
            vec!["list".to_owned(), latency(12_345.0)],
            vec!["none".to_owned()],
        ];
        let expected = "load      p50\nget      7 µs\nlist  12.3 ms\nnone";
        assert_eq!(text(&["load", "p50"], rows), expected);
    }
}

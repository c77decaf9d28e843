//! Formats tables for readers: the first column is aligned left, and figures are aligned right.
//! Also formats the figures.

use std::fmt;

pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self {
            rows: vec![head.iter().map(|&cell| cell.to_owned()).collect()],
        }
    }

    /// Adds a row; it may have fewer cells than the head.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<String>>) {
        self.rows.push(cells.into());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => write!(f, "{cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
        }
        Ok(())
    }
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
        let mut table = Table::new(&["load", "p50"]);
        table.row(["get".to_owned(), latency(7.0)]);
        table.row(["list".to_owned(), latency(12_345.0)]);
        table.row(["none".to_owned()]);
        assert_eq!(
            table.to_string(),
            "load      p50\nget      7 µs\nlist  12.3 ms\nnone"
        );
    }
}

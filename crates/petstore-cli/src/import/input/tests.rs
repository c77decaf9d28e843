//! Tests how files are split into records.

use super::*;

fn records(name: &str, text: &[u8]) -> Result<Vec<(u64, String, bool)>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(name);
    fs::write(&path, text)?;
    let mut records = Records::open(&path, format_of(&path, None)?)?;
    let mut found = Vec::new();
    while let Some(record) = records.next()? {
        let text = String::from_utf8(record.text)?;
        found.push((record.line, text, record.is_cut));
    }
    Ok(found)
}

fn lines(name: &str, text: &[u8]) -> Vec<(u64, String)> {
    let found = records(name, text).expect("readable");
    found
        .into_iter()
        .map(|(line, text, _)| (line, text))
        .collect()
}

fn expected(lines: &[(u64, &str)]) -> Vec<(u64, String)> {
    let owned = |(line, text): &(u64, &str)| (*line, (*text).to_owned());
    lines.iter().map(owned).collect()
}

#[test]
fn empty_lines_are_counted_but_are_not_records() {
    let text = b"\xef\xbb\xbfone\r\n\r\n  \ntwo\nthree";
    let found = expected(&[(1, "one"), (4, "two"), (5, "three")]);
    assert_eq!(lines("pets.ndjson", text), found);
    assert_eq!(lines("pets.csv", text), found);
}

#[test]
fn a_newline_within_quotes_does_not_end_a_record() {
    let text = b"name\n\"a\nb\",\"say \"\"no\"\"\n\"\nc\"d\n\"\"\n";
    let found = [
        (1, "name"),
        (2, "\"a\nb\",\"say \"\"no\"\"\n\""),
        (5, "c\"d"),
        (6, "\"\""),
    ];
    assert_eq!(lines("pets.csv", text), expected(&found));
    assert_eq!(
        lines("pets.ndjson", text).len(),
        6,
        "JSON has no such quotes"
    );
}

#[test]
fn an_unclosed_quote_is_reported_with_its_line() {
    for rest in [String::new(), "x,\n".repeat(LONGEST)] {
        let text = format!("name\nRex\n\"Tom\n{rest}");
        let error = records("pets.csv", text.as_bytes()).expect_err("not closed");
        assert!(error.to_string().contains("line 3"), "{error}");
    }
}

#[test]
fn a_line_that_is_too_long_is_cut_and_the_next_line_is_complete() {
    let text = format!("{}\nshort\n", "x".repeat(3 * LONGEST));
    for name in ["pets.ndjson", "pets.csv"] {
        let found = records(name, text.as_bytes()).expect("readable");
        assert_eq!(
            (found[0].0, found[0].1.len(), found[0].2),
            (1, LONGEST, true)
        );
        assert_eq!(found[1], (2, "short".to_owned(), false));
    }
}

#[test]
fn the_fingerprint_of_an_input_file_is_the_hash_of_all_its_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pets.csv");
    fs::write(&path, "\u{feff}name\nRex\n\nTom\n").expect("written");
    let scan = super::scan(&path, Format::Csv).expect("readable");
    assert_eq!((scan.records, scan.fingerprint.length), (2, 17));
    assert_eq!(scan.fingerprint.lines, 4);
    let whole = Sha256::digest(fs::read(&path).expect("there"));
    assert_eq!(scan.fingerprint.sha256, hexadecimal(&whole));
    let again = super::scan(&path, Format::Csv).expect("readable");
    assert_eq!(again.fingerprint, scan.fingerprint);
}

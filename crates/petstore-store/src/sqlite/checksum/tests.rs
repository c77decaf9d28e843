//! Tests that each flipped bit of a backup is detected.

use super::*;

/// A file that begins like a database.
fn backup(pages: usize) -> File {
    let mut bytes = vec![7; pages * 512];
    bytes[..16].copy_from_slice(b"SQLite format 3\0");
    bytes[16..18].copy_from_slice(&512_u16.to_be_bytes());
    let mut file = tempfile::tempfile().expect("a file");
    file.write_all(&bytes).expect("written");
    file
}

/// Flips some bits of a byte, reads the checksum, and flips the bits back.
fn found_with_flipped(file: &mut File, at: u64, bits: u8) -> Option<bool> {
    let flip = |file: &mut File| {
        let mut byte = [0];
        file.seek(SeekFrom::Start(at)).expect("a place");
        file.read_exact(&mut byte).expect("a byte");
        file.seek(SeekFrom::Start(at)).expect("a place");
        file.write_all(&[byte[0] ^ bits]).expect("written");
    };
    flip(file);
    let found = read_checksum(file).expect("readable");
    flip(file);
    found
}

#[test]
fn each_flipped_bit_is_detected() {
    let mut file = backup(3);
    assert_eq!(read_checksum(&mut file).expect("readable"), Some(false));
    append(&mut file).expect("written");
    let length = file.metadata().expect("a file").len();
    assert_eq!(length, 3 * 512 + LINE);
    assert_eq!(read_checksum(&mut file).expect("readable"), Some(true));
    for at in 0..length {
        for bit in 0..8 {
            assert_eq!(
                found_with_flipped(&mut file, at, 1 << bit),
                None,
                "byte {at}, bit {bit}"
            );
        }
    }
}

#[test]
fn a_file_that_sqlite_has_changed_has_no_checksum() {
    let mut file = backup(3);
    append(&mut file).expect("written");
    for at in COUNTERS {
        file.seek(SeekFrom::Start(at as u64)).expect("a place");
        file.write_all(&8_u32.to_be_bytes()).expect("written");
    }
    assert_eq!(read_checksum(&mut file).expect("readable"), Some(false));
}

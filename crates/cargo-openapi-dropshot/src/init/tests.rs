//! Tests of the names of a new service.

use super::*;

#[test]
fn the_name_of_a_service_is_derived_from_the_title() -> Result<()> {
    for (title, name) in [
        ("Bookmarks", "bookmarks"),
        ("Book Shop (v2)", "book-shop-v2"),
        ("3 Täler -- API", "taler"),
        ("Bürgeramt", "burgeramt"),
        ("宠物", "chongwu"),
        ("API", "api"),
    ] {
        assert_eq!(name_of_title(title)?, name, "{title}");
        check_name(name)?;
    }
    let error = name_of_title("3 – 7").expect_err("no letter");
    assert!(error.to_string().contains("pass `--name`"), "{error}");
    for name in ["", "Shop", "3d", "a_b", "a-", "a--b", "-a"] {
        assert!(check_name(name).is_err(), "{name}");
    }
    Ok(())
}

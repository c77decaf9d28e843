//! Tests of the sources of the toolkit.

use super::*;

#[test]
fn the_relative_path_between_two_folders_is_computed() {
    for (from, to, path) in [
        ("/a/shop", "/a/toolkit/crates", "../toolkit/crates"),
        ("/a/shop", "/a/shop/vendor", "vendor"),
        ("/a", "/b", "../b"),
        ("/a", "/a", "."),
    ] {
        let found = relative(Path::new(from), Path::new(to));
        assert_eq!(found, Path::new(path), "{from} to {to}");
    }
}

#[test]
fn the_toolkit_option_accepts_a_version_a_git_url_or_a_folder() -> Result<()> {
    let own = env!("CARGO_PKG_VERSION");
    for (text, dependency) in [
        (None, format!("version = {own:?}")),
        (Some("1.4"), "version = \"1.4\"".to_owned()),
        (Some("=1.4.0"), "version = \"=1.4.0\"".to_owned()),
        (
            Some("https://git.example/toolkit"),
            "git = \"https://git.example/toolkit\"".to_owned(),
        ),
    ] {
        let toolkit = Toolkit::parse(text, Path::new("."))?;
        assert_eq!(toolkit.dependency("openapi-dropshot-types", ""), dependency);
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(1);
    let crates = crates
        .expect("a folder of crates")
        .to_string_lossy()
        .into_owned();
    let expected = format!("path = \"{crates}/openapi-dropshot-types\"");
    for folder in [crates.clone(), format!("{crates}/..")] {
        let toolkit = Toolkit::parse(Some(&folder), Path::new("."))?;
        assert_eq!(toolkit.dependency("openapi-dropshot-types", ""), expected);
    }
    for (folder, part) in [("no/such/folder", "is not a version"), ("src", "no folder")] {
        let error = Toolkit::parse(Some(folder), Path::new(".")).expect_err(folder);
        assert!(error.to_string().contains(part), "{error}");
    }
    Ok(())
}

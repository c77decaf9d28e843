//! The rules of the gates and of the configuration, each with its meaning, its remedy and examples. The code that reports a rule
//! refers to its declaration.

use openapi_dropshot_contract::{Profile, Rule, Severity};

openapi_dropshot_contract::rules! {
    CONFIGURATION Error General "configuration" "`openapi-dropshot.toml` has an unknown key or an invalid value."
        "Correct the key or the value; `cargo openapi-dropshot schema` prints all keys with their meaning."
        Words "`releses = \"spec/released\"`"
            "`releases = \"spec/released\"`";
    STALE_CODE Error General "stale-code" "A generated file is missing, differs from what the generator writes for the document, or is no longer generated."
        "Run `generate`, and do not edit generated files: change the document."
        Words "a line added by hand to a file in a folder of `[document.generate]`"
            "the folder as `generate` leaves it"
        configuration "Without the table `[document.generate]`, no code is generated, and the gate `generated` does not run.";
    ACCEPTED_BREAK Error General "accepted-break" "An entry of `accepted-breaks.toml` is invalid, has no reason, or does not match any change."
        "Correct or remove the entry."
        Words "an entry whose `rule` is `request-parameter-max-decresed`"
            "an entry as `check` prints it, with a reason";
    RELEASED_DOCUMENT Error General "released-document" "A file in the folder of releases is not a released document, or cannot be read."
        "Restore the file from version control; `release` writes the files of this folder."
        Words "`released/1.0.0.yaml` with `version: 1.0.1`, or a file `released/notes.txt`"
            "`released/1.0.0.yaml` with `version: 1.0.0`"
        configuration "`releases` in `openapi-dropshot.toml` names the folder.";
    FROZEN_DOCUMENT Error General "frozen-document" "A released document was edited or removed, or has no checksum in the file `SHA256SUMS` of its folder. Without that file, this is \
                  a warning. In a git repository, the folder is also compared with HEAD."
        "Restore the released text from version control, and make the change in the document itself; `release` writes the checksums."
        Words "`released/1.0.0.yaml` with a corrected description"
            "`released/1.0.0.yaml` as it was released, and the correction in the document"
        configuration "`releases` in `openapi-dropshot.toml` names the folder. `check --since REVISION` compares with a git revision other than HEAD. The rule cannot be switched off.";
    CHANGELOG_FORM Error General "changelog-form" "The changelog is missing, does not begin with the section Unreleased, or has a section or a group that is not in the form of \
                  Keep a Changelog."
        "Write the section or the group as the message describes."
        Words "`## 1.1.0` without a day, or `### Improved`"
            "`## 1.1.0 - 2026-11-20`, or `### Changed`"
        configuration "`changelog` in `openapi-dropshot.toml` names the file, which does not have to be in the root folder. The rule can also be configured there:\n\n\
                        ```toml\n[document.rules]\nchangelog-form = { level = \"off\", reason = \"The changelog has another form.\" }\n```";
    CHANGELOG_ENTRY Error General "changelog-entry" "A change since the newest release has no entry in the section Unreleased of the \
                  changelog. For an added or removed property or parameter, the entry must also contain its name."
        "Add an entry that names the operation (by method and path, or by its id) or the component, and also the property or the parameter."
        Words "a new parameter of `GET /things`, and no entry that names `GET /things`"
            "the same with the entry `- GET /things has the parameter limit.`"
        configuration "`changelog` in `openapi-dropshot.toml` names the file, which does not have to be in the root folder. The rule can also be configured there:\n\n\
                        ```toml\n[document.rules]\nchangelog-entry = { level = \"off\", reason = \"The release notes are written elsewhere.\" }\n```";
    CHANGELOG_ENTRY_LOST Error General "changelog-entry-lost" "An entry that an earlier commit has in the section Unreleased is no longer in any section."
        "Put the entry back. If the change that it describes was undone, switch the rule off or to a warning until that is merged."
        Words "Unreleased had an entry about a fixed bug, and has no similar entry now"
            "the entry with other words, or in the section of a new release"
        configuration "`check --since REVISION` compares with a git revision other than HEAD. In `openapi-dropshot.toml`:\n\n\
                        ```toml\n[document.rules]\nchangelog-entry-lost = { level = \"warn\", reason = \"The export was taken back.\" }\n```";
    VERSION Error General "version" "`info.version`, or a version in `Cargo.toml`, is not the version of the newest release. `Cargo.toml` may also have a greater version that ends in `-dev`, so that programs built after a release can be distinguished from the release."
        "Write the version of the newest release; `release` changes all versions together."
        Words "`version: 1.2.0` in the document, while the newest release is 1.1.0"
            "`version: 1.1.0` until the next release, and in `Cargo.toml` also `1.2.0-dev`"
        configuration "With `cargo-version = false` in `openapi-dropshot.toml`, `Cargo.toml` is not compared.";
    RELEASE_WITHOUT_SECTION Error General "release-without-section" "A released document has no section in the changelog."
        "Add the section, with the day and the changes of that release."
        Words "`released/1.1.0.yaml` exists, and the changelog has no section `## 1.1.0 - …`"
            "the same with the section";
    SECTION_WITHOUT_RELEASE Error General "section-without-release" "The changelog has a section for a version that is newer than the newest released document."
        "Move the entries back to Unreleased, and run `release` with the version."
        Words "`## 1.2.0 - 2026-12-01`, while the newest released document is 1.1.0"
            "the same entries under `## Unreleased`";
    SUNSET_NEAR Warning General "sunset-near" "The sunset of an operation is at most 180 days away."
        "Make sure that no client calls the operation any more, and tell the clients that still do."
        Words "`x-sunset: 2030-12-05` on 2030-07-01"
            "`x-sunset: 2030-12-05` on 2030-01-01"
        configuration "`check --today` sets the day. A warning does not fail the gate.";
    SUNSET_PASSED Error General "sunset-passed" "The sunset of an operation has been reached, but the document still has the operation."
        "Remove the operation and the code that implements it, or write a later day in `x-sunset`."
        Words "`x-sunset: 2030-12-05` on 2030-12-05"
            "`x-sunset: 2030-12-05` on 2030-12-04"
        configuration "`check --today` sets the day.";
    REMOVED_OPERATION_IN_USE Error General "removed-operation-in-use" "An operation was removed since the newest release, and the export of the usage says that it was called in the last 30 days. This is \
                  checked with `check --usage FILE` only."
        "Keep the operation until no client has called it for 30 days, and tell the clients that still do."
        Words "an operation was removed, its `last_seen` in the export is 2030-12-01, and the check runs on 2030-12-05"
            "the same check on 2030-12-31"
        configuration "`check --usage FILE` reads the export, and `--today` sets the day. A service on `openapi-dropshot-server` writes the export with \
                        `UsageReport::to_json`.";
    REMOVED_OPERATION_UNKNOWN_USAGE Warning General "removed-operation-unknown-usage" "An operation was removed since the newest release, and the usage export does not tell whether it was called in the last 30 \
                  days: it does not contain the operation, it is older than 7 days, or the calls have been counted for less than 30 days."
        "Export the usage again after the calls of the deprecated operation have been counted for 30 days."
        Words "the removal of an operation that was not deprecated, so that its calls were not counted"
            "the removal of an operation with `days_without_calls: 30` in an export of today"
        configuration "`check --usage FILE` reads the export, and `--today` sets the day. A warning does not fail the gate.";
    NO_DOCUMENT Error General "no-document" "A gate could not run because the document has errors."
        "Correct the problems that the gate `document` reports."
        Words "a document with a syntax error"
            "a document that can be read";
    NOT_RUN Error General "not-run" "A gate could not run because of an error outside of the document, such as a file that cannot be read."
        "Correct the cause that the message names, and run the gates again."
        Words "a folder of generated code that cannot be listed"
            "a folder that can be listed";
}

/// Whether the severity of a rule cannot be lowered, because OpenAPI itself has the same rule.
pub(crate) fn is_fixed(rule: &Rule) -> bool {
    let is_of_openapi = rule.severity == Severity::Error && rule.profile == Profile::General;
    is_of_openapi && rule.configuration.is_none()
}

/// Whether the gate `breaking` treats a change as breaking although the comparison reports it as INFO, like oasdiff. These are
/// changes after which a client that recognises an error by its status gets another error, or none.
pub(crate) fn is_raised(rule: &str) -> bool {
    rule == "response-non-success-status-removed"
}

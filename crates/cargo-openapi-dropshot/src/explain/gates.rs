//! The rules of the gates themselves, and of the configuration.

use super::Declared;
use openapi_dropshot::UNFILLED;
use openapi_dropshot_contract::Severity::{Error, Warning};

const FIXED: &str = "The rule cannot be switched off.";

pub(crate) const RULES: &[Declared] = &[
    Declared {
        id: "configuration",
        severity: Error,
        meaning: "`openapi-dropshot.toml` has a key that does not exist, or a value that cannot be used.",
        remedy: "Correct the key or the value; `cargo openapi-dropshot schema` prints all keys with their meaning.",
        breaks: "`releses = \"spec/released\"`",
        keeps: "`releases = \"spec/released\"`",
        configuration: FIXED,
    },
    Declared {
        id: UNFILLED,
        severity: Warning,
        meaning: "The server responds with an error by itself, such as 400 to a parameter that is not valid, but the document gives that status \
                  a body that the server cannot write: it requires a member that only a handler knows. The server sends the other members.",
        remedy: "Require only what the server knows: strings for a message, a code (`code`, `error`, `error_code`, `errorCode` or `type`) \
                 and the id of the request (`request_id` or `requestId`), and a number for the status (`status`, `status_code` or `statusCode`). \
                 Other members can be optional.",
        breaks: "a response `400` whose body has the members `message` and `details`, both required",
        keeps: "a response `400` whose body has the members `message` and `details`, with `message` alone required",
        configuration: "In `openapi-dropshot.toml`, `level` is `off`, `warn` or `error`:\n\n\
                        ```toml\n[document.rules]\nunfilled-error-body = { level = \"off\", reason = \"Why this document is an exception.\" }\n```\n",
    },
    Declared {
        id: "stale-code",
        severity: Error,
        meaning: "A generated file differs from what the generator writes for the document, is missing, or is no longer generated.",
        remedy: "Run `generate`, and do not edit generated files: change the document.",
        breaks: "a line added by hand to a file in a folder of `[document.generate]`",
        keeps: "the folder as `generate` leaves it",
        configuration: "Without the table `[document.generate]`, no code is generated, and the gate `generated` does not run.",
    },
    Declared {
        id: "accepted-break",
        severity: Error,
        meaning: "An entry of `accepted-breaks.toml` has a mistake, has no reason, or accepts no change.",
        remedy: "Correct the entry, or remove it.",
        breaks: "an entry whose `rule` is `request-parameter-max-decresed`",
        keeps: "an entry as `check` prints it, with a reason",
        configuration: FIXED,
    },
    Declared {
        id: "released-document",
        severity: Error,
        meaning: "A file in the folder of releases is not a released document, or cannot be read.",
        remedy: "Restore the file from version control; `release` writes the files of this folder.",
        breaks: "`released/1.0.0.yaml` with `version: 1.0.1`, or a file `released/notes.txt`",
        keeps: "`released/1.0.0.yaml` with `version: 1.0.0`",
        configuration: "`releases` in `openapi-dropshot.toml` names the folder.",
    },
    Declared {
        id: "frozen-document",
        severity: Error,
        meaning: "A released document was edited or removed, or has no checksum in the file `SHA256SUMS` of its folder. Without that file, this is \
                  a warning.",
        remedy: "Restore the released text from version control, and make the change in the document itself; `release` writes the checksums.",
        breaks: "`released/1.0.0.yaml` with a corrected description",
        keeps: "`released/1.0.0.yaml` as it was released, and the correction in the document",
        configuration: "`releases` in `openapi-dropshot.toml` names the folder. The rule cannot be switched off.",
    },
    Declared {
        id: "changelog-form",
        severity: Error,
        meaning: "The changelog is missing, does not begin with the section Unreleased, or has a section or a group that is not in the form of \
                  Keep a Changelog.",
        remedy: "Write the section or the group as the message says.",
        breaks: "`## 1.1.0` without a day, or `### Improved`",
        keeps: "`## 1.1.0 - 2026-11-20`, or `### Changed`",
        configuration: "`changelog` in `openapi-dropshot.toml` names the file, which need not be the one at the root. There, too:\n\n\
                        ```toml\n[document.rules]\nchangelog-form = { level = \"off\", reason = \"The changelog has another form.\" }\n```",
    },
    Declared {
        id: "changelog-entry",
        severity: Error,
        meaning: "A change since the newest release has no entry in the section Unreleased of the changelog. For a property or a parameter that comes or \
                  goes, the entries have its name, too.",
        remedy: "Add an entry that names the operation, by method and path or by its id, or the component; and the property or the parameter.",
        breaks: "a new parameter of `GET /things`, and no entry that names `GET /things`",
        keeps: "the same with the entry `- GET /things has the parameter limit.`",
        configuration: "`changelog` in `openapi-dropshot.toml` names the file, which need not be the one at the root. There, too:\n\n\
                        ```toml\n[document.rules]\nchangelog-entry = { level = \"off\", reason = \"The release notes are written elsewhere.\" }\n```",
    },
    Declared {
        id: "changelog-entry-lost",
        severity: Error,
        meaning: "An entry of the section Unreleased that an earlier commit has is in no section any more.",
        remedy: "Put the entry back; if what it describes was undone, switch the rule off or to a warning until that is merged.",
        breaks: "Unreleased had an entry about a fixed bug, and has no similar entry now",
        keeps: "the entry with other words, or in the section of a new release",
        configuration: "`check --since REVISION` compares with a git revision other than HEAD. In `openapi-dropshot.toml`:\n\n\
                        ```toml\n[document.rules]\nchangelog-entry-lost = { level = \"warn\", reason = \"The export was taken back.\" }\n```",
    },
    Declared {
        id: "version",
        severity: Error,
        meaning: "`info.version`, or a version of `Cargo.toml`, is not that of the newest release. `Cargo.toml` may also have a greater version that ends in `-dev`, so that programs that are built after a release show that they are not the release.",
        remedy: "Write the version of the newest release; `release` changes all versions together.",
        breaks: "`version: 1.2.0` in the document, while the newest release is 1.1.0",
        keeps: "`version: 1.1.0` until the next release, and in `Cargo.toml` also `1.2.0-dev`",
        configuration: "With `cargo-version = false` in `openapi-dropshot.toml`, `Cargo.toml` is not compared.",
    },
    Declared {
        id: "release-without-section",
        severity: Error,
        meaning: "A released document has no section in the changelog.",
        remedy: "Add the section, with the day and the changes of that release.",
        breaks: "`released/1.1.0.yaml` exists, and the changelog has no section `## 1.1.0 - …`",
        keeps: "the same with the section",
        configuration: FIXED,
    },
    Declared {
        id: "section-without-release",
        severity: Error,
        meaning: "The changelog has a section of a version that is newer than the newest released document.",
        remedy: "Leave the changes under Unreleased, and run `release` with the version.",
        breaks: "`## 1.2.0 - 2026-12-01`, while the newest released document is 1.1.0",
        keeps: "the same entries under `## Unreleased`",
        configuration: FIXED,
    },
    Declared {
        id: "sunset-near",
        severity: Warning,
        meaning: "The sunset of an operation is at most 180 days away.",
        remedy: "Make sure that nobody calls the operation any more, and tell those who do.",
        breaks: "`x-sunset: 2030-12-05` on 2030-07-01",
        keeps: "`x-sunset: 2030-12-05` on 2030-01-01",
        configuration: "`check --today` sets the day. A warning does not fail the gate.",
    },
    Declared {
        id: "sunset-passed",
        severity: Error,
        meaning: "The sunset of an operation has come, and the document still has the operation.",
        remedy: "Remove the operation and the code that implements it, or write a later day in `x-sunset`.",
        breaks: "`x-sunset: 2030-12-05` on 2030-12-05",
        keeps: "`x-sunset: 2030-12-05` on 2030-12-04",
        configuration: "`check --today` sets the day.",
    },
    Declared {
        id: "removed-operation-in-use",
        severity: Error,
        meaning: "An operation was removed since the newest release, and the export of the usage says that it was called in the last 30 days. This is \
                  checked with `check --usage FILE` only.",
        remedy: "Keep the operation until nobody has called it for 30 days, and tell those who still do.",
        breaks: "the removal of an operation whose `last_seen` in the export is 2030-12-01, on 2030-12-05",
        keeps: "the same on 2030-12-31",
        configuration: "`check --usage FILE` reads the export, and `--today` sets the day. A service on `openapi-dropshot-server` writes the export with \
                        `UsageReport::to_json`.",
    },
    Declared {
        id: "removed-operation-unknown-usage",
        severity: Warning,
        meaning: "An operation was removed since the newest release, and the export of the usage does not tell whether it was called in the last 30 \
                  days: it does not contain the operation, is older than 7 days, or the calls are counted for less than 30 days.",
        remedy: "Make the export again when the calls of the deprecated operation were counted for 30 days.",
        breaks: "the removal of an operation that was not deprecated, so that nobody counted its calls",
        keeps: "the removal of an operation with `days_without_calls: 30` in an export of today",
        configuration: "`check --usage FILE` reads the export, and `--today` sets the day. A warning does not fail the gate.",
    },
    Declared {
        id: "no-document",
        severity: Error,
        meaning: "A gate could not run because the document has errors.",
        remedy: "Correct what the gate `document` reports.",
        breaks: "a document with a syntax error",
        keeps: "a document that can be read",
        configuration: FIXED,
    },
    Declared {
        id: "not-run",
        severity: Error,
        meaning: "A gate could not run because of an error outside of the document, such as a file that cannot be read.",
        remedy: "Correct the cause that the message names, and run the gates again.",
        breaks: "a folder of generated code that cannot be listed",
        keeps: "a folder that can be listed",
        configuration: FIXED,
    },
];

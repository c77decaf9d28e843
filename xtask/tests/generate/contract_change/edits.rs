//! The edits by hand that two changes of the contract require, from the document
//! to the last line that makes all tests pass.

use super::{DOCUMENT, OPERATION};
use crate::copy::Copy;
use std::collections::BTreeSet;

const CHANGELOG: &str = "CHANGELOG.md";
const STORE: &str = "crates/petstore-store/src/store.rs";
const RECORD: &str = "crates/petstore-store/src/record.rs";
const SQLITE: &str = "crates/petstore-store/src/sqlite/mod.rs";
const SQLITE_ORDERS: &str = "crates/petstore-store/src/sqlite/orders.rs";
const SQLITE_SCHEMA: &str = "crates/petstore-store/src/sqlite/schema.rs";
const SQLITE_MIGRATION: &str =
    "crates/petstore-store/src/sqlite/migrations/0008_nicknames_of_pets.sql";
const SQLITE_RELEASED: &str = "crates/petstore-store/tests/suite/sqlite/released/schema_7.sql";
const SQLITE_UNRELEASED: &str = "crates/petstore-store/tests/suite/sqlite/released/schema_8.sql";
const POSTGRES: &str = "crates/petstore-store/src/postgres/mod.rs";
const POSTGRES_PETS: &str = "crates/petstore-store/src/postgres/pets.rs";
const POSTGRES_SCHEMA: &str = "crates/petstore-store/src/postgres/schema.rs";
const POSTGRES_MIGRATION: &str =
    "crates/petstore-store/src/postgres/migrations/0006_nicknames_of_pets.sql";
const SERVICE: &str = "crates/petstore-server/src/service/mod.rs";
const SERVICE_TESTS: &str = "crates/petstore-server/tests/e2e/pets.rs";
const SERVICE_TEST_STORE: &str = "crates/petstore-server/tests/support/faulty.rs";

/// One edit of a file.
pub(super) enum Edit {
    /// Replaces the first text by the second.
    Replace(&'static str, &'static str, &'static str),
    /// Adds a file with this text.
    Add(&'static str, &'static str),
    /// Adds a file that is another one with some texts replaced.
    AddLike(
        &'static str,
        &'static str,
        &'static [(&'static str, &'static str)],
    ),
}

impl Edit {
    fn file(&self) -> &'static str {
        match self {
            Edit::Replace(file, ..) | Edit::Add(file, _) | Edit::AddLike(file, ..) => file,
        }
    }

    fn apply(&self, copy: &Copy) {
        match self {
            Edit::Replace(file, old, new) => copy.replace(file, old, new),
            Edit::Add(file, text) => copy.write(file, text),
            Edit::AddLike(file, like, changes) => {
                copy.write(file, &copy.read(like));
                for (old, new) in *changes {
                    copy.replace(file, old, new);
                }
            }
        }
    }
}

/// Applies the edits, and returns the files that they concern.
pub(super) fn apply(copy: &Copy, edits: &[Edit]) -> BTreeSet<&'static str> {
    edits
        .iter()
        .map(|edit| {
            edit.apply(copy);
            edit.file()
        })
        .collect()
}

/// An optional member more: `nickname` of a pet.
pub(super) const NICKNAME: &[Edit] = &[
    Edit::Replace(
        DOCUMENT,
        "
        status:
          $ref: '#/components/schemas/PetStatus'
      example:
",
        "
        status:
          $ref: '#/components/schemas/PetStatus'
        nickname:
          description: What its keepers call it.
          type: string
          x-stability-level: beta
      example:
",
    ),
    Edit::Replace(
        CHANGELOG,
        "## Unreleased\n",
        "## Unreleased

### Added

- Pets have an optional `nickname` (beta), which `POST /v1/pets` (`createPet`) takes and every response with a pet returns.
  The store is brought to SQLite schema 8 and PostgreSQL schema 6 at the first start.
",
    ),
    Edit::Replace(
        RECORD,
        "        column(\"status\", \"text\"),\n",
        "        column(\"status\", \"text\"),\n        column(\"nickname\", \"bytea\"),\n",
    ),
    Edit::Replace(
        RECORD,
        "            status,\n        } = new;",
        "            status,\n            nickname,\n        } = new;",
    ),
    Edit::Replace(
        RECORD,
        "            status.map(PetStatus::as_str).into(),\n",
        "            status.map(PetStatus::as_str).into(),\n            nickname.as_deref().into(),\n",
    ),
    Edit::Replace(
        RECORD,
        "            status: row.optional(3, R::parsed)?,\n",
        "            status: row.optional(3, R::parsed)?,\n            nickname: row.optional(4, R::text)?,\n",
    ),
    Edit::Replace(
        RECORD,
        "        status,\n    } = new.clone();",
        "        status,\n        nickname,\n    } = new.clone();",
    ),
    Edit::Replace(
        RECORD,
        "        category_id,\n        status,\n    }\n}",
        "        category_id,\n        status,\n        nickname,\n    }\n}",
    ),
    Edit::Add(
        SQLITE_MIGRATION,
        "-- Schema 8: nicknames.

ALTER TABLE pets ADD COLUMN nickname TEXT;
-- As before, the index holds the whole pet.
DROP INDEX pets_by_status;
CREATE INDEX pets_by_status ON pets (
    status, id, CASE WHEN octet_length(name) <= 255 THEN name END, category_id, nickname
) WHERE status IS NOT NULL;
",
    ),
    Edit::Replace(
        SQLITE_SCHEMA,
        "0007_long_names.sql\"),\n",
        "0007_long_names.sql\"),\n    include_str!(\"migrations/0008_nicknames_of_pets.sql\"),\n",
    ),
    Edit::AddLike(
        SQLITE_UNRELEASED,
        SQLITE_RELEASED,
        &[
            ("user_version = 7", "user_version = 8"),
            (
                "END, category_id\n) WHERE status IS NOT NULL;\nALTER TABLE pets ADD COLUMN status_padding TEXT;",
                "END, category_id, nickname\n) WHERE status IS NOT NULL;\nALTER TABLE pets ADD COLUMN status_padding TEXT;\nALTER TABLE pets ADD COLUMN nickname TEXT;",
            ),
            ("'available', '');", "'available', '', NULL);"),
            ("'pending', '  ');", "'pending', '  ', NULL);"),
            ("'sold', NULL);", "'sold', NULL, NULL);"),
            ("(5, '', 0, NULL, NULL);", "(5, '', 0, NULL, NULL, NULL);"),
        ],
    ),
    Edit::Add(
        POSTGRES_MIGRATION,
        "-- Schema 6: nicknames, kept as their UTF-8 bytes as names are.

ALTER TABLE pets ADD COLUMN nickname bytea;
",
    ),
    Edit::Replace(
        POSTGRES_SCHEMA,
        "0005_limits_of_keys.sql\"),\n",
        "0005_limits_of_keys.sql\"),\n    include_str!(\"migrations/0006_nicknames_of_pets.sql\"),\n",
    ),
];

/// An operation more: `DELETE /pets/{petId}`.
pub(super) const DELETE_PET: &[Edit] = &[
    Edit::Replace(DOCUMENT, "\n  /store/orders:\n", OPERATION),
    Edit::Replace(
        CHANGELOG,
        "## Unreleased\n\n### Added\n",
        "## Unreleased

### Added

- `DELETE /v1/pets/{petId}` (`deletePet`, beta) removes a pet that was never ordered; one that was is 409 `pet_not_available`.
",
    ),
    Edit::Replace(
        STORE,
        "    /// The pet with this id, if there is one.\n",
        "    /// Deletes a pet that was never ordered. On `Ok(Ok(()))` that is durable.
    async fn delete_pet(&self, id: i64) -> Result<Result<(), NotDeleted>, StoreError>;

    /// The pet with this id, if there is one.\n",
    ),
    Edit::Replace(
        STORE,
        "/// A page of pets.\n",
        "/// Why a pet was not deleted; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotDeleted {
    /// There is no pet with this id.
    NoPet,
    /// There are orders for it.
    Ordered,
}

/// A page of pets.\n",
    ),
    Edit::Replace(
        SQLITE,
        "    async fn pet(&self, id: i64)",
        "    async fn delete_pet(&self, id: i64) -> Result<Result<(), crate::NotDeleted>, StoreError> {
        self.writer
            .write(move |db| orders::delete_pet(db, id).map_err(error::failed))
            .await
    }

    async fn pet(&self, id: i64)",
    ),
    Edit::Replace(
        SQLITE_ORDERS,
        "/// Changes the status of an order, and that of its pet.\n",
        "/// Deletes a pet that was never ordered.
pub(super) fn delete_pet(
    db: &Connection,
    id: i64,
) -> rusqlite::Result<Result<(), crate::NotDeleted>> {
    const DELETE: &str = \"DELETE FROM pets WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM orders WHERE pet_id = ?1)\";
    if db.prepare_cached(DELETE)?.execute([id])? == 1 {
        return Ok(Ok(()));
    }
    let pet: Option<Pet> = records::get(db, id)?;
    Ok(Err(pet.map_or(crate::NotDeleted::NoPet, |_| crate::NotDeleted::Ordered)))
}

/// Changes the status of an order, and that of its pet.\n",
    ),
    Edit::Replace(
        POSTGRES,
        "    async fn pet(&self, id: i64)",
        "    async fn delete_pet(&self, id: i64) -> Result<Result<(), crate::NotDeleted>, StoreError> {
        let delete = move |db: Arc<Session>| async move { pets::delete(&db, id).await };
        self.writer.write(delete).await
    }

    async fn pet(&self, id: i64)",
    ),
    Edit::Replace(
        POSTGRES_PETS,
        "async fn insert_together(",
        "/// Deletes a pet that was never ordered.
pub(super) async fn delete(
    db: &Session,
    id: i64,
) -> Result<Result<(), crate::NotDeleted>, StoreError> {
    const DELETE: &str = \"
        WITH pet AS MATERIALIZED (SELECT id FROM pets WHERE id = $1 FOR UPDATE),
        deleted AS (
            DELETE FROM pets USING pet
            WHERE pets.id = pet.id AND NOT EXISTS (SELECT FROM orders WHERE pet_id = $1) RETURNING pets.id
        )
        SELECT EXISTS (SELECT FROM pet), EXISTS (SELECT FROM deleted)\";
    let row = db.client().query_one(DELETE, &[&id]).await;
    let row = row.map_err(error::write_failed)?;
    let (was_there, is_deleted): (bool, bool) = (
        row.try_get(0).map_err(StoreError::unknown)?,
        row.try_get(1).map_err(StoreError::unknown)?,
    );
    Ok(match (was_there, is_deleted) {
        (_, true) => Ok(()),
        (true, false) => Err(crate::NotDeleted::Ordered),
        (false, false) => Err(crate::NotDeleted::NoPet),
    })
}

async fn insert_together(",
    ),
    Edit::Replace(
        SERVICE,
        "    async fn list_orders(\n",
        "    async fn delete_pet(
        rqctx: RequestContext,
        path: Path<petstore_models::DeletePetPath>,
    ) -> Result<dropshot::HttpResponseDeleted, petstore_api::DeletePetError> {
        use petstore_api::DeletePetError;
        let id = path.into_inner().pet_id;
        let deleted = rqctx.context().state().delete_pet(id).await;
        match deleted.map_err(failed::<DeletePetError>(&rqctx))? {
            Ok(()) => Ok(dropshot::HttpResponseDeleted()),
            Err(petstore_store::NotDeleted::NoPet) => Err(DeletePetError::NotFound(
                format!(\"there is no pet with the id {id}\").into(),
            )),
            Err(petstore_store::NotDeleted::Ordered) => Err(DeletePetError::PetNotAvailable(
                format!(\"the pet with the id {id} was ordered and cannot be deleted\").into(),
            )),
        }
    }

    async fn list_orders(\n",
    ),
    Edit::Replace(
        SERVICE_TEST_STORE,
        "    async fn pet(&self, id: i64)",
        "    async fn delete_pet(
        &self,
        id: i64,
    ) -> Result<Result<(), petstore_store::NotDeleted>, StoreError> {
        self.inner.delete_pet(id).await
    }

    async fn pet(&self, id: i64)",
    ),
    Edit::Replace(
        SERVICE_TESTS,
        "#[test]\nfn what_was_left_out",
        "#[test]
fn a_pet_that_was_never_ordered_is_deleted() {
    let service = Service::start();
    let pets = [\"Rex\", \"Tom\"].map(|name| service.add(name, Some(\"available\")));
    let order = json!({\"petId\": pets[1]}).to_string();
    let ordered = service.send(&Request::post(\"/v1/store/orders\", order).key(&service.key));
    assert_eq!(ordered.status, 201);
    let delete = |id: i64| {
        let request = Request::new(\"DELETE\", &format!(\"/v1/pets/{id}\"));
        let response = service.send(&request.key(&service.key));
        let code = (response.status != 204).then(|| response.json()[\"code\"].clone());
        (response.status, code)
    };
    assert_eq!(delete(pets[0]), (204, None));
    assert_eq!(delete(pets[0]), (404, Some(json!(\"not_found\"))));
    assert_eq!(delete(pets[1]), (409, Some(json!(\"pet_not_available\"))));
    let left: Vec<Value> = service.pets().iter().map(|pet| pet[\"id\"].clone()).collect();
    assert_eq!(left, [json!(pets[1])]);
}

#[test]
fn what_was_left_out",
    ),
];

-- Schema 7: a change of a pet's status does not write its name.

-- The index holds the whole pet, as before, unless its name is long; a page then
-- looks that name up in the table. The expression is that of `sqlite/pets.rs`.
DROP INDEX pets_by_status;
CREATE INDEX pets_by_status ON pets (
    status, id, CASE WHEN octet_length(name) <= 255 THEN name END, category_id
) WHERE status IS NOT NULL;

-- `status` and `status_padding` are together as long as the longest status. A row
-- that keeps its size is overwritten in place, and only those pages of it that
-- change. A row from before has no padding until its status changes.
ALTER TABLE pets ADD COLUMN status_padding TEXT;

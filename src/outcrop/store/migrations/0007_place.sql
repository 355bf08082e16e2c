-- The place of a chunk in its document has a column of its own, in which it is unique;
-- `chunk_index` is the number of the chunk within its node.
ALTER TABLE chunks ADD COLUMN place int;
UPDATE chunks SET place = chunk_index;

-- Two chunks of code could have the same place.
WITH doubtful AS (
    SELECT document_id FROM chunks GROUP BY document_id
    HAVING count(DISTINCT place) < count(*)
), numbered AS (
    SELECT id, row_number() OVER (PARTITION BY document_id
        ORDER BY place, upper(span_chars) DESC, id) - 1 AS place
    FROM chunks WHERE document_id IN (SELECT document_id FROM doubtful)
)
UPDATE chunks c SET place = numbered.place FROM numbered WHERE c.id = numbered.id;

UPDATE chunks SET chunk_index = coalesce(substring(chunk_id FROM ':(\d+)$')::int, 0)
WHERE pipeline ? 'content_key';

ALTER TABLE chunks ALTER COLUMN place SET NOT NULL;
DROP INDEX chunks_place;
CREATE INDEX chunks_place ON chunks (document_id, place);

-- Planned chunks that the stages have not filled yet.
CREATE INDEX chunks_unfilled ON chunks (application_id)
WHERE NOT indexable AND application_id IS NOT NULL;

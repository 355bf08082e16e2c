-- The code graph by application, and runs that can be followed while they go on.

-- Which application an edge was found in; NULL for MENTIONS, which come from documents.
ALTER TABLE edges ADD COLUMN application_id text COLLATE "C";

-- What was written of a node, so that one that is the same is left alone.
ALTER TABLE nodes ADD COLUMN row_hash bigint NOT NULL DEFAULT 0;

-- A node's document is known by its path, whether it is stored yet or not.
ALTER TABLE nodes DROP CONSTRAINT nodes_document_id_fkey;

-- Names may be longer than an ordered index can hold.
DROP INDEX nodes_fqn;
DROP INDEX nodes_name;
CREATE INDEX nodes_fqn ON nodes USING hash (fqn);
CREATE INDEX nodes_name ON nodes USING hash (name);

ALTER TABLE runs ADD COLUMN errors jsonb NOT NULL DEFAULT '[]';
ALTER TABLE runs ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now();

-- What each run still has to do, a row a chunk. The queue's own tables come with it.

CREATE TABLE IF NOT EXISTS run_chunks (
    run_id bigint NOT NULL,                  -- no foreign key: one check a row is slow
    chunk_id text COLLATE "C" NOT NULL,      -- the chunk may be gone by now
    priority int NOT NULL,
    stages text[] NOT NULL,                  -- all of them, in order
    done int NOT NULL,                       -- how many of them are done
    state text NOT NULL DEFAULT 'open',      -- see ledger.py
    note text,                               -- why it failed or was dropped
    PRIMARY KEY (run_id, chunk_id)
) WITH (fillfactor = 80);

-- Small, because it shrinks while the run goes on.
CREATE INDEX IF NOT EXISTS run_chunks_open ON run_chunks (run_id) WHERE state = 'open';

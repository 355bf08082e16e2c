-- What each run still has to do, a row a chunk. The queue's own tables come with it.

CREATE TABLE IF NOT EXISTS run_chunks (
    run_id bigint NOT NULL REFERENCES runs ON DELETE CASCADE,
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
CREATE INDEX IF NOT EXISTS run_chunks_taken ON run_chunks (chunk_id) WHERE state = 'open';

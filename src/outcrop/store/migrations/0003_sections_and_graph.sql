-- Sections for document search, the code graph, and the runs that built it.

CREATE TABLE sections (
    id text COLLATE "C" PRIMARY KEY,
    document_id text COLLATE "C" NOT NULL REFERENCES documents ON DELETE CASCADE,
    document_hash text NOT NULL,
    heading text NOT NULL,
    depth int NOT NULL,
    content text NOT NULL,
    token_count int NOT NULL,
    parent_id text COLLATE "C",
    "order" int NOT NULL,
    span_lines int4range NOT NULL,
    span_chars int8range NOT NULL,
    is_over_limit boolean NOT NULL DEFAULT false,
    is_dirty boolean NOT NULL DEFAULT false,
    vector vector,
    summary text,
    document_summary text,
    summary_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sections_document ON sections (document_id, depth, "order");

CREATE TABLE nodes (
    id text COLLATE "C" PRIMARY KEY,
    application_id text COLLATE "C" NOT NULL REFERENCES applications ON DELETE CASCADE,
    document_id text COLLATE "C" REFERENCES documents ON DELETE CASCADE,
    kind text NOT NULL,
    lang text NOT NULL,
    name text NOT NULL,
    package_name text NOT NULL,
    fqn text COLLATE "C" NOT NULL,
    signature text,
    doc_comment text,
    source_code text,
    file_path text COLLATE "C",
    line_start int,
    line_end int,
    start_offset bigint,
    end_offset bigint,
    annotations text[] NOT NULL DEFAULT '{}',
    visibility text NOT NULL DEFAULT 'public',
    http_method text,
    http_path text
);
CREATE INDEX nodes_application ON nodes (application_id, id);
CREATE INDEX nodes_document ON nodes (document_id);
CREATE INDEX nodes_fqn ON nodes (fqn);
CREATE INDEX nodes_name ON nodes (name);

-- `src` and `dst` are ids of nodes, of a chunk where `kind` is MENTIONS, or a qualified
-- name where `external`; so neither can be a foreign key.
CREATE TABLE edges (
    src text COLLATE "C" NOT NULL,
    dst text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    resolution text NOT NULL DEFAULT 'exact',
    confidence real NOT NULL DEFAULT 1,
    external boolean NOT NULL DEFAULT false,
    PRIMARY KEY (src, kind, dst)
);
CREATE INDEX edges_dst ON edges (dst, kind);

CREATE TABLE runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id text COLLATE "C",
    kind text NOT NULL,                      -- index, chunk-build, reembed
    strategy text,
    state text NOT NULL DEFAULT 'running',   -- running, done, failed
    parameters jsonb NOT NULL DEFAULT '{}',
    statistics jsonb NOT NULL DEFAULT '{}',
    error text,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE INDEX runs_application ON runs (application_id, id);

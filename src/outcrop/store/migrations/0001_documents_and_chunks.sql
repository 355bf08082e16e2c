-- Documents and the chunks cut from them.
--
-- Ids are text: 16 hexadecimal digits of a hash. A document's comes from its path, a
-- chunk's from the document's path and the chunk's id within the document, so the same
-- input gives the same ids on every machine.

-- One row a setting: the embedder's name and dimension, the rules of word analysis.
CREATE TABLE index_settings (
    key text PRIMARY KEY,
    value jsonb NOT NULL
);

CREATE TABLE applications (
    id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE documents (
    id text COLLATE "C" PRIMARY KEY,
    path text COLLATE "C" NOT NULL,          -- POSIX, relative to the project
    kind text NOT NULL,                      -- markdown, text, code
    lang text,
    title text,
    fingerprint text NOT NULL,               -- of content, configuration and version
    content_hash text,
    size_bytes bigint,
    modified_ns bigint,                      -- of the file, when it was indexed
    chunk_count int NOT NULL,
    summary text,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Unique because ids are. A second unique index would make writers of one document fail
-- rather than wait.
CREATE INDEX documents_path ON documents (path);

CREATE TABLE chunks (
    id text COLLATE "C" PRIMARY KEY,
    chunk_id text NOT NULL,                  -- within the document
    document_id text COLLATE "C" NOT NULL REFERENCES documents ON DELETE CASCADE,
    application_id text COLLATE "C",
    node_id text COLLATE "C",

    source text NOT NULL,                    -- doc, code, sql, log
    kind text,                               -- section, snippet, explanation, summary
    lang_detected text,

    content_raw text,                        -- before normalisation; NULL: as content
    content text NOT NULL,                   -- prefix, own text, suffix
    prefix text NOT NULL DEFAULT '',
    suffix text NOT NULL DEFAULT '',
    content_hash text,                       -- SHA-256
    search_hash text,                        -- of the text embedded and analysed
    row_hash bigint NOT NULL,                -- of what the indexer wrote
    token_count int,

    chunk_index int NOT NULL,                -- order within the document
    span_lines int4range,                    -- from 1; the upper end is exclusive
    span_chars int8range,                    -- own text, code points

    title text,
    section_path text[] NOT NULL DEFAULT '{}',
    header_level int,
    level int NOT NULL DEFAULT 0,            -- 0 document, 1 section, and so on
    parent_id text COLLATE "C",
    is_leaf boolean NOT NULL DEFAULT true,
    indexable boolean NOT NULL DEFAULT true,

    uses_md text,
    used_by_md text,

    emb vector,                              -- vector(n) once the embedder is known
    embed_model text,
    embed_ts timestamptz,

    explain_md text,
    explain_quality jsonb NOT NULL DEFAULT '{}',

    relations jsonb NOT NULL DEFAULT '[]',
    used_objects jsonb NOT NULL DEFAULT '[]',

    pipeline jsonb NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    freshness_at timestamptz,
    rank_boost real NOT NULL DEFAULT 1,

    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Long texts go out of the way of a scan over the vectors. Some room in each page, and
-- no index of what changes when text is inserted above, let a row that only moved be
-- updated without touching any index.
ALTER TABLE chunks SET (toast_tuple_target = 1600, fillfactor = 90);

CREATE INDEX chunks_document ON chunks (document_id);
CREATE INDEX chunks_parent ON chunks (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX chunks_node ON chunks (node_id) WHERE node_id IS NOT NULL;
CREATE INDEX chunks_unembedded ON chunks (id) WHERE emb IS NULL AND indexable;

-- Sections of documents: headings of level 1 to 3 with their own text. The table was
-- never filled before; the next run of the indexer fills it.

DROP TABLE sections;

CREATE TABLE sections (
    id text COLLATE "C" PRIMARY KEY,         -- of the path and the headings
    document_id text COLLATE "C" NOT NULL REFERENCES documents ON DELETE CASCADE,
    document_hash text NOT NULL,
    heading text NOT NULL,
    section_path text[] NOT NULL,            -- headings from the outside in
    depth int NOT NULL,                      -- of the heading; 0 before the first
    parent_id text COLLATE "C",
    "order" int NOT NULL,                    -- among those with the same parent
    place int NOT NULL,                      -- within the document
    content text NOT NULL,
    content_hash text NOT NULL,
    token_count int NOT NULL,
    span_lines int4range NOT NULL,           -- from 1; the upper end is exclusive
    span_chars int8range NOT NULL,           -- code points
    first_chunk int NOT NULL,                -- indexes of the leaves with its text
    last_chunk int NOT NULL,
    is_over_limit boolean NOT NULL,
    is_dirty boolean NOT NULL DEFAULT false, -- its file has changed since
    sv sparsevec(1000000000) NOT NULL,       -- code of a term -> weight
    vector vector,                           -- the mean of its chunks
    summary text,
    summary_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sections_place ON sections (document_id, place);
CREATE INDEX sections_chunks ON sections (document_id, last_chunk);

-- Exact BM25 without an extension of its own.
--
-- The document side of the formula is a sparse vector, so a query's inner product with
-- it is the score. A GIN index finds the candidates.

CREATE TABLE chunk_lex (
    chunk_id text COLLATE "C" PRIMARY KEY,
    document_id text COLLATE "C" NOT NULL,   -- as in chunks, for filters
    len int NOT NULL,                        -- terms, repetitions counted
    sv sparsevec(1000000000) NOT NULL,       -- code of a term -> weight
    tsv tsvector NOT NULL,                   -- the terms, without places
    cut boolean NOT NULL DEFAULT false       -- more terms than PostgreSQL can index
);
ALTER TABLE chunk_lex ALTER COLUMN sv SET STORAGE MAIN;

-- New rows wait in a list that every writer files away after its commit: filing a
-- batch at a time is four times cheaper than row by row.
CREATE INDEX chunk_lex_terms ON chunk_lex USING gin (tsv)
    WITH (fastupdate = on, gin_pending_list_limit = 262144);

CREATE INDEX chunk_lex_cut ON chunk_lex (chunk_id) WHERE cut;

-- In how many chunks a term is, and no less than its greatest weight in any.
CREATE TABLE lex_df (
    term text COLLATE "C" PRIMARY KEY,
    df int NOT NULL,
    maxw real NOT NULL
);

-- What has changed since lex_df was last brought up to date. Writers only add rows, so
-- they never wait for each other; the truth is the sum of both tables.
CREATE TABLE lex_delta (
    term text COLLATE "C" NOT NULL,
    df int NOT NULL,
    maxw real NOT NULL
);
CREATE INDEX lex_delta_term ON lex_delta (term);

-- How many chunks and terms each writer added; again the truth is the sum.
CREATE TABLE lex_batch (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunks int NOT NULL,
    length bigint NOT NULL,
    deltas int NOT NULL                      -- rows added to lex_delta
);

-- The average length that all weights were computed with; one row.
CREATE TABLE lex_stat (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    avgdl_pin double precision NOT NULL
);

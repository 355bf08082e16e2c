-- What each file of code said, so that a run reads only the files that have changed.
CREATE TABLE code_facts (
    application_id text COLLATE "C" NOT NULL
        REFERENCES applications (id) ON DELETE CASCADE,
    document_id text COLLATE "C" NOT NULL,
    path text NOT NULL,
    version text NOT NULL,
    digest text NOT NULL,
    -- Equal for two versions of a file with the same names and relations; empty where
    -- nothing is known of it.
    shape text NOT NULL,
    module text NOT NULL,
    facts bytea,
    PRIMARY KEY (application_id, document_id)
);
-- It is compressed already.
ALTER TABLE code_facts ALTER COLUMN facts SET STORAGE EXTERNAL;

-- A hit reads a few places of a document, which may have thousands.
CREATE INDEX chunks_place ON chunks (document_id, chunk_index);
DROP INDEX chunks_document;

-- Vectors are indexed in half precision; the next run of the indexer builds that index.
DROP INDEX IF EXISTS chunks_emb;

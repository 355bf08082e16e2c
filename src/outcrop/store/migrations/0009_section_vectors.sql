-- The mean of the vectors of a section's chunks is computed when it is needed.
ALTER TABLE sections DROP COLUMN vector;

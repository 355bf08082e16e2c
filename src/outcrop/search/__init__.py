"""Hybrid search: lexical, vector, headings, names and the code graph together.

A search turns a `Question` into hits in six steps, and each step has its own type. The
source of candidates returns `Match`es: ids with a score, by BM25 or by cosine. `gather`
reads the chunks of all matches as `Candidate`s, with everything that ranking needs but
no text. `fusion` weighs the signals and makes each a `Ranked`: a candidate with its
score and the parts of it. `passages` merges neighbouring candidates into a `Passage`: a
chunk, a split section or a section with subsections, at the rank of its best candidate.
`folding` puts passages of the same section or page into one `Place`. `hits` reads the
texts of the first places and makes each a `Hit`, which is what callers get. Where whole
sections or documents are wanted, `units` does the last three steps.
"""

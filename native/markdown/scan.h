/* The leaf blocks of a Markdown text, found line by line. */
#ifndef OUTCROP_SCAN_H
#define OUTCROP_SCAN_H

#include "starts.h"
#include "text.h"

/* These numbers are those of `Kind` and of the flags in document.py. */
enum { HEADING, PARAGRAPH, DEFINITIONS, RULE, FENCE, INDENTED_CODE, HTML, FRONT_MATTER,
       MATH, TABLE };
enum { OPENS_ITEM = 1, UNCLOSED = 2, NESTED = 4 };
enum { MAX_RANK = 62 };

/* A text nested deeper is left to the other reader, so that the work for a line is
 * bounded whatever the text. */
enum { MAX_DEPTH = 100 };

typedef enum {
    SCANNED,
    UNSURE,        /* the other reader has to say what the text means */
    NO_MEMORY,
} Outcome;

#define UNKNOWN_END ((size_t)-1)

typedef struct {
    size_t start;  /* where the line of its first character starts */
    size_t end;    /* where its text ends, or UNKNOWN_END */
    Byte kind;
    Byte rank;
    Byte flags;
} Block;

typedef struct {
    size_t start;
    size_t end;
} Span;

typedef struct {
    size_t block;
    size_t start;  /* its content: no marks and no underline */
    size_t end;
    Span source;   /* with them */
    int level;
    bool is_odd;   /* to be read by the other reader, whatever it looks like */
} Title;

typedef struct {
    Block *blocks;
    size_t count, capacity;
    Title *titles;
    size_t title_count, title_capacity;
    Span *definitions; /* link definitions outside containers */
    size_t definition_count, definition_capacity;
    bool has_nested_definitions;
} Found;

enum { QUOTE, ITEM, FOOTNOTE };

typedef struct {
    int kind;
    size_t indent;      /* columns that a line in an item starts with */
    bool is_bare;       /* an item of which only the marker has been seen */
    bool started_bare;  /* an item whose marker stands alone on its line */
} Container;

typedef struct {
    const Byte *text;
    size_t size;
    bool has_carriage_return;
    Outcome outcome;
    Found *found;
    Container stack[MAX_DEPTH];
    size_t depth;
    /* The open leaf: -1 for none, DEFINITIONS after a link definition, which what
     * follows cannot interrupt more than it could a paragraph. */
    int leaf;
    size_t leaf_block;
    size_t leaf_start;
    Fence fence;
    Html html;
    size_t floor;     /* where the last block starts */
    /* The outermost container that no block has been seen in: where it starts, how many
     * are around it, and the flags of its first block. */
    bool has_new;
    size_t new_start, new_depth;
    Byte new_flags;
    bool has_no_more_metadata;
} Scanner;

enum { NO_LEAF = -1 };

/* scan.c */

Outcome scan_blocks(const Byte *text, size_t size, Found *found);

/* The content of the line at `start` if it continues an open paragraph. */
bool peek_continuation(Scanner *scanner, size_t start, Line *line, size_t *at);

/* definitions.c */

/* Whether a link definition starts at `at`; `line` is then its last line. */
bool read_definition(Scanner *scanner, Line *line, size_t at);

/* leaves.c; what opens something returns false where the scan has to stop. */

void free_found(Found *found);
bool add_block(Found *found, Block block);

/* Add a block whose first visible character is at `at`, in the line that starts at
 * `line`. */
bool open_leaf(Scanner *scanner, int kind, size_t at, size_t line, size_t end);
Block *leaf_block(Scanner *scanner);
void close_leaf(Scanner *scanner);
bool open_heading(Scanner *scanner, const Line *line, size_t at, int level);
bool underline_paragraph(Scanner *scanner, const Line *line, int level);

/* Open a paragraph or a table, or read a link definition; `line` becomes the last line
 * that was read. */
bool open_paragraph(Scanner *scanner, Line *line, size_t at);
bool is_task(const Byte *text, size_t at, size_t end);
bool read_table(Scanner *scanner, const Line *line, size_t at, Line *delimiter);
bool read_metadata(Scanner *scanner, Line *line);

/* containers.c */

bool match_quote(Scanner *scanner, const Line *line, Cursor *cursor);

/* How many of the open containers a line continues. */
size_t match_containers(Scanner *scanner, const Line *line, Cursor *cursor);
void close_containers(Scanner *scanner, size_t depth);
bool open_quote(Scanner *scanner, const Line *line, Cursor *cursor,
                const Indent *indent);
bool open_item(Scanner *scanner, const Line *line, Cursor *cursor,
               const Indent *indent, const Marker *marker);
bool open_footnote(Scanner *scanner, const Line *line, Cursor *cursor,
                   const Indent *indent, size_t content);

#endif

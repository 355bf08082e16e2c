/* What a line starts: each function looks at one kind of block alone. */
#ifndef OUTCROP_STARTS_H
#define OUTCROP_STARTS_H

#include "text.h"

/* The conditions under which an HTML block ends, as CommonMark numbers them. */
enum { HTML_NONE, HTML_RAW, HTML_COMMENT, HTML_INSTRUCTION, HTML_DECLARATION,
       HTML_CDATA, HTML_BLOCK_TAG, HTML_ANY_TAG };

typedef struct {
    int end;             /* under which condition it ends */
    const char *closing; /* where it is HTML_RAW: the tag that closes it */
} Html;

typedef struct {
    Byte mark;
    size_t length;
} Fence;

typedef struct {
    Byte mark;      /* the bullet, or the character after the number */
    size_t width;   /* in bytes, which are columns */
    bool is_one;    /* a bullet, or the number 1 */
} Marker;

bool is_rule(const Byte *text, size_t at, size_t end);
int heading_level(const Byte *text, size_t at, size_t end);
int underline_level(const Byte *text, size_t at, size_t end);
bool opens_fence(const Byte *text, size_t at, size_t end, Fence *fence);
bool closes_fence(const Byte *text, size_t at, size_t end, const Fence *fence);
bool read_marker(const Byte *text, size_t at, size_t end, Marker *marker);
size_t footnote_end(const Byte *text, size_t at, size_t end);
Html html_start(const Byte *text, size_t at, size_t end, bool in_paragraph);
bool html_ends(const Byte *text, size_t at, size_t end, const Html *html);

/* The number of cells in a row of a table; 0 where there is no pipe. */
size_t count_cells(const Byte *text, size_t at, size_t end);
/* The number of columns of a delimiter row, or 0 where it is not one. */
size_t delimiter_columns(const Byte *text, size_t at, size_t end);

#endif

/* From the leaves of a text to blocks that tile it. */
#ifndef OUTCROP_TILES_H
#define OUTCROP_TILES_H

#include "scan.h"

/* Give text that lies in no leaf blocks of its own. Returns false without memory. */
bool fill_gaps(const Byte *text, size_t size, Found *found);

/* Let white space that CommonMark takes for text go with the block before it. */
void drop_blank_blocks(const Byte *text, size_t size, Found *found);

enum { MAX_PLAIN_TITLE = 400 };

/* Read a title without markup other than code. Returns false where it has any, or where
 * it is longer than MAX_PLAIN_TITLE. */
bool read_plain_title(const Byte *text, size_t start, size_t end,
                      char title[MAX_PLAIN_TITLE], size_t *length);

#endif

/* Characters, lines and columns of a text in UTF-8.
 *
 * Every function takes the place after the last byte it may read; nothing relies on a
 * byte after the text.
 */
#ifndef OUTCROP_TEXT_H
#define OUTCROP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char Byte;

enum { TAB_STOP = 4, CODE_INDENT = 4 };

/* One line: where it starts, where its line end starts, where the next line starts. */
typedef struct {
    size_t start;
    size_t end;
    size_t next;
} Line;

/* A place in a line. `owed` columns of a tab before `at` have not been consumed. */
typedef struct {
    size_t at;
    size_t column;
    size_t owed;
} Cursor;

/* White space from a cursor on: its width in columns, and what comes after it. */
typedef struct {
    size_t width;
    size_t at;
    size_t column;
} Indent;

static inline bool is_blank_byte(Byte byte) { return byte == ' ' || byte == '\t'; }

static inline bool is_line_end(Byte byte) { return byte == '\n' || byte == '\r'; }

static inline bool is_digit(Byte byte) { return byte >= '0' && byte <= '9'; }

static inline bool is_letter(Byte byte) {
    Byte lower = byte | 0x20;
    return lower >= 'a' && lower <= 'z';
}

static inline bool is_alphanumeric(Byte byte) {
    return is_letter(byte) || is_digit(byte);
}

static inline bool is_punctuation(Byte byte) {
    return byte > ' ' && byte < 0x7f && !is_alphanumeric(byte);
}

/* The line at `start`. Where there are carriage returns, which may end a line alone, the
 * text is read byte by byte: the next line feed may be far away. */
static inline Line line_at(const Byte *text, size_t size, size_t start,
                           bool has_carriage_return) {
    size_t end = start;
    if (has_carriage_return) {
        while (end < size && !is_line_end(text[end])) {
            end++;
        }
    } else {
        const Byte *found = memchr(text + start, '\n', size - start);
        end = found != NULL ? (size_t)(found - text) : size;
    }
    if (end == size) {
        return (Line){start, size, size};
    }
    bool is_pair = text[end] == '\r' && end + 1 < size && text[end + 1] == '\n';
    return (Line){start, end, end + (is_pair ? 2 : 1)};
}

static inline size_t skip_blank(const Byte *text, size_t at, size_t end) {
    while (at < end && is_blank_byte(text[at])) {
        at++;
    }
    return at;
}

static inline Indent measure_indent(const Byte *text, const Line *line,
                                    const Cursor *cursor) {
    Indent indent = {cursor->owed, cursor->at, cursor->column};
    while (indent.at < line->end) {
        Byte byte = text[indent.at];
        size_t width;
        if (byte == ' ') {
            width = 1;
        } else if (byte == '\t') {
            width = TAB_STOP - indent.column % TAB_STOP;
        } else {
            break;
        }
        indent.width += width;
        indent.column += width;
        indent.at++;
    }
    return indent;
}

/* Consume columns of white space; a tab may be consumed in part. */
static inline void skip_columns(const Byte *text, const Line *line, Cursor *cursor,
                                size_t columns) {
    while (columns > 0) {
        if (cursor->owed > 0) {
            size_t used = cursor->owed < columns ? cursor->owed : columns;
            cursor->owed -= used;
            columns -= used;
        } else if (cursor->at < line->end && text[cursor->at] == ' ') {
            cursor->at++;
            cursor->column++;
            columns--;
        } else if (cursor->at < line->end && text[cursor->at] == '\t') {
            cursor->owed = TAB_STOP - cursor->column % TAB_STOP;
            cursor->column += cursor->owed;
            cursor->at++;
        } else {
            return;
        }
    }
}

/* The length of the white space character at `at` as `str.isspace` sees it, or 0. */
static inline size_t space_length(const Byte *text, size_t at, size_t end) {
    Byte byte = text[at];
    if (byte < 0x80) {
        return (byte == ' ' || (byte >= 0x09 && byte <= 0x0d) ||
                (byte >= 0x1c && byte <= 0x1f))
                   ? 1
                   : 0;
    }
    if (byte == 0xc2 && at + 1 < end) {
        return text[at + 1] == 0x85 || text[at + 1] == 0xa0 ? 2 : 0;
    }
    if (byte < 0xe1 || byte > 0xe3 || at + 2 >= end) {
        return 0;
    }
    Byte second = text[at + 1], third = text[at + 2];
    bool found = false;
    if (byte == 0xe1) {
        found = second == 0x9a && third == 0x80;
    } else if (byte == 0xe2) {
        found = (second == 0x80 && ((third >= 0x80 && third <= 0x8a) || third == 0xa8 ||
                                    third == 0xa9 || third == 0xaf)) ||
                (second == 0x81 && third == 0x9f);
    } else {
        found = second == 0x80 && third == 0x80;
    }
    return found ? 3 : 0;
}

/* Where the white space that starts at `at` ends. */
static inline size_t skip_space(const Byte *text, size_t at, size_t end) {
    while (at < end) {
        size_t length = space_length(text, at, end);
        if (length == 0) {
            break;
        }
        at += length;
    }
    return at;
}

/* Where the white space that ends at `end` starts. */
static inline size_t strip_space(const Byte *text, size_t start, size_t end) {
    while (end > start) {
        size_t at = end - 1;
        while (at > start && (text[at] & 0xc0) == 0x80) {
            at--;
        }
        if (space_length(text, at, end) != end - at) {
            break;
        }
        end = at;
    }
    return end;
}

static inline size_t count_code_points(const Byte *text, size_t start, size_t end) {
    size_t count = 0;
    for (size_t at = start; at < end; at++) {
        count += (text[at] & 0xc0) != 0x80;
    }
    return count;
}

#endif

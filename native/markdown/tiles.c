#include "tiles.h"

#include <stdlib.h>

/* Gaps */

static bool is_ascii_space(Byte byte) {
    return byte == ' ' || (byte >= 0x09 && byte <= 0x0d);
}

static size_t skip_ascii_space(const Byte *text, size_t at, size_t end) {
    while (at < end && is_ascii_space(text[at])) {
        at++;
    }
    return at;
}

static bool has_more_than_quote_marks(const Byte *text, size_t at, size_t end) {
    while (at < end && memchr("> \t\r\n", text[at], 5) != NULL) {
        at++;
    }
    return at < end;
}

/* Where the text in the gap after a block starts, or `next` without such text. */
static size_t gap_after(const Byte *text, const Block *block, size_t next) {
    if (block->end == UNKNOWN_END || block->end >= next) {
        return next;
    }
    size_t at = skip_ascii_space(text, block->end, next);
    if (at < next && block->flags & NESTED &&
        !has_more_than_quote_marks(text, at, next)) {
        return next; /* the marks of the container go on */
    }
    return at;
}

static Block gap_block(const Byte *text, const Block *before, size_t at) {
    size_t floor = before ? before->end : 0;
    size_t start = at;
    while (start > floor && !is_line_end(text[start - 1])) {
        start--;
    }
    return (Block){start, UNKNOWN_END, DEFINITIONS, before ? before->rank : 0,
                   before ? before->flags & NESTED : 0};
}

bool fill_gaps(const Byte *text, size_t size, Found *found) {
    size_t count = found->count, gaps = 0;
    size_t first = count ? found->blocks[0].start : size;
    bool has_first = skip_ascii_space(text, 0, first) < first;
    for (size_t i = 0; i < count; i++) {
        size_t next = i + 1 < count ? found->blocks[i + 1].start : size;
        gaps += gap_after(text, &found->blocks[i], next) < next;
    }
    gaps += has_first;
    if (gaps == 0) {
        return true;
    }
    Block *filled = calloc(count + gaps, sizeof(Block));
    if (filled == NULL) {
        return false;
    }
    size_t done = 0;
    if (has_first) {
        filled[done++] = gap_block(text, NULL, skip_ascii_space(text, 0, first));
    }
    for (size_t i = 0; i < count; i++) {
        const Block *block = &found->blocks[i];
        size_t next = i + 1 < count ? found->blocks[i + 1].start : size;
        size_t at = gap_after(text, block, next);
        filled[done++] = *block;
        if (at < next) {
            filled[done++] = gap_block(text, block, at);
        }
    }
    free(found->blocks);
    found->blocks = filled;
    found->count = found->capacity = done;
    return true;
}

void drop_blank_blocks(const Byte *text, size_t size, Found *found) {
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        size_t next = i + 1 < found->count ? found->blocks[i + 1].start : size;
        if (skip_space(text, found->blocks[i].start, next) < next) {
            found->blocks[kept++] = found->blocks[i];
        }
    }
    found->count = kept;
}

/* Titles */

typedef struct {
    char *at;
    size_t length;
    bool is_pending; /* white space before the next character */
} Words;

/* Append text, each run of white space in it as one space. */
static void append_words(Words *words, const Byte *text, size_t start, size_t end) {
    while (start < end) {
        size_t length = space_length(text, start, end);
        if (length > 0) {
            words->is_pending = words->length > 0;
            start += length;
            continue;
        }
        if (words->is_pending) {
            words->at[words->length++] = ' ';
            words->is_pending = false;
        }
        words->at[words->length++] = (char)text[start++];
    }
}

static size_t run_length(const Byte *text, size_t at, size_t end) {
    size_t after = at;
    while (after < end && text[after] == text[at]) {
        after++;
    }
    return after - at;
}

/* Where the code that starts with a run of backticks ends: the place of the next run of
 * the same length, or 0. */
static size_t code_end(const Byte *text, size_t start, size_t end, size_t length) {
    while (start < end) {
        const Byte *found = memchr(text + start, '`', end - start);
        if (found == NULL) {
            return 0;
        }
        start = (size_t)(found - text);
        size_t run = run_length(text, start, end);
        if (run == length) {
            return start;
        }
        start += run;
    }
    return 0;
}

/* One space at each side of code belongs to its marks, unless there is nothing else. */
static Span trim_code(const Byte *text, Span code) {
    bool is_padded = code.end - code.start > 2 && text[code.start] == ' ' &&
                     text[code.end - 1] == ' ';
    for (size_t at = code.start; is_padded && at < code.end; at++) {
        if (text[at] != ' ') {
            return (Span){code.start + 1, code.end - 1};
        }
    }
    return code;
}

/* Whether a character of a title may be the start or the end of markup. */
static bool may_be_markup(const Byte *text, size_t start, size_t at, size_t end) {
    Byte byte = text[at];
    Byte next = at + 1 < end ? text[at + 1] : ' ';
    switch (byte) {
        case '&':
            return next == '#' || is_alphanumeric(next);
        case '<':
            return next > ' ';  /* HTML, or an address that begins with any mark */
        case '_': {
            size_t after = at + run_length(text, at, end);
            return at == start || after >= end || !is_alphanumeric(text[after]) ||
                   (text[at - 1] != '_' && !is_alphanumeric(text[at - 1]));
        }
        case '\\': case '*': case '[': case '$': case '~': case '{': case 0x7f:
            return true;
        default:
            return byte < ' ' && byte != '\t';
    }
}

static size_t strip_blank(const Byte *text, size_t start, size_t end) {
    while (end > start && is_blank_byte(text[end - 1])) {
        end--;
    }
    return end;
}

/* Where a title ends before attributes, if they are nothing but ids and classes of
 * letters, digits, `-` and `_`, as in `{#id .class}`. */
static size_t strip_attributes(const Byte *text, size_t start, size_t end) {
    size_t last = strip_blank(text, start, end);
    if (last == start || text[last - 1] != '}') {
        return end;
    }
    size_t at = last - 1, word = 0;
    bool has_mark = true;
    for (; at > start && text[at - 1] != '{'; at--) {
        Byte byte = text[at - 1];
        if (is_alphanumeric(byte) || byte == '-' || byte == '_') {
            word++;
            has_mark = false;
        } else if ((byte == '#' || byte == '.') && word > 0) {
            word = 0;
            has_mark = true;
        } else if (byte != ' ' || !has_mark) {
            return end;
        }
    }
    if (at == start || !has_mark || at + 1 >= last || text[at] == '}') {
        return end;
    }
    size_t before = strip_blank(text, start, at - 1);
    bool is_apart = before < at - 1 && before > start && text[before - 1] != '#';
    return is_apart ? before : end;
}

bool read_plain_title(const Byte *text, size_t start, size_t end,
                      char title[MAX_PLAIN_TITLE], size_t *length) {
    Words words = {title, 0, false};
    end = strip_attributes(text, start, end);
    /* A brace at the end may close attributes. */
    if (end - start > MAX_PLAIN_TITLE || (end > start && text[end - 1] == '}')) {
        return false;
    }
    for (size_t at = start; at < end;) {
        if (text[at] == '`') {
            size_t run = run_length(text, at, end);
            size_t stop = code_end(text, at + run, end, run);
            if (stop == 0) {
                return false;
            }
            Span code = trim_code(text, (Span){at + run, stop});
            for (size_t i = code.start; i < code.end; i++) {
                if (text[i] < ' ' && text[i] != '\t') {
                    return false;
                }
            }
            append_words(&words, text, code.start, code.end);
            at = stop + run;
            continue;
        }
        if (may_be_markup(text, start, at, end)) {
            return false;
        }
        size_t after = at + 1;
        while (after < end && (text[after] & 0xc0) == 0x80) {
            after++;
        }
        append_words(&words, text, at, after);
        at = after;
    }
    *length = words.length;
    return true;
}

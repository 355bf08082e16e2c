/* Link reference definitions, which may lie on several lines of a paragraph. */
#include "scan.h"

enum { MAX_LABEL = 999, MAX_PARENTHESES = 32 };

typedef struct {
    Scanner *scanner;
    Line line;
    size_t at;
} Reader;

static bool is_at_end(const Reader *reader) { return reader->at >= reader->line.end; }

static Byte current(const Reader *reader) { return reader->scanner->text[reader->at]; }

static bool next_line(Reader *reader) {
    Line line;
    size_t at;
    if (!peek_continuation(reader->scanner, reader->line.next, &line, &at)) {
        return false;
    }
    reader->line = line;
    reader->at = at;
    return true;
}

static void skip_blanks(Reader *reader) {
    reader->at = skip_blank(reader->scanner->text, reader->at, reader->line.end);
}

/* Read `[label]:`. */
static bool read_label(Reader *reader) {
    size_t length = 0;
    bool is_visible = false;
    reader->at++;
    for (;;) {
        if (is_at_end(reader)) {
            if (!next_line(reader)) {
                return false;
            }
            length++;
            continue;
        }
        Byte byte = current(reader);
        if (byte == '[' || length > MAX_LABEL) {
            return false;
        }
        reader->at++;
        if (byte == ']') {
            break;
        }
        is_visible = is_visible || !is_blank_byte(byte);
        length++;
        if (byte == '\\' && !is_at_end(reader) && is_punctuation(current(reader))) {
            reader->at++;
            length++;
        }
    }
    if (!is_visible || is_at_end(reader) || current(reader) != ':') {
        return false;
    }
    reader->at++;
    return true;
}

static bool read_bracketed_destination(Reader *reader) {
    reader->at++;
    while (!is_at_end(reader)) {
        Byte byte = current(reader);
        if (byte == '<') {
            return false;
        }
        reader->at++;
        if (byte == '>') {
            return true;
        }
        if (byte == '\\' && !is_at_end(reader)) {
            reader->at++;
        }
    }
    return false;
}

static bool read_destination(Reader *reader) {
    if (current(reader) == '<') {
        return read_bracketed_destination(reader);
    }
    size_t start = reader->at, depth = 0;
    while (!is_at_end(reader)) {
        Byte byte = current(reader);
        if (byte <= ' ') {
            break;
        }
        if (byte == '(' && ++depth > MAX_PARENTHESES) {
            return false;
        }
        if (byte == ')' && depth-- == 0) {
            return false;
        }
        reader->at++;
        if (byte == '\\' && !is_at_end(reader) && is_punctuation(current(reader))) {
            reader->at++;
        }
    }
    return depth == 0 && reader->at > start;
}

/* Read a title, and nothing else up to the end of its last line. */
static bool read_title(Reader *reader) {
    Byte opening = is_at_end(reader) ? 0 : current(reader);
    if (opening != '"' && opening != '\'' && opening != '(') {
        return false;
    }
    Byte closing = opening == '(' ? ')' : opening;
    reader->at++;
    for (;;) {
        if (is_at_end(reader)) {
            if (!next_line(reader)) {
                return false;
            }
            continue;
        }
        Byte byte = current(reader);
        reader->at++;
        if (byte == closing) {
            break;
        }
        if (byte == '(' && opening == '(') {
            return false;
        }
        if (byte == '\\' && !is_at_end(reader)) {
            reader->at++;
        }
    }
    skip_blanks(reader);
    return is_at_end(reader);
}

bool read_definition(Scanner *scanner, Line *line, size_t at) {
    Reader reader = {scanner, *line, at};
    if (!read_label(&reader)) {
        return false;
    }
    skip_blanks(&reader);
    if (is_at_end(&reader) && !next_line(&reader)) {
        return false;
    }
    if (!read_destination(&reader)) {
        return false;
    }
    size_t destination_end = reader.at;
    skip_blanks(&reader);
    if (!is_at_end(&reader)) {
        if (reader.at == destination_end || !read_title(&reader)) {
            return false;
        }
        *line = reader.line;
        return true;
    }
    *line = reader.line;
    if (next_line(&reader) && read_title(&reader)) {
        *line = reader.line;
    }
    return true;
}

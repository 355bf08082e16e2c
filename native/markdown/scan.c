/* Containers and leaves, line by line, as the appendix of CommonMark describes it. */
#include "scan.h"

/* What starts in a line */

typedef enum {
    STARTS_NOTHING,
    STARTS_QUOTE,
    STARTS_HEADING,
    STARTS_FENCE,
    STARTS_HTML,
    STARTS_RULE,
    STARTS_ITEM,
    STARTS_FOOTNOTE,
} StartKind;

typedef struct {
    StartKind kind;
    int level;
    Html html;
    Fence fence;
    Marker marker;
    size_t after;
} Start;

/* What starts at the first visible character of a line, which is indented by less than
 * code is. */
static Start read_start(const Scanner *scanner, size_t at, size_t end,
                        bool in_paragraph) {
    const Byte *text = scanner->text;
    Start start = {.kind = STARTS_NOTHING};
    Byte first = text[at];
    switch (first) {
        case '>':
            start.kind = STARTS_QUOTE;
            return start;
        case '#':
            start.level = heading_level(text, at, end);
            start.kind = start.level ? STARTS_HEADING : STARTS_NOTHING;
            return start;
        case '`':
        case '~':
            if (opens_fence(text, at, end, &start.fence)) {
                start.kind = STARTS_FENCE;
            }
            return start;
        case '<':
            start.html = html_start(text, at, end, in_paragraph);
            start.kind = start.html.end ? STARTS_HTML : STARTS_NOTHING;
            return start;
        case '[':
            start.after = footnote_end(text, at, end);
            start.kind = start.after ? STARTS_FOOTNOTE : STARTS_NOTHING;
            return start;
        case '_':
        case '-':
        case '*':
            if (is_rule(text, at, end)) {
                start.kind = STARTS_RULE;
                return start;
            }
            break;
        default:
            if (first != '+' && !is_digit(first)) {
                return start;
            }
    }
    if (read_marker(text, at, end, &start.marker)) {
        size_t content = skip_blank(text, at + start.marker.width, end);
        if (!in_paragraph || (content < end && start.marker.is_one)) {
            start.kind = STARTS_ITEM;
        }
    }
    return start;
}

bool peek_continuation(Scanner *scanner, size_t start, Line *line, size_t *at) {
    if (start >= scanner->size) {
        return false;
    }
    *line = line_at(scanner->text, scanner->size, start, scanner->has_carriage_return);
    Cursor cursor = {start, 0, 0};
    size_t matched = match_containers(scanner, line, &cursor);
    Indent indent = measure_indent(scanner->text, line, &cursor);
    *at = indent.at;
    if (indent.at >= line->end) {
        return false;
    }
    bool is_underline = indent.width < CODE_INDENT &&
                        underline_level(scanner->text, indent.at, line->end);
    if (scanner->text[indent.at] == '|' || (is_underline && matched < scanner->depth)) {
        scanner->outcome = UNSURE; /* the other reader may end the paragraph here */
        return false;
    }
    if (is_underline) {
        return false;
    }
    Start next = read_start(scanner, indent.at, line->end, matched == scanner->depth);
    return indent.width >= CODE_INDENT || next.kind == STARTS_NOTHING ||
           next.html.end == HTML_ANY_TAG;
}

/* Lines */

/* Whether a line that is not blank is a row of the table before it. */
static bool is_row(const Scanner *scanner, size_t at, size_t end) {
    if (scanner->text[at] == '|' && skip_blank(scanner->text, at + 1, end) == end) {
        return false;
    }
    Start start = read_start(scanner, at, end, false);
    return start.kind == STARTS_NOTHING || start.html.end == HTML_ANY_TAG;
}

/* Continue an open leaf other than a paragraph. Returns whether the line is part of it;
 * otherwise it is closed. */
static bool continue_leaf(Scanner *scanner, const Line *line, const Cursor *cursor,
                          bool is_inside) {
    const Byte *text = scanner->text;
    Indent indent = measure_indent(text, line, cursor);
    bool is_blank = indent.at >= line->end;
    bool is_part = false, is_last = false;
    if (is_inside) {
        switch (scanner->leaf) {
            case FENCE:
                is_part = true;
                is_last = indent.width < CODE_INDENT &&
                          closes_fence(text, indent.at, line->end, &scanner->fence);
                break;
            case HTML:
                is_part = !is_blank || scanner->html.end < HTML_BLOCK_TAG;
                if (!is_part && scanner->depth > 0 &&
                    (cursor->at < line->end || cursor->owed > 0)) {
                    scanner->outcome = UNSURE; /* where such a block ends varies */
                }
                is_last = html_ends(text, indent.at, line->end, &scanner->html);
                break;
            case INDENTED_CODE:
                if (is_blank) {
                    return true;
                }
                is_part = indent.width >= CODE_INDENT;
                break;
            default: /* a table */
                is_part = !is_blank && is_row(scanner, indent.at, line->end);
        }
    }
    if (is_part) {
        leaf_block(scanner)->end = line->end;
    }
    if (is_last) {
        scanner->leaf = NO_LEAF;
    } else if (!is_part) {
        close_leaf(scanner);
    }
    return is_part;
}

/* Whether a rule of three dashes is where the other reader may see metadata. */
static bool is_odd_rule(const Byte *text, const Line *line, size_t at) {
    return at > line->start && text[at] == '-' && line->end - at == 3;
}

/* Open a rule, or the metadata that it starts. */
static bool open_rule(Scanner *scanner, Line *line, size_t at) {
    if (is_odd_rule(scanner->text, line, at)) {
        scanner->outcome = UNSURE;
        return false;
    }
    bool is_metadata = at == line->start && read_metadata(scanner, line);
    size_t start = is_metadata ? at : line->start;
    bool is_opened =
        open_leaf(scanner, is_metadata ? FRONT_MATTER : RULE, at, start, line->end);
    scanner->leaf = NO_LEAF;
    return is_opened;
}

/* Open a leaf; `line` becomes the last line that was read. */
static bool open_leaf_start(Scanner *scanner, Line *line, size_t at,
                            const Start *start) {
    switch (start->kind) {
        case STARTS_HEADING:
            return open_heading(scanner, line, at, start->level);
        case STARTS_FENCE:
            scanner->fence = start->fence;
            return open_leaf(scanner, FENCE, at, line->start, line->end);
        case STARTS_HTML:
            scanner->html = start->html;
            if (!open_leaf(scanner, HTML, at, line->start, line->end)) {
                return false;
            }
            if (html_ends(scanner->text, at, line->end, &start->html)) {
                scanner->leaf = NO_LEAF;
            }
            return true;
        default:
            return open_rule(scanner, line, at);
    }
}

/* Open a table that interrupts a paragraph: its header row starts with a pipe. */
static bool interrupt_with_table(Scanner *scanner, Line *line, size_t at) {
    Line delimiter;
    if (scanner->text[at] != '|' || !read_table(scanner, line, at, &delimiter)) {
        return false;
    }
    size_t start = line->start;
    close_leaf(scanner);
    *line = delimiter;
    return open_leaf(scanner, TABLE, at, start, line->end);
}

typedef enum {
    OPENED_NOTHING,
    OPENED_CONTAINER,
    OPENED_LEAF,
    FAILED,
} Opening;

/* Open what a start announces; the containers that the line does not continue close. */
static Opening open_start(Scanner *scanner, Line *line, Cursor *cursor,
                          const Indent *indent, const Start *start, size_t matched) {
    if (start->kind == STARTS_NOTHING) {
        return OPENED_NOTHING;
    }
    close_containers(scanner, matched);
    close_leaf(scanner);
    bool is_opened;
    switch (start->kind) {
        case STARTS_QUOTE:
            is_opened = open_quote(scanner, line, cursor, indent);
            break;
        case STARTS_ITEM:
            is_opened = open_item(scanner, line, cursor, indent, &start->marker);
            break;
        case STARTS_FOOTNOTE:
            is_opened = open_footnote(scanner, line, cursor, indent, start->after);
            break;
        default:
            return open_leaf_start(scanner, line, indent->at, start) ? OPENED_LEAF
                                                                     : FAILED;
    }
    return is_opened ? OPENED_CONTAINER : FAILED;
}

/* Add a line of text to the open paragraph, or start one. */
static bool read_text(Scanner *scanner, Line *line, size_t at, size_t matched,
                      bool has_paragraph) {
    if (has_paragraph && scanner->leaf == PARAGRAPH) {
        leaf_block(scanner)->end = line->end;
        return true;
    }
    if (!has_paragraph) {
        close_containers(scanner, matched);
    }
    return open_paragraph(scanner, line, at);
}

/* Read the visible rest of a line after the marks of the containers that it continues.
 * Returns whether to go on with the next line. */
static bool read_rest(Scanner *scanner, Line *line, Cursor *cursor, size_t matched) {
    const Byte *text = scanner->text;
    bool has_paragraph = scanner->leaf == PARAGRAPH || scanner->leaf == DEFINITIONS;
    for (;;) {
        Indent indent = measure_indent(text, line, cursor);
        if (indent.at >= line->end) {
            return true;
        }
        if (indent.width >= CODE_INDENT) {
            if (has_paragraph) {
                return read_text(scanner, line, indent.at, matched, true);
            }
            close_containers(scanner, matched);
            return open_leaf(scanner, INDENTED_CODE, indent.at, line->start, line->end);
        }
        bool in_paragraph = has_paragraph && matched == scanner->depth;
        if (in_paragraph && scanner->leaf == PARAGRAPH) {
            int level = underline_level(text, indent.at, line->end);
            if (level) {
                return underline_paragraph(scanner, line, level);
            }
        }
        if (in_paragraph && interrupt_with_table(scanner, line, indent.at)) {
            return true;
        }
        if (has_paragraph && !in_paragraph && text[indent.at] == '|') {
            scanner->outcome = UNSURE;
            return false;
        }
        Start start = read_start(scanner, indent.at, line->end, in_paragraph);
        if (has_paragraph && start.html.end == HTML_ANY_TAG) {
            start.kind = STARTS_NOTHING;
        }
        switch (open_start(scanner, line, cursor, &indent, &start, matched)) {
            case OPENED_NOTHING:
                return read_text(scanner, line, indent.at, matched, has_paragraph);
            case OPENED_LEAF:
                return true;
            case FAILED:
                return false;
            case OPENED_CONTAINER:
                has_paragraph = false;
                matched = scanner->depth;
        }
    }
}

/* Read the line at `*at` and move `*at` after the last line that was read. */
static bool read_line(Scanner *scanner, size_t *at) {
    Line line = line_at(scanner->text, scanner->size, *at, scanner->has_carriage_return);
    Cursor cursor = {line.start, 0, 0};
    size_t matched = match_containers(scanner, &line, &cursor);
    bool is_inside = matched == scanner->depth;
    *at = line.next;
    if (scanner->leaf >= RULE && continue_leaf(scanner, &line, &cursor, is_inside)) {
        return true;
    }
    if (skip_blank(scanner->text, cursor.at, line.end) == line.end) {
        close_leaf(scanner);
        close_containers(scanner, matched);
        return true;
    }
    bool is_read = read_rest(scanner, &line, &cursor, matched);
    *at = line.next;
    return is_read;
}

static bool has_display_math(const Byte *text, size_t size) {
    const Byte *end = text + size;
    for (const Byte *at = text; (at = memchr(at, '$', (size_t)(end - at))) != NULL; at++) {
        if (at + 1 < end && at[1] == '$') {
            return true;
        }
    }
    return false;
}

Outcome scan_blocks(const Byte *text, size_t size, Found *found) {
    /* Form feeds are white space to the other reader, and two dollar signs may open
     * display math, which is inline. */
    if (memchr(text, '\f', size) != NULL || memchr(text, '\v', size) != NULL ||
        has_display_math(text, size)) {
        return UNSURE;
    }
    Scanner scanner = {
        .text = text,
        .size = size,
        .has_carriage_return = memchr(text, '\r', size) != NULL,
        .outcome = SCANNED,
        .found = found,
        .leaf = NO_LEAF,
    };
    size_t at = 0;
    while (at < size) {
        if (!read_line(&scanner, &at) || scanner.outcome != SCANNED) {
            return scanner.outcome;
        }
    }
    close_leaf(&scanner);
    return SCANNED;
}

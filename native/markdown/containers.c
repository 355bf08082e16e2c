/* Containers: quotes, list items and footnotes, which hold other blocks. */
#include "scan.h"

bool match_quote(Scanner *scanner, const Line *line, Cursor *cursor) {
    Indent indent = measure_indent(scanner->text, line, cursor);
    if (indent.at >= line->end || scanner->text[indent.at] != '>') {
        return false;
    }
    if (indent.width >= CODE_INDENT) {
        if (memchr(scanner->text + line->start, '\t', indent.at - line->start) != NULL) {
            scanner->outcome = UNSURE; /* the other reader may see a quote */
        }
        return false;
    }
    cursor->at = indent.at + 1;
    cursor->column = indent.column + 1;
    cursor->owed = 0;
    skip_columns(scanner->text, line, cursor, 1);
    return true;
}

static bool match_container(Scanner *scanner, const Container *container,
                            const Line *line, Cursor *cursor) {
    if (container->kind == QUOTE) {
        return match_quote(scanner, line, cursor);
    }
    Indent indent = measure_indent(scanner->text, line, cursor);
    if (indent.at >= line->end) {
        return !container->is_bare;
    }
    if (indent.width < container->indent) {
        return false;
    }
    skip_columns(scanner->text, line, cursor, container->indent);
    return true;
}

/* How many of the open containers a line continues. */
size_t match_containers(Scanner *scanner, const Line *line,
                               Cursor *cursor) {
    size_t matched = 0;
    while (matched < scanner->depth &&
           match_container(scanner, &scanner->stack[matched], line, cursor)) {
        matched++;
    }
    return matched;
}

void close_containers(Scanner *scanner, size_t depth) {
    if (depth < scanner->depth) {
        close_leaf(scanner);
        scanner->depth = depth;
        scanner->has_new = false; /* a bare marker: it joins the text before it */
    }
}

static bool open_container(Scanner *scanner, int kind, size_t at, size_t indent,
                           bool is_bare) {
    close_leaf(scanner);
    if (scanner->depth == MAX_DEPTH) {
        scanner->outcome = UNSURE;
        return false;
    }
    if (!scanner->has_new) {
        scanner->has_new = true;
        scanner->new_start = at;
        scanner->new_depth = scanner->depth;
        scanner->new_flags = NESTED;
    }
    if (kind == ITEM) {
        scanner->new_flags |= OPENS_ITEM;
    }
    for (size_t i = 0; i < scanner->depth; i++) {
        scanner->stack[i].is_bare = false;
    }
    scanner->stack[scanner->depth++] = (Container){kind, indent, is_bare, is_bare};
    return true;
}

static bool is_in_footnote(const Scanner *scanner) {
    for (size_t i = 0; i < scanner->depth; i++) {
        if (scanner->stack[i].kind == FOOTNOTE) {
            return true;
        }
    }
    return false;
}

/* Whether an item around the next block started with its marker alone. */
static bool is_in_bare_item(const Scanner *scanner) {
    for (size_t i = 0; i < scanner->depth; i++) {
        if (scanner->stack[i].started_bare) {
            return true;
        }
    }
    return false;
}

bool open_item(Scanner *scanner, const Line *line, Cursor *cursor,
                      const Indent *indent, const Marker *marker) {
    cursor->at = indent->at + marker->width;
    cursor->column = indent->column + marker->width;
    cursor->owed = 0;
    Indent after = measure_indent(scanner->text, line, cursor);
    bool is_bare = after.at >= line->end;
    size_t gap = is_bare || after.width > CODE_INDENT ? 1 : after.width;
    skip_columns(scanner->text, line, cursor, gap);
    /* A task without text on its line, or indented like code. */
    if (is_task(scanner->text, after.at, line->end) &&
        (after.width > CODE_INDENT ||
         skip_blank(scanner->text, after.at + 3, line->end) == line->end)) {
        scanner->outcome = UNSURE;
        return false;
    }
    /* Where blank lines after such an item lead is not always as CommonMark has it. */
    if (is_bare && (scanner->depth > 1 || is_in_bare_item(scanner))) {
        scanner->outcome = UNSURE;
        return false;
    }
    return open_container(scanner, ITEM, indent->at,
                          indent->width + marker->width + gap, is_bare);
}

bool open_quote(Scanner *scanner, const Line *line, Cursor *cursor,
                const Indent *indent) {
    match_quote(scanner, line, cursor);
    return open_container(scanner, QUOTE, indent->at, 0, false);
}

bool open_footnote(Scanner *scanner, const Line *line, Cursor *cursor,
                   const Indent *indent, size_t content) {
    const Byte *text = scanner->text;
    bool has_tab = memchr(text + indent->at, '\t', line->end - indent->at) != NULL;
    if (has_tab || is_in_footnote(scanner)) {
        scanner->outcome = UNSURE;
        return false;
    }
    *cursor = (Cursor){content, indent->column + content - indent->at, 0};
    Indent gap = measure_indent(text, line, cursor);
    cursor->at = gap.at;
    cursor->column = gap.column;
    return open_container(scanner, FOOTNOTE, indent->at, CODE_INDENT, false);
}

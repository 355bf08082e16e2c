/* Containers and leaves, line by line, as the appendix of CommonMark describes it. */
#include "scan.h"

#include <stdlib.h>

enum { NO_LEAF = -1 };

/* Make room for one more element. */
static bool grow(void **items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return true;
    }
    size_t wanted = *capacity ? *capacity * 2 : 64;
    if (wanted > SIZE_MAX / size) {
        return false;
    }
    void *moved = realloc(*items, wanted * size);
    if (moved == NULL) {
        return false;
    }
    *items = moved;
    *capacity = wanted;
    return true;
}

#define GROW(list, count, capacity) \
    grow((void **)&(list), count, &(capacity), sizeof(*(list)))

bool add_block(Found *found, Block block) {
    if (!GROW(found->blocks, found->count, found->capacity)) {
        return false;
    }
    found->blocks[found->count++] = block;
    return true;
}

void free_found(Found *found) {
    free(found->blocks);
    free(found->titles);
    free(found->definitions);
}

/* Containers */

static bool is_rest_blank(const Scanner *scanner, const Line *line,
                          const Cursor *cursor) {
    return skip_blank(scanner->text, cursor->at, line->end) == line->end;
}

static bool match_quote(Scanner *scanner, const Line *line, Cursor *cursor) {
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
static size_t match_containers(Scanner *scanner, const Line *line,
                               Cursor *cursor) {
    size_t matched = 0;
    while (matched < scanner->depth &&
           match_container(scanner, &scanner->stack[matched], line, cursor)) {
        matched++;
    }
    return matched;
}

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
    if (matched == scanner->depth && indent.width < CODE_INDENT &&
        underline_level(scanner->text, indent.at, line->end)) {
        return false;
    }
    Start next = read_start(scanner, indent.at, line->end, matched == scanner->depth);
    return indent.width >= CODE_INDENT || next.kind == STARTS_NOTHING ||
           next.html.end == HTML_ANY_TAG;
}

/* Leaves */

/* Where a block that is seen at `at` starts: at the start of its line, unless another
 * block starts there. */
static size_t start_of_block(const Scanner *scanner, size_t at) {
    size_t start = at;
    while (start > scanner->floor && !is_line_end(scanner->text[start - 1])) {
        start--;
    }
    bool is_taken = start == scanner->floor && scanner->found->count > 0;
    return is_taken ? at : start;
}

static Byte capped_rank(size_t rank) { return (Byte)(rank < MAX_RANK ? rank : MAX_RANK); }

/* Whether there is more than the marks of containers in a stretch. */
static bool is_more_than_marks(const Byte *text, size_t start, size_t end) {
    for (; start < end; start++) {
        if (!is_digit(text[start]) && memchr("> \t\r\n-*+.)", text[start], 11) == NULL) {
            return true;
        }
    }
    return false;
}

static bool append(Scanner *scanner, Block block) {
    if (!add_block(scanner->found, block)) {
        scanner->outcome = NO_MEMORY;
        return false;
    }
    return true;
}

/* Add a block whose first visible character is at `at`, in the line that starts at
 * `line`. */
static bool open_leaf(Scanner *scanner, int kind, size_t at, size_t line, size_t end) {
    size_t rank = scanner->depth;
    Byte flags = rank ? NESTED : 0;
    size_t start = start_of_block(scanner, at);
    if (scanner->has_new) {
        scanner->has_new = false;
        size_t opening = start_of_block(scanner, scanner->new_start);
        if (line > scanner->new_start &&
            is_more_than_marks(scanner->text, scanner->new_start, line)) {
            /* Link definitions are between the container's start and its first block. */
            Block definitions = {opening, UNKNOWN_END, DEFINITIONS,
                                 capped_rank(scanner->new_depth), scanner->new_flags};
            if (!append(scanner, definitions)) {
                return false;
            }
            scanner->floor = opening;
            start = start_of_block(scanner, at);
        } else {
            start = opening;
            rank = scanner->new_depth;
            flags = scanner->new_flags;
        }
    }
    for (size_t i = 0; i < scanner->depth; i++) {
        scanner->stack[i].is_bare = false;
    }
    scanner->floor = start;
    scanner->leaf = kind;
    scanner->leaf_block = scanner->found->count;
    scanner->leaf_start = at;
    if (kind == HEADING && flags) {
        kind = PARAGRAPH;
    }
    return append(scanner, (Block){start, end, (Byte)kind, capped_rank(rank), flags});
}

static Block *leaf_block(Scanner *scanner) {
    return &scanner->found->blocks[scanner->leaf_block];
}

static void close_leaf(Scanner *scanner) {
    if (scanner->leaf == INDENTED_CODE) {
        /* White space that CommonMark takes for text does not count as code. */
        Block *block = leaf_block(scanner);
        if (skip_space(scanner->text, scanner->leaf_start, block->end) == block->end) {
            block->kind = PARAGRAPH;
        }
    } else if (scanner->leaf == FENCE) {
        leaf_block(scanner)->flags |= UNCLOSED;
    }
    scanner->leaf = NO_LEAF;
}

static void close_containers(Scanner *scanner, size_t depth) {
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

/* Note a heading outside containers, whose content is `text[start:end]`. */
static bool add_title(Scanner *scanner, size_t block, int level, Span content,
                      Span source) {
    Found *found = scanner->found;
    if (found->blocks[block].kind != HEADING) {
        return true;
    }
    if (!GROW(found->titles, found->title_count, found->title_capacity)) {
        scanner->outcome = NO_MEMORY;
        return false;
    }
    found->titles[found->title_count++] =
        (Title){block, content.start, content.end, source, level, false};
    return true;
}

static bool add_definition(Scanner *scanner, Span span) {
    Found *found = scanner->found;
    if (scanner->depth > 0) {
        found->has_nested_definitions = true;
        return true;
    }
    if (!GROW(found->definitions, found->definition_count, found->definition_capacity)) {
        scanner->outcome = NO_MEMORY;
        return false;
    }
    found->definitions[found->definition_count++] = span;
    return true;
}

/* The content of an ATX heading, without its marks. */
static Span heading_content(const Byte *text, size_t at, size_t end, int level) {
    size_t start = skip_blank(text, at + (size_t)level, end);
    while (end > start && is_blank_byte(text[end - 1])) {
        end--;
    }
    size_t marks = end;
    while (marks > start && text[marks - 1] == '#') {
        marks--;
    }
    if (marks == start) {
        end = start;
    } else if (marks < end && is_blank_byte(text[marks - 1])) {
        end = marks;
    }
    return (Span){start, end};
}

static bool open_heading(Scanner *scanner, const Line *line, size_t at, int level) {
    if (!open_leaf(scanner, HEADING, at, line->start, line->end)) {
        return false;
    }
    scanner->leaf = NO_LEAF;
    Span content = heading_content(scanner->text, at, line->end, level);
    Span source = {at, line->end};
    if (!add_title(scanner, scanner->leaf_block, level, content, source)) {
        return false;
    }
    /* The other reader does not see closing marks beside a tab, nor attributes before
     * them. */
    const Byte *text = scanner->text;
    bool has_closing = memchr(text + content.end, '#', line->end - content.end) != NULL;
    bool is_odd = memchr(text + at, '\t', line->end - at) != NULL ||
                  (has_closing && memchr(text + at, '}', line->end - at) != NULL);
    if (is_odd && scanner->found->title_count > 0) {
        scanner->found->titles[scanner->found->title_count - 1].is_odd = true;
    }
    return true;
}

static bool underline_paragraph(Scanner *scanner, const Line *line, int level) {
    Block *block = leaf_block(scanner);
    Span content = {scanner->leaf_start, block->end};
    if (!(block->flags & NESTED)) {
        block->kind = HEADING;
    }
    block->end = line->end;
    scanner->leaf = NO_LEAF;
    Span source = {content.start, line->end};
    return add_title(scanner, scanner->leaf_block, level, content, source);
}

static bool is_task(const Byte *text, size_t at, size_t end) {
    return end - at >= 3 && text[at] == '[' && text[at + 2] == ']';
}

/* Whether a line has a pipe and nothing but what a delimiter row is made of. */
static bool is_like_delimiter(const Byte *text, size_t at, size_t end) {
    bool has_pipe = false;
    for (; at < end; at++) {
        if (memchr("-|: \t", text[at], 5) == NULL) {
            return false;
        }
        has_pipe = has_pipe || text[at] == '|';
    }
    return has_pipe;
}

/* Whether the line after a header row is its delimiter row. */
static bool read_table(Scanner *scanner, const Line *line, size_t at, Line *delimiter) {
    if (line->next >= scanner->size) {
        return false;
    }
    *delimiter = line_at(scanner->text, scanner->size, line->next,
                         scanner->has_carriage_return);
    Cursor cursor = {delimiter->start, 0, 0};
    if (match_containers(scanner, delimiter, &cursor) < scanner->depth) {
        return false;
    }
    Indent indent = measure_indent(scanner->text, delimiter, &cursor);
    if (!is_like_delimiter(scanner->text, indent.at, delimiter->end)) {
        return false;
    }
    size_t columns = delimiter_columns(scanner->text, indent.at, delimiter->end);
    bool has_tab = memchr(scanner->text + delimiter->start, '\t',
                          delimiter->end - delimiter->start) != NULL;
    bool has_escape = memchr(scanner->text + at, '\\', line->end - at) != NULL;
    bool has_task = scanner->depth > 0 && is_task(scanner->text, at, line->end);
    if (columns == 0 || has_tab || has_escape || has_task) {
        scanner->outcome = UNSURE;
        return false;
    }
    return indent.width < CODE_INDENT && columns == count_cells(scanner->text, at, line->end);
}

static bool open_paragraph(Scanner *scanner, Line *line, size_t at) {
    Line last = *line;
    if (scanner->text[at] == '[' && read_definition(scanner, &last, at)) {
        for (size_t i = 0; i < scanner->depth; i++) {
            scanner->stack[i].is_bare = false;
        }
        scanner->leaf = DEFINITIONS;
        *line = last;
        return add_definition(scanner, (Span){at, last.end});
    }
    if (read_table(scanner, line, at, &last)) {
        size_t start = line->start;
        *line = last;
        return open_leaf(scanner, TABLE, at, start, last.end);
    }
    return open_leaf(scanner, PARAGRAPH, at, line->start, line->end);
}

/* Metadata between a line of three dashes and another, or one of three dots. Tabs may
 * follow the first line, not the last. */
static bool is_metadata_mark(const Byte *text, const Line *line, Byte mark) {
    size_t at = line->start;
    if (line->end - at < 3 || text[at] != mark || text[at + 1] != mark ||
        text[at + 2] != mark) {
        return false;
    }
    for (at += 3; at < line->end && text[at] == ' ';) {
        at++;
    }
    return at == line->end;
}

static bool read_metadata(Scanner *scanner, Line *line) {
    const Byte *text = scanner->text;
    Line mark = *line;
    while (mark.end > mark.start && is_blank_byte(text[mark.end - 1])) {
        mark.end--;
    }
    if (scanner->has_no_more_metadata || !is_metadata_mark(text, &mark, '-') ||
        line->next >= scanner->size) {
        return false;
    }
    Line first = line_at(text, scanner->size, line->next, scanner->has_carriage_return);
    if (skip_blank(text, first.start, first.end) == first.end) {
        return false;
    }
    for (Line each = first;;) {
        if (is_metadata_mark(text, &each, '-') || is_metadata_mark(text, &each, '.')) {
            if (each.start == first.start) {
                return false;
            }
            *line = each;
            return true;
        }
        if (each.next >= scanner->size) {
            scanner->has_no_more_metadata = true;
            return false;
        }
        each = line_at(text, scanner->size, each.next, scanner->has_carriage_return);
    }
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

static bool open_item(Scanner *scanner, const Line *line, Cursor *cursor,
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

/* Open a leaf that a line starts; the line is the last one that was read. */
static bool open_start(Scanner *scanner, Line *line, const Indent *indent,
                       const Start *start) {
    size_t at = indent->at;
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
        default: {
            bool is_opened = open_leaf(scanner, RULE, at, line->start, line->end);
            scanner->leaf = NO_LEAF;
            return is_opened;
        }
    }
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
        bool in_paragraph = has_paragraph && matched == scanner->depth;
        if (indent.width >= CODE_INDENT) {
            if (!has_paragraph) {
                close_containers(scanner, matched);
                return open_leaf(scanner, INDENTED_CODE, indent.at, line->start,
                                 line->end);
            }
        } else {
            if (in_paragraph && scanner->leaf == PARAGRAPH) {
                int level = underline_level(text, indent.at, line->end);
                if (level) {
                    return underline_paragraph(scanner, line, level);
                }
            }
            size_t first = indent.at;
            if (has_paragraph && !in_paragraph && text[first] == '|') {
                scanner->outcome = UNSURE;
                return false;
            }
            Line delimiter;
            if (in_paragraph && text[indent.at] == '|' &&
                read_table(scanner, line, indent.at, &delimiter)) {
                close_leaf(scanner);
                size_t start = line->start;
                *line = delimiter;
                return open_leaf(scanner, TABLE, first, start, line->end);
            }
            Start start = read_start(scanner, indent.at, line->end, in_paragraph);
            if (has_paragraph && start.html.end == HTML_ANY_TAG) {
                start.kind = STARTS_NOTHING;
            }
            if (start.kind != STARTS_NOTHING) {
                close_containers(scanner, matched);
                close_leaf(scanner);
            }
            if (start.kind == STARTS_RULE && text[first] == '-' && line->end - first == 3 &&
                (matched > 0 || first > line->start)) {
                scanner->outcome = UNSURE;
                return false;
            }
            if (start.kind == STARTS_RULE && matched == 0 && first == line->start) {
                if (read_metadata(scanner, line)) {
                    bool is_opened =
                        open_leaf(scanner, FRONT_MATTER, first, first, line->end);
                    scanner->leaf = NO_LEAF;
                    return is_opened;
                }
            }
            switch (start.kind) {
                case STARTS_NOTHING:
                    break;
                case STARTS_QUOTE:
                    match_quote(scanner, line, cursor);
                    if (!open_container(scanner, QUOTE, indent.at, 0, false)) {
                        return false;
                    }
                    break;
                case STARTS_ITEM:
                    if (!open_item(scanner, line, cursor, &indent, &start.marker)) {
                        return false;
                    }
                    break;
                case STARTS_FOOTNOTE:
                    if (is_in_footnote(scanner) ||
                        memchr(text + first, '\t', line->end - first) != NULL) {
                        scanner->outcome = UNSURE;
                        return false;
                    }
                    cursor->column = indent.column + start.after - indent.at;
                    cursor->at = start.after;
                    cursor->owed = 0;
                    indent = measure_indent(text, line, cursor);
                    cursor->column = indent.column;
                    cursor->at = indent.at;
                    if (!open_container(scanner, FOOTNOTE, first, CODE_INDENT, false)) {
                        return false;
                    }
                    break;
                default:
                    return open_start(scanner, line, &indent, &start);
            }
            if (start.kind != STARTS_NOTHING) {
                has_paragraph = false;
                matched = scanner->depth;
                continue;
            }
        }
        if (has_paragraph && scanner->leaf == PARAGRAPH) {
            leaf_block(scanner)->end = line->end;
            return true;
        }
        if (!has_paragraph) {
            close_containers(scanner, matched);
        }
        return open_paragraph(scanner, line, indent.at);
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
    if (is_rest_blank(scanner, &line, &cursor)) {
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

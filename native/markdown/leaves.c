/* Leaves: blocks that hold no others, and what is noted of them. */
#include "scan.h"

#include <stdlib.h>

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
bool open_leaf(Scanner *scanner, int kind, size_t at, size_t line, size_t end) {
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

Block *leaf_block(Scanner *scanner) {
    return &scanner->found->blocks[scanner->leaf_block];
}

void close_leaf(Scanner *scanner) {
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

bool open_heading(Scanner *scanner, const Line *line, size_t at, int level) {
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

bool underline_paragraph(Scanner *scanner, const Line *line, int level) {
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

bool is_task(const Byte *text, size_t at, size_t end) {
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
bool read_table(Scanner *scanner, const Line *line, size_t at, Line *delimiter) {
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

bool open_paragraph(Scanner *scanner, Line *line, size_t at) {
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

bool read_metadata(Scanner *scanner, Line *line) {
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

#include "starts.h"

bool is_rule(const Byte *text, size_t at, size_t end) {
    Byte mark = at < end ? text[at] : 0;
    if (mark != '-' && mark != '*' && mark != '_') {
        return false;
    }
    size_t count = 0;
    for (; at < end; at++) {
        if (text[at] == mark) {
            count++;
        } else if (!is_blank_byte(text[at])) {
            return false;
        }
    }
    return count >= 3;
}

int heading_level(const Byte *text, size_t at, size_t end) {
    size_t marks = at;
    while (marks < end && text[marks] == '#') {
        marks++;
    }
    size_t level = marks - at;
    if (level < 1 || level > 6 || (marks < end && !is_blank_byte(text[marks]))) {
        return 0;
    }
    return (int)level;
}

int underline_level(const Byte *text, size_t at, size_t end) {
    Byte mark = at < end ? text[at] : 0;
    if (mark != '=' && mark != '-') {
        return 0;
    }
    while (at < end && text[at] == mark) {
        at++;
    }
    return skip_blank(text, at, end) == end ? (mark == '=' ? 1 : 2) : 0;
}

bool opens_fence(const Byte *text, size_t at, size_t end, Fence *fence) {
    Byte mark = at < end ? text[at] : 0;
    if (mark != '`' && mark != '~') {
        return false;
    }
    size_t info = at;
    while (info < end && text[info] == mark) {
        info++;
    }
    fence->mark = mark;
    fence->length = info - at;
    if (fence->length < 3) {
        return false;
    }
    return mark == '~' || memchr(text + info, '`', end - info) == NULL;
}

bool closes_fence(const Byte *text, size_t at, size_t end, const Fence *fence) {
    size_t info = at;
    while (info < end && text[info] == fence->mark) {
        info++;
    }
    return info - at >= fence->length && skip_blank(text, info, end) == end;
}

bool read_marker(const Byte *text, size_t at, size_t end, Marker *marker) {
    size_t after = at;
    if (at >= end) {
        return false;
    }
    if (text[at] == '-' || text[at] == '*' || text[at] == '+') {
        after = at + 1;
        marker->is_one = true;
    } else {
        while (after < end && after - at < 10 && is_digit(text[after])) {
            after++;
        }
        size_t digits = after - at;
        if (digits < 1 || digits > 9 || after >= end ||
            (text[after] != '.' && text[after] != ')')) {
            return false;
        }
        size_t zeros = at;
        while (zeros + 1 < after && text[zeros] == '0') {
            zeros++;
        }
        marker->is_one = text[zeros] == '1' && zeros + 1 == after;
        after++;
    }
    marker->mark = text[after - 1];
    marker->width = after - at;
    return after >= end || is_blank_byte(text[after]);
}

size_t footnote_end(const Byte *text, size_t at, size_t end) {
    if (end - at < 5 || text[at] != '[' || text[at + 1] != '^') {
        return 0;
    }
    bool is_visible = false;
    for (at += 2; at < end && text[at] != ']'; at++) {
        if (text[at] == '[') {
            return 0;
        }
        is_visible = is_visible || !is_blank_byte(text[at]);
        at += text[at] == '\\' && at + 1 < end && is_punctuation(text[at + 1]);
    }
    return is_visible && at + 1 < end && text[at + 1] == ':' ? at + 2 : 0;
}

/* The names of tags that start an HTML block, sorted; and those of raw text. */
static const char *const BLOCK_TAGS[] = {
    "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption",
    "center", "col", "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "h1",
    "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html", "iframe", "legend",
    "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup",
    "option", "p", "param", "search", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "title", "tr", "track", "ul",
};
static const char *const RAW_TAGS[] = {"pre", "script", "style", "textarea"};
/* CommonMark would take the closing tag of any of them, in either case; the other reader
 * takes these. */
static const char *const CLOSING_TAGS[] = {"</pre>", "</script>", "</style>",
                                           "</textarea>"};
enum { MAX_TAG_NAME = 10 };

/* The place of a name in a sorted list, or -1. */
static int find_tag(const Byte *text, size_t start, size_t end, const char *const *names,
                    size_t count) {
    char name[MAX_TAG_NAME + 1];
    size_t length = end - start;
    if (length < 1 || length > MAX_TAG_NAME) {
        return -1;
    }
    for (size_t i = 0; i < length; i++) {
        Byte byte = text[start + i];
        name[i] = (char)(is_letter(byte) ? byte | 0x20 : byte);
    }
    name[length] = 0;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, names[middle]);
        if (order == 0) {
            return (int)middle;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return -1;
}

#define FIND_TAG(text, start, end, names) \
    find_tag(text, start, end, names, sizeof(names) / sizeof(*(names)))

static size_t skip_name(const Byte *text, size_t at, size_t end) {
    if (at >= end || !is_letter(text[at])) {
        return at;
    }
    while (at < end && (is_alphanumeric(text[at]) || text[at] == '-')) {
        at++;
    }
    return at;
}

/* The end of an attribute's value that starts at `at`, or 0. */
static size_t value_end(const Byte *text, size_t at, size_t end) {
    if (at >= end) {
        return 0;
    }
    if (text[at] == '"' || text[at] == '\'') {
        const Byte *found = memchr(text + at + 1, text[at], end - at - 1);
        return found != NULL ? (size_t)(found - text) + 1 : 0;
    }
    size_t start = at;
    while (at < end && !is_blank_byte(text[at]) && memchr("\"'=<>`", text[at], 6) == NULL) {
        at++;
    }
    return at > start ? at : 0;
}

/* The end of an attribute, white space before it included; `at` without one, 0 where
 * the tag is not well formed. */
static size_t attribute_end(const Byte *text, size_t at, size_t end) {
    size_t name = skip_blank(text, at, end);
    if (name == at || name >= end ||
        !(is_letter(text[name]) || text[name] == '_' || text[name] == ':')) {
        return at;
    }
    size_t after = name;
    while (after < end && (is_alphanumeric(text[after]) ||
                           memchr("_.:-", text[after], 4) != NULL)) {
        after++;
    }
    size_t equals = skip_blank(text, after, end);
    if (equals >= end || text[equals] != '=') {
        return after;
    }
    return value_end(text, skip_blank(text, equals + 1, end), end);
}

/* Whether a line is one complete tag, which starts at its `<`. */
static bool is_lone_tag(const Byte *text, size_t at, size_t end) {
    bool is_closing = at + 1 < end && text[at + 1] == '/';
    size_t name = at + (is_closing ? 2 : 1);
    size_t after = skip_name(text, name, end);
    if (after == name) {
        return false;
    }
    if (!is_closing) {
        for (size_t next; (next = attribute_end(text, after, end)) != after;) {
            if (next == 0) {
                return false;
            }
            after = next;
        }
    }
    after = skip_blank(text, after, end);
    if (!is_closing && after < end && text[after] == '/') {
        after++;
    }
    return after < end && text[after] == '>' &&
           skip_blank(text, after + 1, end) == end;
}

static bool has_prefix(const Byte *text, size_t at, size_t end, const char *prefix) {
    size_t length = strlen(prefix);
    return end - at >= length && memcmp(text + at, prefix, length) == 0;
}

/* The condition under which an HTML block that opens with `<!` ends. */
static int declaration_start(const Byte *text, size_t at, size_t end) {
    if (has_prefix(text, at, end, "<!--")) {
        return HTML_COMMENT;
    }
    if (has_prefix(text, at, end, "<![CDATA[")) {
        return HTML_CDATA;
    }
    return at + 2 < end && is_letter(text[at + 2]) ? HTML_DECLARATION : HTML_NONE;
}

Html html_start(const Byte *text, size_t at, size_t end, bool in_paragraph) {
    Html html = {HTML_NONE, NULL};
    if (end - at < 2 || text[at] != '<') {
        return html;
    }
    if (text[at + 1] == '!') {
        html.end = declaration_start(text, at, end);
        return html;
    }
    if (text[at + 1] == '?') {
        html.end = HTML_INSTRUCTION;
        return html;
    }
    bool is_closing = text[at + 1] == '/';
    size_t name = at + (is_closing ? 2 : 1);
    size_t after = skip_name(text, name, end);
    if (after == name) {
        return html;
    }
    bool is_bounded = after >= end || is_blank_byte(text[after]) || text[after] == '>';
    int raw = is_closing ? -1 : FIND_TAG(text, name, after, RAW_TAGS);
    if (raw >= 0 && is_bounded) {
        html.end = HTML_RAW;
        html.closing = CLOSING_TAGS[raw];
    } else if ((is_bounded || has_prefix(text, after, end, "/>")) &&
               FIND_TAG(text, name, after, BLOCK_TAGS) >= 0) {
        html.end = HTML_BLOCK_TAG;
    } else if (!in_paragraph && raw < 0 && is_lone_tag(text, at, end)) {
        html.end = HTML_ANY_TAG;
    }
    return html;
}

static bool holds(const Byte *text, size_t at, size_t end, const char *token) {
    size_t length = strlen(token);
    while (at < end) {
        const Byte *found = memchr(text + at, token[0], end - at);
        if (found == NULL) {
            return false;
        }
        at = (size_t)(found - text);
        if (end - at < length) {
            return false;
        }
        if (memcmp(found, token, length) == 0) {
            return true;
        }
        at++;
    }
    return false;
}

bool html_ends(const Byte *text, size_t at, size_t end, const Html *html) {
    switch (html->end) {
        case HTML_RAW: return holds(text, at, end, html->closing);
        case HTML_COMMENT: return holds(text, at, end, "-->");
        case HTML_INSTRUCTION: return holds(text, at, end, "?>");
        case HTML_DECLARATION: return holds(text, at, end, ">");
        case HTML_CDATA: return holds(text, at, end, "]]>");
        default: return false;
    }
}

size_t count_cells(const Byte *text, size_t at, size_t end) {
    at = skip_blank(text, at, end);
    while (end > at && is_blank_byte(text[end - 1])) {
        end--;
    }
    if (at == end) {
        return 0;
    }
    bool has_pipe = text[at] == '|';
    at += has_pipe;
    size_t cells = 0;
    bool is_open = false;
    for (; at < end; at++) {
        if (text[at] == '|') {
            cells++;
            is_open = false;
            has_pipe = true;
        } else {
            is_open = true;
            at += text[at] == '\\';
        }
    }
    return has_pipe ? cells + is_open : 0;
}

size_t delimiter_columns(const Byte *text, size_t at, size_t end) {
    at = skip_blank(text, at, end);
    bool has_pipe = at < end && text[at] == '|';
    at += has_pipe;
    size_t columns = 0;
    for (;;) {
        at = skip_blank(text, at, end);
        if (at >= end) {
            break;
        }
        at += text[at] == ':';
        size_t dashes = at;
        while (at < end && text[at] == '-') {
            at++;
        }
        if (at == dashes) {
            return 0;
        }
        at += at < end && text[at] == ':';
        columns++;
        at = skip_blank(text, at, end);
        if (at >= end) {
            break;
        }
        if (text[at] != '|') {
            return 0;
        }
        has_pipe = true;
        at++;
    }
    return has_pipe ? columns : 0;
}

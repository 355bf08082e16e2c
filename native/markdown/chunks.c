/* Chunks with the fields that every chunk has. `MetadataRecalculator._chunk` in Python
 * says what they mean; what is more than a lookup is left to its methods. */
#include "chunks.h"

#include "scan.h"

static const char ROLE[] = "chunk"; /* with the zero after it */

/* Names of attributes and fields, made once. */
enum { FIRST, STOP, START, END, PREFIX, SUFFIX, STAGE, RULE_NAME, REPEATS_FROM, CHUNK_ID,
       CONTENT_TYPE, HEADER_PATH, HEADERS, HEADER_LEVEL, SECTION_TAGS, START_LINE, END_LINE,
       BOUNDARY, CONTENT, START_OFFSET, END_OFFSET, METADATA, NAME_COUNT };
static const char *const NAMES[NAME_COUNT] = {
    "first", "stop", "start", "end", "prefix", "suffix", "stage", "rule", "repeats_from",
    "chunk_id", "content_type", "header_path", "headers", "header_level", "section_tags",
    "start_line", "end_line", "boundary", "content", "start_offset", "end_offset",
    "metadata",
};
static PyObject *names[NAME_COUNT];

/* The document, and methods for what is not a lookup. */
typedef struct {
    PyObject *text, *heading_blocks, *titles, *common, *type;
    PyObject *path_of, *content_type_of, *line_of_stack, *assign_id;
    const Byte *kinds;
    size_t block_count;
    size_t at, line;      /* up to where lines were counted, and the line there */
    Py_ssize_t following; /* the first heading after the body of the last draft */
    size_t body;          /* that body */
} Maker;

/* A draft, and the own text of its chunk. */
typedef struct {
    size_t first, stop, start, end;
    size_t first_line, last_line;
    PyObject *draft, *prefix, *suffix, *own, *encoded;
} Piece;

static bool make_names(void) {
    for (int i = 0; i < NAME_COUNT; i++) {
        if (names[i] == NULL &&
            (names[i] = PyUnicode_InternFromString(NAMES[i])) == NULL) {
            return false;
        }
    }
    return true;
}

static bool read_size(PyObject *draft, int name, size_t *size) {
    PyObject *value = PyObject_GetAttr(draft, names[name]);
    if (value == NULL) {
        return false;
    }
    *size = PyLong_AsSize_t(value);
    Py_DECREF(value);
    return PyErr_Occurred() == NULL;
}

/* Set a field, or an attribute of a frozen object, and drop the reference to its value,
 * which may be NULL. */
static bool put(PyObject *fields, int name, PyObject *value) {
    bool is_set = value != NULL && PyDict_SetItem(fields, names[name], value) == 0;
    Py_XDECREF(value);
    return is_set;
}

static bool set(PyObject *object, int name, PyObject *value) {
    bool is_set =
        value != NULL && PyObject_GenericSetAttr(object, names[name], value) == 0;
    Py_XDECREF(value);
    return is_set;
}

static PyObject *borrow(PyObject *object) {
    Py_INCREF(object);
    return object;
}

static size_t count_lines(const Byte *text, size_t start, size_t end) {
    size_t count = 0;
    for (size_t at = start; at < end; at++) {
        count += text[at] == '\n';
    }
    return count;
}

/* Move to where a draft starts: white space inside a line may lie between two. */
static void move_to(Maker *maker, size_t start) {
    for (; maker->at < start; maker->at++) {
        maker->line += PyUnicode_ReadChar(maker->text, (Py_ssize_t)maker->at) == '\n';
    }
    for (; maker->at > start; maker->at--) {
        maker->line -= PyUnicode_ReadChar(maker->text, (Py_ssize_t)maker->at - 1) == '\n';
    }
}

/* Find the own text of a draft, its lines and its UTF-8; `own` stays NULL where the draft
 * is blank. */
static bool read_own(Maker *maker, Piece *piece) {
    size_t start, end, size;
    if (!read_size(piece->draft, START, &start) || !read_size(piece->draft, END, &end)) {
        return false;
    }
    PyObject *source =
        PyUnicode_Substring(maker->text, (Py_ssize_t)start, (Py_ssize_t)end);
    if (source == NULL) {
        return false;
    }
    PyObject *bytes = PyUnicode_AsEncodedString(source, "utf-8", "surrogatepass");
    Py_DECREF(source);
    if (bytes == NULL) {
        return false;
    }
    move_to(maker, start);
    const Byte *text = (const Byte *)PyBytes_AsString(bytes);
    size = (size_t)PyBytes_Size(bytes);
    size_t stop = strip_space(text, 0, size), begin = 0;
    /* Indent at the start of a line belongs to the chunk. */
    if (start > 0 &&
        PyUnicode_ReadChar(maker->text, (Py_ssize_t)start - 1) != '\n') {
        begin = skip_space(text, 0, stop);
    }
    piece->start = start + count_code_points(text, 0, begin);
    piece->end = end - count_code_points(text, stop, size);
    piece->first_line = maker->line + count_lines(text, 0, begin);
    piece->last_line = piece->first_line + count_lines(text, begin, stop);
    maker->line = piece->last_line + count_lines(text, stop, size);
    maker->at = end;
    if (begin < stop) {
        piece->own = PyUnicode_Substring(maker->text, (Py_ssize_t)piece->start,
                                         (Py_ssize_t)piece->end);
        piece->encoded = PyBytes_FromStringAndSize(
            NULL, (Py_ssize_t)(sizeof(ROLE) + stop - begin));
        if (piece->encoded != NULL) {
            char *target = PyBytes_AsString(piece->encoded);
            memcpy(target, ROLE, sizeof(ROLE));
            memcpy(target + sizeof(ROLE), text + begin, stop - begin);
        }
    }
    Py_DECREF(bytes);
    return begin == stop || (piece->own != NULL && piece->encoded != NULL);
}

/* The first heading from `at` on whose block is at least `block`; -1 after an error. */
static Py_ssize_t find_heading(const Maker *maker, Py_ssize_t at, size_t block) {
    Py_ssize_t count = PyList_Size(maker->heading_blocks);
    for (; at < count; at++) {
        size_t found = PyLong_AsSize_t(PyList_GetItem(maker->heading_blocks, at));
        if (found >= block) {
            return PyErr_Occurred() == NULL ? at : -1;
        }
    }
    return at;
}

/* The first block that is not a heading, or else the last one. */
static size_t find_body(const Maker *maker, const Piece *piece) {
    size_t block = piece->first;
    while (block + 1 < piece->stop && maker->kinds[block] == HEADING) {
        block++;
    }
    return block;
}

static bool put_path(const Maker *maker, PyObject *fields) {
    PyObject *known =
        PyObject_CallFunction(maker->path_of, "n", maker->following - 1);
    if (known == NULL) {
        return false;
    }
    PyObject *path, *titles, *level;
    bool is_set = PyArg_ParseTuple(known, "OO!O", &path, &PyList_Type, &titles, &level) &&
                  put(fields, HEADER_PATH, borrow(path)) &&
                  put(fields, HEADERS, PyList_GetSlice(titles, 0, PyList_Size(titles))) &&
                  put(fields, HEADER_LEVEL, borrow(level));
    Py_DECREF(known);
    return is_set;
}

/* Put what is known by the section: its path, the headings inside, the type. */
static bool put_section(Maker *maker, const Piece *piece, PyObject *fields) {
    size_t body = find_body(maker, piece);
    maker->following =
        find_heading(maker, body < maker->body ? 0 : maker->following, body + 1);
    if (maker->following < 0) {
        return false;
    }
    maker->body = body;
    Py_ssize_t last = find_heading(maker, maker->following, piece->stop);
    bool is_plain = maker->following > 0 && maker->kinds[body] < FENCE;
    return last >= 0 && put_path(maker, fields) &&
           put(fields, SECTION_TAGS,
               PyList_GetSlice(maker->titles, maker->following, last)) &&
           (is_plain || put(fields, CONTENT_TYPE,
                            PyObject_CallFunction(maker->content_type_of, "nnn",
                                                  maker->following - 1, (Py_ssize_t)body,
                                                  (Py_ssize_t)piece->stop)));
}

static PyObject *boundary_of(const Piece *piece) {
    PyObject *boundary = PyDict_New();
    if (boundary == NULL ||
        !put(boundary, STAGE, PyObject_GetAttr(piece->draft, names[STAGE])) ||
        !put(boundary, RULE_NAME, PyObject_GetAttr(piece->draft, names[RULE_NAME]))) {
        Py_XDECREF(boundary);
        return NULL;
    }
    return boundary;
}

static PyObject *fields_of(Maker *maker, const Piece *piece) {
    PyObject *fields = PyDict_Copy(maker->common);
    if (fields == NULL ||
        !put(fields, CHUNK_ID,
             PyObject_CallFunctionObjArgs(maker->assign_id, piece->encoded, NULL)) ||
        !put_section(maker, piece, fields) ||
        !put(fields, START_LINE, PyLong_FromSize_t(piece->first_line)) ||
        !put(fields, END_LINE, PyLong_FromSize_t(piece->last_line)) ||
        !put(fields, BOUNDARY, boundary_of(piece))) {
        Py_XDECREF(fields);
        return NULL;
    }
    return fields;
}

/* The line of the headings that a chunk repeats is its first. */
static bool read_prefix(const Maker *maker, Piece *piece) {
    piece->prefix = PyObject_GetAttr(piece->draft, names[PREFIX]);
    piece->suffix = PyObject_GetAttr(piece->draft, names[SUFFIX]);
    if (piece->prefix == NULL || piece->suffix == NULL) {
        return false;
    }
    if (PyUnicode_GetLength(piece->prefix) == 0) {
        return true;
    }
    PyObject *from = PyObject_GetAttr(piece->draft, names[REPEATS_FROM]);
    PyObject *line =
        from == NULL ? NULL
                     : PyObject_CallFunctionObjArgs(maker->line_of_stack, from, NULL);
    Py_XDECREF(from);
    if (line == NULL) {
        return false;
    }
    piece->first_line = PyLong_AsSize_t(line);
    Py_DECREF(line);
    return PyErr_Occurred() == NULL;
}

static PyObject *content_of(const Piece *piece) {
    PyObject *start = PyUnicode_Concat(piece->prefix, piece->own);
    PyObject *content = start == NULL ? NULL : PyUnicode_Concat(start, piece->suffix);
    Py_XDECREF(start);
    return content;
}

static PyObject *chunk_of(const Maker *maker, const Piece *piece, PyObject *fields) {
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)maker->type, Py_tp_alloc);
    PyObject *chunk = allocate((PyTypeObject *)maker->type, 0);
    if (chunk == NULL || !set(chunk, CONTENT, content_of(piece)) ||
        !set(chunk, START_LINE, borrow(PyDict_GetItem(fields, names[START_LINE]))) ||
        !set(chunk, END_LINE, borrow(PyDict_GetItem(fields, names[END_LINE]))) ||
        !set(chunk, START_OFFSET, PyLong_FromSize_t(piece->start)) ||
        !set(chunk, END_OFFSET, PyLong_FromSize_t(piece->end)) ||
        !set(chunk, METADATA, borrow(fields)) ||
        !set(chunk, PREFIX, borrow(piece->prefix)) ||
        !set(chunk, SUFFIX, borrow(piece->suffix))) {
        Py_XDECREF(chunk);
        return NULL;
    }
    return chunk;
}

static PyObject *make_chunk(Maker *maker, PyObject *draft) {
    Piece piece = {.draft = draft};
    PyObject *chunk = NULL, *fields = NULL;
    if (!read_own(maker, &piece)) {
        goto done;
    }
    if (piece.own == NULL) {
        return borrow(Py_None);
    }
    if (read_size(draft, FIRST, &piece.first) && read_size(draft, STOP, &piece.stop) &&
        read_prefix(maker, &piece)) {
        if (piece.first >= piece.stop || piece.stop > maker->block_count) {
            PyErr_SetString(PyExc_IndexError, "a draft has to hold blocks of its text");
        } else {
            fields = fields_of(maker, &piece);
        }
    }
    if (fields != NULL) {
        chunk = chunk_of(maker, &piece, fields);
    }
done:
    Py_XDECREF(fields);
    Py_XDECREF(piece.prefix);
    Py_XDECREF(piece.suffix);
    Py_XDECREF(piece.own);
    Py_XDECREF(piece.encoded);
    return chunk;
}

PyObject *make_chunks(PyObject *module, PyObject *arguments) {
    (void)module;
    PyObject *drafts;
    Py_buffer kinds;
    Maker maker = {.line = 1};
    if (!make_names() ||
        !PyArg_ParseTuple(arguments, "O!Uy*O!O!O!O!OOOO", &PyList_Type, &drafts,
                          &maker.text, &kinds, &PyList_Type, &maker.heading_blocks,
                          &PyList_Type, &maker.titles, &PyDict_Type, &maker.common,
                          &PyType_Type, &maker.type, &maker.path_of,
                          &maker.content_type_of, &maker.line_of_stack,
                          &maker.assign_id)) {
        return NULL;
    }
    maker.kinds = kinds.buf;
    maker.block_count = (size_t)kinds.len;
    PyObject *chunks = PyList_New(0);
    for (Py_ssize_t i = 0; chunks != NULL && i < PyList_Size(drafts); i++) {
        PyObject *chunk = make_chunk(&maker, PyList_GetItem(drafts, i));
        if (chunk == NULL || PyList_Append(chunks, chunk) < 0) {
            Py_CLEAR(chunks);
        }
        Py_XDECREF(chunk);
    }
    PyBuffer_Release(&kinds);
    return chunks;
}

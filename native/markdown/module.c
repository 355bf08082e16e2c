/* The Python module `outcrop.markdown._native`, written to the stable ABI of 3.11. */
#include "chunks.h"

#include "tiles.h"

enum { MAX_LEVELS = 6 };

typedef struct {
    const Byte *text;
    size_t size;
    size_t mark;         /* code points of a byte order mark before the text */
    size_t front_matter; /* code points of front matter before the text */
    Found found;
    int64_t *starts;         /* of each block, in code points */
} Scan;

/* Starts in code points; the byte offsets stay in the blocks. */
static bool count_starts(Scan *scan) {
    size_t count = scan->found.count;
    scan->starts = PyMem_Malloc((count + 1) * sizeof(*scan->starts));
    if (scan->starts == NULL) {
        return false;
    }
    size_t at = 0, points = scan->mark + scan->front_matter;
    for (size_t i = 0; i < count; i++) {
        size_t start = scan->found.blocks[i].start;
        points += count_code_points(scan->text, at, start);
        at = start;
        scan->starts[i] = (int64_t)points;
    }
    return true;
}

static PyObject *bytes_of(const Scan *scan, size_t field) {
    size_t count = scan->found.count;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)count);
    if (bytes == NULL) {
        return NULL;
    }
    char *target = PyByteArray_AsString(bytes);
    for (size_t i = 0; i < count; i++) {
        target[i] = ((const char *)&scan->found.blocks[i])[field];
    }
    return bytes;
}

/* Append to a list and drop the reference; `item` may be NULL. */
static bool append_item(PyObject *list, PyObject *item) {
    bool is_added = item != NULL && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return is_added;
}

/* Return None. `Py_RETURN_NONE` of Python 3.12 counts no reference, although this file also
   serves 3.11, where None is freed without it. */
static PyObject *none(void) {
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *title_of(const Scan *scan, const Title *title) {
    char words[MAX_PLAIN_TITLE];
    size_t length;
    if (!title->is_odd &&
        memchr(scan->text + title->start, '\n', title->end - title->start) == NULL &&
        read_plain_title(scan->text, title->start, title->end, words, &length)) {
        return PyUnicode_DecodeUTF8(words, (Py_ssize_t)length, "replace");
    }
    return none();
}

/* Add a heading, and its source where its title has markup. */
static bool add_heading(const Scan *scan, size_t block, const Title *title,
                        Py_ssize_t parent, PyObject *headings, PyObject *unread) {
    const Found *found = &scan->found;
    size_t start = found->blocks[block].start;
    size_t next = block + 1 < found->count ? found->blocks[block + 1].start : scan->size;
    size_t visible = skip_blank(scan->text, start, next);
    size_t end = strip_space(scan->text, start, next);
    Py_ssize_t first = (Py_ssize_t)scan->starts[block];
    Py_ssize_t last = first + (Py_ssize_t)count_code_points(scan->text, start, end);
    first += (Py_ssize_t)(visible - start);
    PyObject *words = title_of(scan, title);
    if (words == NULL) {
        return false;
    }
    if (words == Py_None) {
        Py_ssize_t index = PyList_Size(headings);
        PyObject *source = Py_BuildValue("(nnn)", index, (Py_ssize_t)title->source.start,
                                         (Py_ssize_t)title->source.end);
        if (!append_item(unread, source)) {
            Py_DECREF(words);
            return false;
        }
    }
    Py_ssize_t number = (Py_ssize_t)block + (scan->front_matter > 0);
    return append_item(headings, Py_BuildValue("(nnniNn)", number, first, last,
                                               title->level, words, parent));
}

static bool add_headings(const Scan *scan, PyObject *headings, PyObject *unread) {
    const Found *found = &scan->found;
    Py_ssize_t open[MAX_LEVELS]; /* the sections around the next heading */
    int levels[MAX_LEVELS], depth = 0;
    size_t block = 0;
    for (size_t i = 0; i < found->title_count; i++, block++) {
        const Title *title = &found->titles[i];
        while (block < found->count && found->blocks[block].kind != HEADING) {
            block++;
        }
        if (block == found->count) {
            break;
        }
        while (depth > 0 && levels[depth - 1] >= title->level) {
            depth--;
        }
        Py_ssize_t parent = depth > 0 ? open[depth - 1] : -1;
        if (!add_heading(scan, block, title, parent, headings, unread)) {
            return false;
        }
        open[depth] = (Py_ssize_t)i;
        levels[depth++] = title->level;
    }
    return true;
}

static bool add_definitions(const Scan *scan, PyObject *definitions) {
    for (size_t i = 0; i < scan->found.definition_count; i++) {
        const Span *span = &scan->found.definitions[i];
        PyObject *pair =
            Py_BuildValue("(nn)", (Py_ssize_t)span->start, (Py_ssize_t)span->end);
        if (!append_item(definitions, pair)) {
            return false;
        }
    }
    return true;
}

static PyObject *build_result(Scan *scan) {
    PyObject *starts = NULL, *kinds = NULL, *ranks = NULL, *flags = NULL;
    PyObject *headings = PyList_New(0), *unread = PyList_New(0);
    PyObject *definitions = PyList_New(0), *result = NULL;
    if (headings == NULL || unread == NULL || definitions == NULL ||
        !add_headings(scan, headings, unread) ||
        (PyList_Size(unread) > 0 && !add_definitions(scan, definitions))) {
        goto done;
    }
    starts = PyBytes_FromStringAndSize(
        (const char *)scan->starts,
        (Py_ssize_t)(scan->found.count * sizeof(*scan->starts)));
    kinds = bytes_of(scan, offsetof(Block, kind));
    ranks = bytes_of(scan, offsetof(Block, rank));
    flags = bytes_of(scan, offsetof(Block, flags));
    if (starts != NULL && kinds != NULL && ranks != NULL && flags != NULL) {
        result = Py_BuildValue("(OOOOOOOO)", starts, kinds, ranks, flags, headings,
                               unread, definitions,
                               scan->found.has_nested_definitions ? Py_True : Py_False);
    }
done:
    Py_XDECREF(starts);
    Py_XDECREF(kinds);
    Py_XDECREF(ranks);
    Py_XDECREF(flags);
    Py_XDECREF(headings);
    Py_XDECREF(unread);
    Py_XDECREF(definitions);
    return result;
}

static PyObject *run(Scan *scan) {
    Outcome outcome = scan_blocks(scan->text, scan->size, &scan->found);
    if (outcome == UNSURE) {
        return none();
    }
    bool is_filled =
        outcome == SCANNED && fill_gaps(scan->text, scan->size, &scan->found);
    if (!is_filled) {
        return PyErr_NoMemory();
    }
    drop_blank_blocks(scan->text, scan->size, &scan->found);
    if (scan->mark && !scan->front_matter && scan->found.count == 0) {
        Block mark = {0, UNKNOWN_END, DEFINITIONS, 0, 0};
        if (!add_block(&scan->found, mark)) {
            return PyErr_NoMemory();
        }
    }
    if (!count_starts(scan)) {
        return PyErr_NoMemory();
    }
    return build_result(scan);
}

static PyObject *scan_method(PyObject *module, PyObject *arguments) {
    (void)module;
    Py_buffer data; /* a str gives its UTF-8, which for ASCII is the str itself */
    Py_ssize_t mark, front_matter;
    if (!PyArg_ParseTuple(arguments, "s*nn", &data, &mark, &front_matter)) {
        return NULL;
    }
    Scan scan = {
        .text = data.buf,
        .size = (size_t)data.len,
        .mark = (size_t)mark,
        .front_matter = (size_t)front_matter,
    };
    PyObject *result = run(&scan);
    free_found(&scan.found);
    PyMem_Free(scan.starts);
    PyBuffer_Release(&data);
    return result;
}

static PyMethodDef METHODS[] = {
    {"scan", scan_method, METH_VARARGS,
     "scan(data, mark, front_matter)\n--\n\n"
     "Read the blocks of a Markdown text in UTF-8; None where it is not sure."},
    {"make_chunks", make_chunks, METH_VARARGS,
     "make_chunks(drafts, text, kinds, heading_blocks, titles, common, chunk_type,\n"
     "            path_of, content_type_of, line_of_stack, assign_id)\n--\n\n"
     "Make a chunk of each draft, with the fields that every chunk has."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_native", "The block scanner, and what makes chunks.", 0, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&MODULE); }

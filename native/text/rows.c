/* Sums of the rows of a table, which are the vectors of texts; local_embedder.py says
 * what they mean. */
#include "text.h"

#include <math.h>
#include <string.h>

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* The table is larger than most caches, so rows are fetched before their turn. */
enum { ROWS_AHEAD = 6, CACHE_LINE = 64 };

/* Rows of small integers, and what each of them is multiplied by. */
typedef struct {
    const int8_t *rows;
    const float *scales;
    size_t row_count, width;
} Table;

static uint32_t number_at(const char *numbers, size_t at) {
    uint32_t number;
    memcpy(&number, numbers + at * sizeof(number), sizeof(number));
    return number;
}

static void fetch_row(const Table *table, uint32_t id) {
    if (id < table->row_count) {
        const int8_t *row = table->rows + id * table->width;
        for (size_t column = 0; column < table->width; column += CACHE_LINE) {
            PREFETCH(row + column);
        }
    }
}

/* Add the rows of tokens one after the other, each product rounded before it is added:
 * the result must be the one that NumPy computes, to the bit. */
static bool add_rows(const Table *table, const char *ids, const char *counts,
                     size_t count, float *restrict sum) {
    const size_t width = table->width;
    memset(sum, 0, width * sizeof(*sum));
    for (size_t at = 0; at < count && at < ROWS_AHEAD; at++) {
        fetch_row(table, number_at(ids, at));
    }
    for (size_t at = 0; at < count; at++) {
        if (at + ROWS_AHEAD < count) {
            fetch_row(table, number_at(ids, at + ROWS_AHEAD));
        }
        uint32_t id = number_at(ids, at);
        if (id >= table->row_count) {
            PyErr_SetString(PyExc_IndexError, "the table has no row for a token");
            return false;
        }
        float weight = sqrtf((float)number_at(counts, at)) * table->scales[id];
        const int8_t *restrict row = table->rows + id * width;
        for (size_t column = 0; column < width; column++) {
            sum[column] += weight * (float)row[column];
        }
    }
    return true;
}

/* Sum the rows of one text, given as two arrays of uint32. */
static bool add_text(const Table *table, PyObject *text, float *sum) {
    char *ids, *counts;
    Py_ssize_t size, same_size;
    if (!PyTuple_Check(text) || PyTuple_Size(text) != 2) {
        PyErr_SetString(PyExc_TypeError, "a text has to be a tuple of ids and counts");
        return false;
    }
    if (PyBytes_AsStringAndSize(PyTuple_GetItem(text, 0), &ids, &size) < 0 ||
        PyBytes_AsStringAndSize(PyTuple_GetItem(text, 1), &counts, &same_size) < 0) {
        return false;
    }
    if (size != same_size) {
        PyErr_SetString(PyExc_ValueError, "each id needs a count");
        return false;
    }
    return add_rows(table, ids, counts, (size_t)size / sizeof(uint32_t), sum);
}

static bool add_texts(const Table *table, PyObject *texts, const Py_buffer *sums) {
    Py_ssize_t count = PyList_Size(texts);
    if (count < 0 || sums->len != count * (Py_ssize_t)(table->width * sizeof(float))) {
        PyErr_SetString(PyExc_ValueError, "each text needs a sum");
        return false;
    }
    float *sum = sums->buf;
    for (Py_ssize_t at = 0; at < count; at++, sum += table->width) {
        if (!add_text(table, PyList_GetItem(texts, at), sum)) {
            return false;
        }
    }
    return true;
}

PyObject *sum_rows(PyObject *module, PyObject *arguments) {
    Py_buffer rows, scales, sums;
    PyObject *texts;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*O!w*", &rows, &scales, &PyList_Type, &texts,
                          &sums)) {
        return NULL;
    }
    Table table = {rows.buf, scales.buf, (size_t)scales.len / sizeof(float), 0};
    bool is_done = false;
    if (table.row_count == 0 || (size_t)rows.len % table.row_count != 0) {
        PyErr_SetString(PyExc_ValueError, "each row needs a scale");
    } else {
        table.width = (size_t)rows.len / table.row_count;
        is_done = add_texts(&table, texts, &sums);
    }
    PyBuffer_Release(&rows);
    PyBuffer_Release(&scales);
    PyBuffer_Release(&sums);
    return is_done ? none() : NULL;
}

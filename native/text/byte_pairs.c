/* Byte pair encoding; byte_pairs.py says what it is. */
#include "text.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 256 };
#define NO_MERGE UINT32_MAX
#define FREE UINT32_MAX /* a pair of two numbers that are never both the last ones */

typedef struct {
    uint32_t pair;  /* the left token's number in the high bits */
    uint32_t token; /* what the two become */
} Merge;

typedef struct {
    PyObject_HEAD
    uint32_t token_of_byte[BYTES];
    Merge *slots;
    size_t slot_count; /* a power of two */
} BytePairs;

static size_t slot_of(const BytePairs *pairs, uint32_t pair) {
    uint64_t mixed = pair * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (pairs->slot_count - 1);
}

static uint32_t merged(const BytePairs *pairs, uint32_t left, uint32_t right) {
    uint32_t pair = left << 16 | right;
    size_t at = slot_of(pairs, pair);
    while (pairs->slots[at].pair != FREE) {
        if (pairs->slots[at].pair == pair) {
            return pairs->slots[at].token;
        }
        at = (at + 1) & (pairs->slot_count - 1);
    }
    return NO_MERGE;
}

/* Merge the tokens of a word, in place; return how many remain. `next` has room for what
 * each token and the one after it become. */
static size_t merge_all(const BytePairs *pairs, uint32_t *tokens, uint32_t *next,
                        size_t count) {
    for (size_t at = 0; at + 1 < count; at++) {
        next[at] = merged(pairs, tokens[at], tokens[at + 1]);
    }
    while (count > 1) {
        size_t best = 0;
        for (size_t at = 1; at + 1 < count; at++) {
            best = next[at] < next[best] ? at : best;
        }
        if (next[best] == NO_MERGE) {
            break;
        }
        tokens[best] = next[best];
        size_t after = count - best - 2; /* tokens after the two */
        memmove(tokens + best + 1, tokens + best + 2, after * sizeof(*tokens));
        memmove(next + best, next + best + 1, after * sizeof(*next));
        count--;
        if (best > 0) {
            next[best - 1] = merged(pairs, tokens[best - 1], tokens[best]);
        }
        if (best + 1 < count) {
            next[best] = merged(pairs, tokens[best], tokens[best + 1]);
        }
    }
    return count;
}

static PyObject *make_list(const uint32_t *tokens, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t at = 0; list != NULL && at < count; at++) {
        PyObject *token = PyLong_FromUnsignedLong(tokens[at]);
        if (token == NULL || PyList_SetItem(list, (Py_ssize_t)at, token) < 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *encode_method(PyObject *self, PyObject *word) {
    const BytePairs *pairs = (const BytePairs *)self;
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(word, &size);
    if (bytes == NULL) {
        return NULL;
    }
    size_t count = (size_t)size;
    uint32_t *tokens = malloc((2 * count + 1) * sizeof(*tokens));
    if (tokens == NULL) {
        return PyErr_NoMemory();
    }
    for (size_t at = 0; at < count; at++) {
        tokens[at] = pairs->token_of_byte[(unsigned char)bytes[at]];
    }
    count = merge_all(pairs, tokens, tokens + count, count);
    PyObject *list = make_list(tokens, count);
    free(tokens);
    return list;
}

/* Put each pair into a slot; an equal pair that comes later takes the place. */
static bool fill_slots(BytePairs *pairs, const uint16_t *merges, size_t count) {
    pairs->slot_count = 2;
    while (pairs->slot_count < 2 * count) {
        pairs->slot_count *= 2;
    }
    pairs->slots = malloc(pairs->slot_count * sizeof(*pairs->slots));
    if (pairs->slots == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t at = 0; at < pairs->slot_count; at++) {
        pairs->slots[at].pair = FREE;
    }
    for (size_t number = 0; number < count; number++) {
        uint32_t pair = (uint32_t)merges[2 * number] << 16 | merges[2 * number + 1];
        size_t at = slot_of(pairs, pair);
        while (pairs->slots[at].pair != FREE && pairs->slots[at].pair != pair) {
            at = (at + 1) & (pairs->slot_count - 1);
        }
        pairs->slots[at].pair = pair;
        pairs->slots[at].token = (uint32_t)(BYTES + number);
    }
    return true;
}

static PyObject *new_byte_pairs(PyTypeObject *type, PyObject *arguments,
                                PyObject *named) {
    Py_buffer merges, token_of_byte;
    (void)named;
    if (!PyArg_ParseTuple(arguments, "y*y*", &merges, &token_of_byte)) {
        return NULL;
    }
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    BytePairs *pairs = NULL;
    if (merges.len % 4 != 0 || merges.len / 4 > UINT16_MAX - BYTES ||
        token_of_byte.len != BYTES) {
        PyErr_SetString(PyExc_ValueError,
                        "merges have to be pairs of uint16, at most 65,279 of them, and "
                        "each of the 256 bytes needs a token");
    } else {
        pairs = (BytePairs *)make(type, 0);
    }
    if (pairs != NULL) {
        const unsigned char *given = token_of_byte.buf;
        for (int byte = 0; byte < BYTES; byte++) {
            pairs->token_of_byte[byte] = given[byte];
        }
        if (!fill_slots(pairs, merges.buf, (size_t)merges.len / 4)) {
            Py_CLEAR(pairs);
        }
    }
    PyBuffer_Release(&merges);
    PyBuffer_Release(&token_of_byte);
    return (PyObject *)pairs;
}

static void free_byte_pairs(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    free(((BytePairs *)self)->slots);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef METHODS[] = {
    {"encode", encode_method, METH_O,
     "encode(word)\n--\n\nReturn the tokens of a word."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot SLOTS[] = {
    {Py_tp_doc, "BytePairs(merges, token_of_byte)\n--\n\nThe merges of a vocabulary."},
    {Py_tp_new, new_byte_pairs},
    {Py_tp_dealloc, free_byte_pairs},
    {Py_tp_methods, METHODS},
    {0, NULL},
};

PyType_Spec BYTE_PAIRS_SPEC = {"outcrop.text._native.BytePairs", sizeof(BytePairs), 0,
                               Py_TPFLAGS_DEFAULT, SLOTS};

/* Counts what the words of a text stand for: the terms of a search index, or tokens. Or
 * finds the words that stand for some of them.
 *
 * Most words of a text have been seen before. They are found, looked up and counted here
 * without an object for any of them; Python is asked about each new word, once.
 */
#include "places.h"
#include "text.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

/* Words and items that are kept; more than that, and all are forgotten. */
enum { MAX_KEPT = 200000 };

enum { SEPARATOR, LETTER, JOINER, OTHER };

typedef struct {
    PyObject_HEAD
    Byte kinds[256];   /* of each byte of UTF-8; all that are not ASCII are OTHER */
    Words words;
    PyObject *numbers; /* the number of each item */
    PyObject **items;  /* each item by its number */
    uint32_t *counts;  /* of each item in the text, or 1 if it is looked for; 0 between
                          texts */
    uint32_t *seen;    /* the numbers of the items in the text, in their order */
    size_t item_count, item_capacity, seen_count;
    bool is_busy;      /* another thread may come while Python is asked */
} Counter;

static void forget(Counter *counter) {
    for (size_t at = 0; at < counter->item_count; at++) {
        Py_DECREF(counter->items[at]);
    }
    free(counter->items);
    free(counter->counts);
    free(counter->seen);
    counter->items = NULL;
    counter->counts = counter->seen = NULL;
    counter->item_count = counter->item_capacity = counter->seen_count = 0;
    free_words(&counter->words);
    PyDict_Clear(counter->numbers);
}

/* Make room for one more item in the three arrays, which have the same length. */
static bool add_room(Counter *counter) {
    size_t same[3] = {counter->item_capacity, counter->item_capacity,
                      counter->item_capacity};
    size_t count = counter->item_count;
    void *items = grow(counter->items, count, &same[0], sizeof(*counter->items));
    counter->items = items != NULL ? items : counter->items;
    void *counts = grow(counter->counts, count, &same[1], sizeof(*counter->counts));
    counter->counts = counts != NULL ? counts : counter->counts;
    void *seen = grow(counter->seen, count, &same[2], sizeof(*counter->seen));
    counter->seen = seen != NULL ? seen : counter->seen;
    if (items == NULL || counts == NULL || seen == NULL) {
        PyErr_NoMemory();
        return false;
    }
    counter->item_capacity = same[0];
    return true;
}

/* Return the number of an item, or -1 with an error. */
static int64_t number_of(Counter *counter, PyObject *item) {
    PyObject *known = PyDict_GetItemWithError(counter->numbers, item);
    if (known != NULL) {
        return PyLong_AsLongLong(known);
    }
    if (PyErr_Occurred() || !add_room(counter)) {
        return -1;
    }
    PyObject *number = PyLong_FromSize_t(counter->item_count);
    if (number == NULL || PyDict_SetItem(counter->numbers, item, number) < 0) {
        Py_XDECREF(number);
        return -1;
    }
    Py_DECREF(number);
    Py_INCREF(item);
    counter->items[counter->item_count] = item;
    counter->counts[counter->item_count] = 0;
    return (int64_t)counter->item_count++;
}

static void use_number(Counter *counter, Text *text, uint32_t number) {
    if (text->places != NULL) {
        text->is_found |= counter->counts[number] != 0;
    } else if (counter->counts[number]++ == 0) {
        counter->seen[counter->seen_count++] = number;
    }
}

static bool use_items(Counter *counter, Text *text, PyObject *items, const Byte *bytes,
                      size_t length, uint64_t hash) {
    if (!PyTuple_Check(items)) {
        PyErr_SetString(PyExc_TypeError, "the items of a word have to be a tuple");
        return false;
    }
    uint32_t numbers[MAX_KEPT_NUMBERS];
    Py_ssize_t count = PyTuple_Size(items);
    for (Py_ssize_t at = 0; at < count; at++) {
        int64_t number = number_of(counter, PyTuple_GetItem(items, at));
        if (number < 0) {
            return false;
        }
        use_number(counter, text, (uint32_t)number);
        if (at < MAX_KEPT_NUMBERS) {
            numbers[at] = (uint32_t)number;
        }
    }
    if (counter->words.word_count < MAX_KEPT &&
        !keep_word(&counter->words, bytes, length, hash, numbers, (size_t)count)) {
        PyErr_NoMemory();
        return false;
    }
    return true;
}

static bool ask(Counter *counter, Text *text, size_t start, size_t end, uint64_t hash) {
    const char *bytes = (const char *)text->bytes + start;
    PyObject *word = PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)(end - start), "strict");
    if (word == NULL) {
        return false;
    }
    PyObject *items = PyObject_CallFunctionObjArgs(text->items_of, word, NULL);
    Py_DECREF(word);
    if (items == NULL) {
        return false;
    }
    bool is_used =
        use_items(counter, text, items, text->bytes + start, end - start, hash);
    Py_DECREF(items);
    return is_used;
}

static bool use_word(Counter *counter, Text *text, size_t start, size_t end,
                     uint64_t hash) {
    text->is_found = false;
    const Word *word =
        find_word(&counter->words, text->bytes + start, end - start, hash);
    if (word != NULL) {
        const uint32_t *numbers = counter->words.numbers + word->first;
        for (uint32_t at = 0; at < word->count; at++) {
            use_number(counter, text, numbers[at]);
        }
    } else if (!ask(counter, text, start, end, hash)) {
        return false;
    }
    return !text->is_found || add_place(text, start, end);
}

/* Use the words of a run of ASCII: letters, with single joiners between them. */
static bool use_run(Counter *counter, Text *text, size_t at, size_t end) {
    const Byte *kinds = counter->kinds, *bytes = text->bytes;
    while (at < end) {
        if (kinds[bytes[at]] != LETTER) {
            at++;
            continue;
        }
        size_t start = at;
        uint64_t hash = FIRST_HASH;
        while (at < end && (kinds[bytes[at]] == LETTER ||
                            (at + 1 < end && kinds[bytes[at + 1]] == LETTER))) {
            hash = add_to_hash(hash, bytes[at++]);
        }
        if (!use_word(counter, text, start, at, hash)) {
            return false;
        }
    }
    return true;
}

/* Use a run with other letters: Python takes it apart. */
static bool use_other_run(Counter *counter, Text *text, size_t at, size_t end) {
    const Byte *kinds = counter->kinds, *bytes = text->bytes;
    while (kinds[bytes[at]] == JOINER) {
        at++;
    }
    while (kinds[bytes[end - 1]] == JOINER) {
        end--;
    }
    uint64_t hash = FIRST_HASH;
    for (size_t each = at; each < end; each++) {
        hash = add_to_hash(hash, bytes[each]);
    }
    return use_word(counter, text, at, end, hash);
}

/* Use all words. No word has a separator in it, so each run between separators may be
 * looked at by itself. */
static bool use_all(Counter *counter, Text *text) {
    const Byte *kinds = counter->kinds, *bytes = text->bytes;
    size_t at = 0;
    while (at < text->size) {
        size_t start = at;
        bool is_other = false;
        while (at < text->size && kinds[bytes[at]] != SEPARATOR) {
            is_other |= kinds[bytes[at++]] == OTHER;
        }
        bool is_used = is_other ? use_other_run(counter, text, start, at)
                                   : use_run(counter, text, start, at);
        if (!is_used) {
            return false;
        }
        at++;
    }
    return true;
}

static PyObject *make_dict(const Counter *counter) {
    PyObject *result = PyDict_New();
    for (size_t at = 0; result != NULL && at < counter->seen_count; at++) {
        uint32_t number = counter->seen[at];
        PyObject *count = PyLong_FromUnsignedLong(counter->counts[number]);
        if (count == NULL ||
            PyDict_SetItem(result, counter->items[number], count) < 0) {
            Py_CLEAR(result);
        }
        Py_XDECREF(count);
    }
    return result;
}

/* Return the items, which are numbers, and their counts as two arrays of 32 bits. */
static PyObject *make_arrays(const Counter *counter) {
    Py_ssize_t size = (Py_ssize_t)(counter->seen_count * sizeof(uint32_t));
    PyObject *items = PyBytes_FromStringAndSize(NULL, size);
    PyObject *counts = PyBytes_FromStringAndSize(NULL, size);
    bool is_done = items != NULL && counts != NULL;
    for (size_t at = 0; is_done && at < counter->seen_count; at++) {
        uint32_t number = counter->seen[at];
        uint32_t item = (uint32_t)PyLong_AsUnsignedLong(counter->items[number]);
        size_t place = at * sizeof(item);
        memcpy(PyBytes_AsString(items) + place, &item, sizeof(item));
        memcpy(PyBytes_AsString(counts) + place, &counter->counts[number], sizeof(item));
        is_done = item != (uint32_t)-1 || !PyErr_Occurred();
    }
    PyObject *result = is_done ? PyTuple_Pack(2, items, counts) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(counts);
    return result;
}

/* Prepare for a text; false where Python has to read it: another thread is here, or the
 * text has a lone surrogate. */
static bool begin(Counter *counter, PyObject *string, Text *text) {
    if (counter->is_busy) {
        return false;
    }
    Py_ssize_t size;
    text->bytes = (const Byte *)PyUnicode_AsUTF8AndSize(string, &size);
    if (text->bytes == NULL) {
        PyErr_Clear();
        return false;
    }
    text->size = (size_t)size;
    if (counter->words.word_count >= MAX_KEPT || counter->item_count >= MAX_KEPT) {
        forget(counter);
    }
    counter->is_busy = true;
    return true;
}

static PyObject *count_with(Counter *counter, PyObject *arguments,
                            PyObject *(*make)(const Counter *)) {
    PyObject *string;
    Text text = {0};
    if (!PyArg_ParseTuple(arguments, "UO", &string, &text.items_of)) {
        return NULL;
    }
    if (!begin(counter, string, &text)) {
        return none();
    }
    PyObject *result = use_all(counter, &text) ? make(counter) : NULL;
    while (counter->seen_count > 0) {
        counter->counts[counter->seen[--counter->seen_count]] = 0;
    }
    counter->is_busy = false;
    return result;
}

/* Mark the items that are looked for, or take the marks away. */
static bool mark(Counter *counter, PyObject *wanted, uint32_t value) {
    for (Py_ssize_t at = 0; at < PyTuple_Size(wanted); at++) {
        int64_t number = number_of(counter, PyTuple_GetItem(wanted, at));
        if (number < 0) {
            return false;
        }
        counter->counts[number] = value;
    }
    return true;
}

static PyObject *find_method(PyObject *self, PyObject *arguments) {
    Counter *counter = (Counter *)self;
    PyObject *string, *wanted;
    Text text = {0};
    if (!PyArg_ParseTuple(arguments, "UOO!", &string, &text.items_of, &PyTuple_Type,
                          &wanted)) {
        return NULL;
    }
    if (!begin(counter, string, &text)) {
        return none();
    }
    text.places = PyList_New(0);
    bool is_done = text.places != NULL && mark(counter, wanted, 1) &&
                   use_all(counter, &text);
    if (is_done) {
        is_done = mark(counter, wanted, 0);
    } else {
        forget(counter); /* with all marks */
    }
    counter->is_busy = false;
    if (!is_done) {
        Py_CLEAR(text.places);
    }
    return text.places;
}

static PyObject *count_method(PyObject *self, PyObject *arguments) {
    return count_with((Counter *)self, arguments, make_dict);
}

static PyObject *count_numbers_method(PyObject *self, PyObject *arguments) {
    return count_with((Counter *)self, arguments, make_arrays);
}

static PyObject *new_counter(PyTypeObject *type, PyObject *arguments, PyObject *named) {
    const char *letters, *joiners;
    if (named != NULL && PyDict_Size(named) > 0) {
        PyErr_SetString(PyExc_TypeError, "WordCounter takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(arguments, "ss", &letters, &joiners)) {
        return NULL;
    }
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Counter *counter = (Counter *)make(type, 0);
    if (counter == NULL) {
        return NULL;
    }
    memset(counter->kinds + 128, OTHER, 128);
    for (; *letters; letters++) {
        counter->kinds[(Byte)*letters] = LETTER;
    }
    for (; *joiners; joiners++) {
        counter->kinds[(Byte)*joiners] = JOINER;
    }
    counter->numbers = PyDict_New();
    if (counter->numbers == NULL) {
        Py_DECREF(counter);
        return NULL;
    }
    return (PyObject *)counter;
}

static void free_counter(PyObject *self) {
    Counter *counter = (Counter *)self;
    PyTypeObject *type = Py_TYPE(self);
    if (counter->numbers != NULL) {
        forget(counter);
        Py_DECREF(counter->numbers);
    }
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef METHODS[] = {
    {"count", count_method, METH_VARARGS,
     "count(text, items_of)\n--\n\n"
     "Count the items of a text's words, in their order; None where Python has to."},
    {"count_numbers", count_numbers_method, METH_VARARGS,
     "count_numbers(text, items_of)\n--\n\n"
     "The same for items that are numbers: arrays of uint32 of items and of counts."},
    {"find", find_method, METH_VARARGS,
     "find(text, items_of, wanted)\n--\n\n"
     "Return the places of words with any of the wanted items; None as `count` does."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot SLOTS[] = {
    {Py_tp_doc, "WordCounter(letters, joiners)\n--\n\n"
                "Counts what words of these letters, and joiners between them, stand for."},
    {Py_tp_new, new_counter},
    {Py_tp_dealloc, free_counter},
    {Py_tp_methods, METHODS},
    {0, NULL},
};

PyType_Spec COUNTER_SPEC = {"outcrop.text._native.WordCounter", sizeof(Counter), 0,
                            Py_TPFLAGS_DEFAULT, SLOTS};

/* A text whose words are used, and the places of those that are looked for. */
#ifndef OUTCROP_PLACES_H
#define OUTCROP_PLACES_H

#include "text.h"
#include "words.h"

/* A text with the function that says what a word stands for. */
typedef struct {
    const Byte *bytes;
    size_t size;
    PyObject *items_of;
    PyObject *places;  /* of the words that are looked for; NULL if all are counted */
    bool is_found;     /* whether the word stands for an item that is looked for */
    size_t byte, point; /* a place in the text, in bytes and in code points */
} Text;

/* Return the place of a byte that is not before the one asked for last. */
static inline size_t point_at(Text *text, size_t byte) {
    while (text->byte < byte) {
        text->point += (text->bytes[text->byte++] & 0xc0) != 0x80;
    }
    return text->point;
}

static inline bool add_place(Text *text, size_t start, size_t end) {
    size_t first = point_at(text, start);
    PyObject *place =
        Py_BuildValue("nn", (Py_ssize_t)first, (Py_ssize_t)point_at(text, end));
    bool is_added = place != NULL && PyList_Append(text->places, place) == 0;
    Py_XDECREF(place);
    return is_added;
}

#endif

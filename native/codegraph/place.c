/* A constraint of a file with the numbers of the program; see `constraints.py`. */
#include "points_to.h"

static PyObject *add_number(PyObject *number, long first) {
    if (number == Py_None) {
        return none();
    }
    long own = PyLong_AsLong(number);
    return own == -1 && PyErr_Occurred() ? NULL : PyLong_FromLong(own + first);
}

/* Return (name, variable) with the variable's number in the program. */
static PyObject *place_named(PyObject *pair, long variables) {
    PyObject *name = PyTuple_GetItem(pair, 0);
    PyObject *own = name == NULL ? NULL : PyTuple_GetItem(pair, 1);
    PyObject *number = own == NULL ? NULL : add_number(own, variables);
    PyObject *placed = number == NULL ? NULL : PyTuple_Pack(2, name, number);
    Py_XDECREF(number);
    return placed;
}

static PyObject *place_each(PyObject *fields, long variables, bool is_named) {
    Py_ssize_t count = PyTuple_Size(fields);
    PyObject *placed = count < 0 ? NULL : PyTuple_New(count);
    for (Py_ssize_t at = 0; placed != NULL && at < count; at++) {
        PyObject *field = PyTuple_GetItem(fields, at);
        PyObject *one =
            is_named ? place_named(field, variables) : add_number(field, variables);
        if (one == NULL || PyTuple_SetItem(placed, at, one) < 0) {
            Py_CLEAR(placed);
        }
    }
    return placed;
}

static PyObject *place_field(char code, PyObject *field, long variables, long symbols) {
    switch (code) {
    case 'v':
        return add_number(field, variables);
    case 's':
        return add_number(field, symbols);
    case 'a':
        return place_each(field, variables, false);
    case 'n':
        return place_each(field, variables, true);
    default:
        return Py_NewRef(field);
    }
}

/* Return the fields of a constraint, as a tuple without its type. */
static PyObject *place_fields(PyObject *packed, const char *codes, Py_ssize_t count,
                              long variables, long symbols) {
    if (PyTuple_Size(packed) != count + 1) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_ValueError, "a constraint with other fields");
        }
        return NULL;
    }
    PyObject *fields = PyTuple_New(count);
    for (Py_ssize_t at = 0; fields != NULL && at < count; at++) {
        PyObject *field = PyTuple_GetItem(packed, at + 1);
        PyObject *placed = place_field(codes[at], field, variables, symbols);
        if (placed == NULL || PyTuple_SetItem(fields, at, placed) < 0) {
            Py_CLEAR(fields);
        }
    }
    return fields;
}

PyObject *place(PyObject *packed, PyObject *layouts, File file) {
    PyObject *first = PyTuple_GetItem(packed, 0);
    Py_ssize_t number = first == NULL ? -1 : PyLong_AsSsize_t(first);
    PyObject *layout =
        number == -1 && PyErr_Occurred() ? NULL : PyTuple_GetItem(layouts, number);
    PyObject *type = layout == NULL ? NULL : PyTuple_GetItem(layout, 0);
    PyObject *written = type == NULL ? NULL : PyTuple_GetItem(layout, 1);
    Py_ssize_t count;
    const char *codes = written == NULL ? NULL : PyUnicode_AsUTF8AndSize(written, &count);
    PyObject *fields =
        codes == NULL
            ? NULL
            : place_fields(packed, codes, count, file.variables, file.symbols);
    PyObject *arguments = fields == NULL ? NULL : PyTuple_Pack(1, fields);
    Py_XDECREF(fields);
    if (arguments == NULL) {
        return NULL;
    }
    /* As `tuple.__new__` does: the fields are as many as the type has. */
    newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *placed = make((PyTypeObject *)type, arguments, NULL);
    Py_DECREF(arguments);
    return placed;
}

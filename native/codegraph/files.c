/* The constraints of files, which are numbers; see `encoded.py`. */
#include "points_to.h"

/* Where the numbers of a file are read. */
typedef struct {
    const File *file;
    uint32_t at;
} Cursor;

static bool refuse(const char *why) {
    PyErr_SetString(PyExc_ValueError, why);
    return false;
}

/* Step over some numbers that are all below a limit, or -1 for nothing. */
static bool skip(Cursor *cursor, uint32_t count, int64_t limit) {
    const File *file = cursor->file;
    if (count > file->size - cursor->at) {
        return refuse("a constraint ends too early");
    }
    for (uint32_t end = cursor->at + count; cursor->at < end; cursor->at++) {
        int32_t number = file->numbers[cursor->at];
        if (number < -1 || number >= limit) {
            PyErr_SetString(PyExc_IndexError, "there is no such variable or constant");
            return false;
        }
    }
    return true;
}

static bool skip_field(Cursor *cursor, char code, int64_t variables,
                       int64_t constants) {
    if (code == 'v') {
        return skip(cursor, 1, variables);
    }
    if (code != 'a' && code != 'n') {
        return skip(cursor, 1, code == 's' ? INT32_MAX : constants);
    }
    if (!skip(cursor, 1, INT32_MAX)) {
        return false;
    }
    int32_t count = cursor->file->numbers[cursor->at - 1];
    bool is_done = count >= 0 || refuse("a constraint with fewer than no fields");
    for (; is_done && count > 0; count--) {
        is_done = (code == 'a' || skip(cursor, 1, constants)) &&
                  skip(cursor, 1, variables);
    }
    return is_done;
}

/* Step over a constraint, which is refused where the rest of the code could not read it. */
static bool skip_constraint(PointsTo *self, const File *file, uint32_t *at) {
    Cursor cursor = {file, *at};
    int64_t variables = (int64_t)self->count - file->variables;
    if (!skip(&cursor, 1, variables) || !skip(&cursor, 1, self->layout_count)) {
        return false;
    }
    int32_t variable = file->numbers[*at], kind = file->numbers[*at + 1];
    if (variable < 0 || kind < 0) {
        return refuse("a constraint of no variable or kind");
    }
    bool is_done = true;
    for (const char *code = self->layouts[kind].codes; is_done && *code; code++) {
        is_done = skip_field(&cursor, *code, variables, file->constant_count);
    }
    *at = cursor.at;
    return is_done;
}

static PyObject *constant_at(Cursor *cursor) {
    int32_t number = cursor->file->numbers[cursor->at++];
    PyObject *constant =
        number < 0 ? Py_None : PyList_GetItem(cursor->file->constants, number);
    return constant == NULL ? NULL : Py_NewRef(constant);
}

static PyObject *number_at(Cursor *cursor, long first) {
    int32_t number = cursor->file->numbers[cursor->at++];
    return number < 0 ? none() : PyLong_FromLong(number + first);
}

/* Return (name, variable) with the variable's number in the program. */
static PyObject *named_at(Cursor *cursor) {
    PyObject *name = constant_at(cursor);
    PyObject *number =
        name == NULL ? NULL : number_at(cursor, cursor->file->variables);
    PyObject *pair = number == NULL ? NULL : PyTuple_Pack(2, name, number);
    Py_XDECREF(name);
    Py_XDECREF(number);
    return pair;
}

static PyObject *each_at(Cursor *cursor, bool is_named) {
    int32_t count = cursor->file->numbers[cursor->at++];
    PyObject *found = PyTuple_New(count);
    for (int32_t place = 0; found != NULL && place < count; place++) {
        PyObject *one = is_named ? named_at(cursor)
                                 : number_at(cursor, cursor->file->variables);
        if (one == NULL || PyTuple_SetItem(found, place, one) < 0) {
            Py_CLEAR(found);
        }
    }
    return found;
}

static PyObject *field_at(Cursor *cursor, char code) {
    switch (code) {
    case 'v':
        return number_at(cursor, cursor->file->variables);
    case 's':
        return number_at(cursor, cursor->file->symbols);
    case 'a':
        return each_at(cursor, false);
    case 'n':
        return each_at(cursor, true);
    default:
        return constant_at(cursor);
    }
}

PyObject *place(PointsTo *self, const File *file, uint32_t at) {
    const Layout *layout = &self->layouts[file->numbers[at + 1]];
    Cursor cursor = {file, at + 2};
    Py_ssize_t count = (Py_ssize_t)strlen(layout->codes);
    PyObject *fields = PyTuple_New(count);
    for (Py_ssize_t each = 0; fields != NULL && each < count; each++) {
        PyObject *field = field_at(&cursor, layout->codes[each]);
        if (field == NULL || PyTuple_SetItem(fields, each, field) < 0) {
            Py_CLEAR(fields);
        }
    }
    PyObject *arguments = fields == NULL ? NULL : PyTuple_Pack(1, fields);
    Py_XDECREF(fields);
    if (arguments == NULL) {
        return NULL;
    }
    /* As `tuple.__new__` does: the fields are as many as the type has. */
    newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    PyObject *placed = make((PyTypeObject *)layout->type, arguments, NULL);
    Py_DECREF(arguments);
    return placed;
}

/* Make room for some constraints and one file more. */
static bool make_room(PointsTo *self, size_t added) {
    size_t wanted = self->of_file_count + added;
    if (wanted > UINT32_MAX) {
        return no_memory();
    }
    if (wanted > self->of_file_room) {
        size_t room = wanted + wanted / 2;
        OfFile *of_files = realloc(self->of_files, room * sizeof(OfFile));
        if (of_files == NULL) {
            return no_memory();
        }
        self->of_files = of_files;
        self->of_file_room = room;
    }
    if (self->file_count == self->file_room) {
        size_t room = 2 * self->file_room + 64;
        File *files = realloc(self->files, room * sizeof(File));
        if (files == NULL) {
            return no_memory();
        }
        self->files = files;
        self->file_room = room;
    }
    return true;
}

/* Return how many constraints a file has, or -1 with an error set. */
static int64_t checked_count(PointsTo *self, const File *file) {
    int64_t count = 0;
    for (uint32_t at = 0; at < file->size; count++) {
        int32_t number = file->numbers[at];
        if (!skip_constraint(self, file, &at)) {
            return -1;
        }
        if (self->variables[number + file->variables].marks & CONSTRAINED) {
            PyErr_SetString(PyExc_ValueError, "a variable belongs to two files");
            return -1;
        }
    }
    return count;
}

/* Give the variables of a file their constraints, which are placed when needed. */
bool add_file(PointsTo *self, PyObject *code, PyObject *constants, long variables,
              long symbols) {
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(code, &bytes, &size) < 0) {
        return false;
    }
    if (variables < 0 || (size_t)variables > self->count || symbols < 0 ||
        symbols > INT32_MAX || size % sizeof(int32_t) || size > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "these are no constraints of a file");
        return false;
    }
    File file = {variables,
                 symbols,
                 code,
                 (const int32_t *)(void *)bytes,
                 (uint32_t)((size_t)size / sizeof(int32_t)),
                 constants,
                 PyList_Size(constants)};
    int64_t added = checked_count(self, &file);
    if (added < 0 || !make_room(self, (size_t)added)) {
        return false;
    }
    for (uint32_t at = 0; at < file.size; skip_constraint(self, &file, &at)) {
        self->variables[file.numbers[at] + variables].of_file++;
    }
    for (uint32_t at = 0; at < file.size; skip_constraint(self, &file, &at)) {
        Variable *own = &self->variables[file.numbers[at] + variables];
        if (!(own->marks & CONSTRAINED)) { /* the first of its constraints */
            own->marks |= CONSTRAINED;
            own->file = (int32_t)self->file_count;
            own->first_of_file = (uint32_t)self->of_file_count;
            self->of_file_count += own->of_file;
            own->of_file = 0;
        }
        self->of_files[own->first_of_file + own->of_file++] = (OfFile){NULL, at};
    }
    Py_INCREF(code);
    Py_INCREF(constants);
    self->files[self->file_count++] = file;
    return true;
}

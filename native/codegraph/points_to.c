/* The type `PointsTo` of the module `outcrop.codegraph._native`. */
#include "points_to.h"

#include <structmember.h>

/* Return the number of a variable, or -1 with an error set. */
static int32_t variable_of(PointsTo *self, PyObject *number) {
    long variable = PyLong_AsLong(number);
    if (variable >= 0 && (size_t)variable < self->count) {
        return (int32_t)variable;
    }
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_IndexError, "there is no such variable");
    }
    return -1;
}

static bool make_room(PointsTo *self, size_t count) {
    if (count > INT32_MAX) {
        return no_memory();
    }
    if (count > self->room) {
        size_t room = count + count / 2 + 64;
        Variable *variables = realloc(self->variables, room * sizeof(Variable));
        if (variables == NULL) {
            return no_memory();
        }
        self->variables = variables;
        self->room = room;
    }
    memset(self->variables + self->count, 0, (count - self->count) * sizeof(Variable));
    self->count = count;
    return true;
}

static PyObject *done(bool is_done) { return is_done ? none() : NULL; }

static bool has_arguments(Py_ssize_t count, Py_ssize_t expected) {
    if (count != expected) {
        PyErr_Format(PyExc_TypeError, "%zd arguments instead of %zd", count, expected);
    }
    return count == expected;
}

static PyObject *new_variable_method(PyObject *self, PyObject *unused) {
    (void)unused;
    PointsTo *own = (PointsTo *)self;
    if (own->kinds == NULL) {
        PyErr_SetString(PyExc_TypeError, "PointsTo was not initialized");
        return NULL;
    }
    return make_room(own, own->count + 1) ? PyLong_FromSize_t(own->count - 1) : NULL;
}

static PyObject *add_one_method(PyObject *self, PyObject *const *arguments,
                                Py_ssize_t count) {
    if (!has_arguments(count, 2)) {
        return NULL;
    }
    int32_t variable = variable_of((PointsTo *)self, arguments[0]);
    long found = variable < 0 ? -1 : PyLong_AsLong(arguments[1]);
    if (variable < 0 || (found == -1 && PyErr_Occurred())) {
        return NULL;
    }
    return done(add_object((PointsTo *)self, variable, (int32_t)found));
}

static PyObject *add_method(PyObject *self, PyObject *const *arguments,
                            Py_ssize_t count) {
    if (!has_arguments(count, 2)) {
        return NULL;
    }
    int32_t variable = variable_of((PointsTo *)self, arguments[0]);
    PyObject *numbers = variable < 0 ? NULL : PySequence_List(arguments[1]);
    Py_ssize_t size = numbers == NULL ? 0 : PyList_Size(numbers);
    Batch found;
    if (numbers == NULL || !open_batch(&found, (size_t)size)) {
        Py_XDECREF(numbers);
        return NULL;
    }
    bool is_done = true;
    for (Py_ssize_t at = 0; is_done && at < size; at++) {
        long number = PyLong_AsLong(PyList_GetItem(numbers, at));
        found.items[found.count++] = (int32_t)number;
        is_done = number != -1 || !PyErr_Occurred();
    }
    Py_DECREF(numbers);
    is_done = is_done && add_objects((PointsTo *)self, variable, found.items, found.count);
    close_batch(&found);
    return done(is_done);
}

static PyObject *copy_method(PyObject *self, PyObject *const *arguments,
                             Py_ssize_t count) {
    if (!has_arguments(count, 2)) {
        return NULL;
    }
    int32_t src = variable_of((PointsTo *)self, arguments[0]);
    int32_t dst = src < 0 ? -1 : variable_of((PointsTo *)self, arguments[1]);
    return dst < 0 ? NULL : done(copy_objects((PointsTo *)self, src, dst));
}

static PyObject *wait_method(PyObject *self, PyObject *const *arguments,
                             Py_ssize_t count) {
    if (!has_arguments(count, 2)) {
        return NULL;
    }
    int32_t variable = variable_of((PointsTo *)self, arguments[0]);
    return variable < 0 ? NULL
                        : done(wait_for((PointsTo *)self, variable, arguments[1]));
}

static PyObject *propagate_method(PyObject *self, PyObject *unused) {
    (void)unused;
    return done(propagate_all((PointsTo *)self));
}

static PyObject *objects_of_method(PyObject *self, PyObject *number) {
    int32_t variable = variable_of((PointsTo *)self, number);
    PyObject *found = variable < 0 ? NULL : PyList_New(0);
    if (found == NULL) {
        return NULL;
    }
    const Numbers *held = &((PointsTo *)self)->variables[variable].held;
    for (uint32_t at = 0; at < held->count; at++) {
        PyObject *object = PyLong_FromLong(items_of(held)[at]);
        if (object == NULL || PyList_Append(found, object) < 0) {
            Py_XDECREF(object);
            Py_DECREF(found);
            return NULL;
        }
        Py_DECREF(object);
    }
    return found;
}

static PyObject *constrain_method(PyObject *self, PyObject *arguments) {
    long variables, symbols;
    PyObject *code, *constants;
    if (!PyArg_ParseTuple(arguments, "O!O!ll", &PyBytes_Type, &code, &PyList_Type,
                          &constants, &variables, &symbols)) {
        return NULL;
    }
    return done(add_file((PointsTo *)self, code, constants, variables, symbols));
}

static PyObject *limit_method(PyObject *self, PyObject *numbers) {
    PyObject *each, *iterator = PyObject_GetIter(numbers);
    while (iterator != NULL && (each = PyIter_Next(iterator)) != NULL) {
        int32_t variable = variable_of((PointsTo *)self, each);
        Py_DECREF(each);
        if (variable < 0) {
            break;
        }
        ((PointsTo *)self)->variables[variable].marks |= LIMITED;
    }
    Py_XDECREF(iterator);
    return done(!PyErr_Occurred());
}

static PyObject *new_points_to(PyTypeObject *type, PyObject *arguments,
                               PyObject *named) {
    (void)arguments;
    (void)named;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return make(type, 0);
}

/* Return the place of a type among the constraints of files; -1 where it has none. */
static long number_of(const PointsTo *self, PyObject *type) {
    for (Py_ssize_t at = 0; at < self->layout_count; at++) {
        if (self->layouts[at].type == type) {
            return (long)at;
        }
    }
    return -1;
}

static bool read_layouts(PointsTo *self, PyObject *known) {
    Py_ssize_t count = PyTuple_Size(known);
    self->known_layouts = Py_NewRef(known); /* the texts below are its own */
    self->layouts = calloc((size_t)count + 1, sizeof(Layout));
    if (self->layouts == NULL) {
        return no_memory();
    }
    for (; self->layout_count < count; self->layout_count++) {
        Layout *layout = &self->layouts[self->layout_count];
        if (!PyArg_ParseTuple(PyTuple_GetItem(known, self->layout_count), "Os",
                              &layout->type, &layout->codes)) {
            return false;
        }
    }
    return true;
}

static int open_points_to(PyObject *self, PyObject *arguments, PyObject *named) {
    PointsTo *own = (PointsTo *)self;
    Py_ssize_t variables;
    PyObject *kinds, *handlers, *copy_type, *read_type, *layouts;
    if (named != NULL && PyDict_Size(named) > 0) {
        PyErr_SetString(PyExc_TypeError, "PointsTo takes no keyword arguments");
        return -1;
    }
    if (own->kinds != NULL) {
        PyErr_SetString(PyExc_TypeError, "it is in use already");
        return -1;
    }
    if (!PyArg_ParseTuple(arguments, "nO!O!OOO!(IIIL)", &variables, &PyList_Type, &kinds,
                          &PyDict_Type, &handlers, &copy_type, &read_type,
                          &PyTuple_Type, &layouts, &own->max_objects, &own->narrow_objects, &own->max_definitions,
                          &own->budget)) {
        return -1;
    }
    own->next_bound = own->budget / 2;
    own->kinds = Py_NewRef(kinds);
    own->handlers = Py_NewRef(handlers);
    own->copy_type = Py_NewRef(copy_type);
    own->read_type = Py_NewRef(read_type);
    if (!read_layouts(own, layouts)) {
        return -1;
    }
    own->copy_number = number_of(own, copy_type);
    own->read_number = number_of(own, read_type);
    own->read_from = PyDict_New();
    own->read_as = PyDict_New();
    own->saturated = PySet_New(NULL);
    bool is_done = own->saturated != NULL && own->read_from != NULL &&
                   own->read_as != NULL && variables >= 0 && !PyErr_Occurred() &&
                   make_room(own, (size_t)variables);
    return is_done ? 0 : -1;
}

static void free_points_to(PyObject *self) {
    PointsTo *own = (PointsTo *)self;
    PyTypeObject *type = Py_TYPE(self);
    clear_queues(own);
    for (size_t at = 0; at < own->count; at++) {
        Variable *each = &own->variables[at];
        clear_numbers(&each->held);
        clear_numbers(&each->pending);
        clear_numbers(&each->copies);
        Py_XDECREF(each->waiting);
        Py_XDECREF(each->known);
    }
    for (size_t at = 0; at < own->of_file_count; at++) {
        Py_XDECREF(own->of_files[at].placed);
    }
    for (size_t at = 0; at < own->file_count; at++) {
        Py_DECREF(own->files[at].code);
        Py_DECREF(own->files[at].constants);
    }
    free(own->variables);
    free(own->of_files);
    free(own->files);
    free(own->layouts);
    free(own->copied.slots);
    free(own->queue);
    free(own->late);
    Py_XDECREF(own->kinds);
    Py_XDECREF(own->handlers);
    Py_XDECREF(own->copy_type);
    Py_XDECREF(own->read_type);
    Py_XDECREF(own->known_layouts);
    Py_XDECREF(own->read_from);
    Py_XDECREF(own->read_as);
    Py_XDECREF(own->saturated);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

#define FAST(function) (PyCFunction)(void (*)(void)) function
static PyMethodDef METHODS[] = {
    {"new_variable", new_variable_method, METH_NOARGS,
     "new_variable()\n--\n\nReturn a variable that no file has."},
    {"add", FAST(add_method), METH_FASTCALL,
     "add(variable, found)\n--\n\nPut objects into a variable."},
    {"add_one", FAST(add_one_method), METH_FASTCALL,
     "add_one(variable, found)\n--\n\nPut one object into a variable."},
    {"copy", FAST(copy_method), METH_FASTCALL,
     "copy(src, dst)\n--\n\nLet `dst` hold all that `src` holds, now and later."},
    {"wait", FAST(wait_method), METH_FASTCALL,
     "wait(variable, constraint)\n--\n\nAdd a constraint to a variable while solving."},
    {"propagate", propagate_method, METH_NOARGS,
     "propagate()\n--\n\nWork until no variable changes any more."},
    {"objects_of", objects_of_method, METH_O,
     "objects_of(variable)\n--\n\nReturn the objects that a variable may hold."},
    {"constrain", constrain_method, METH_VARARGS,
     "constrain(code, constants, variables, symbols)\n--\n\n"
     "Add the constraints of the variables of a file."},
    {"limit", limit_method, METH_O,
     "limit(variables)\n--\n\nAsk `admits` about each object for some variables."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef MEMBERS[] = {
    {"work", T_LONGLONG, offsetof(PointsTo, work), 0, "Moves along constraints."},
    {"unfollowed", T_LONGLONG, offsetof(PointsTo, unfollowed), READONLY,
     "Variables that were left when the budget was spent."},
    {"saturated", T_OBJECT_EX, offsetof(PointsTo, saturated), READONLY,
     "Variables whose objects reached their maximum."},
    {"read_from", T_OBJECT_EX, offsetof(PointsTo, read_from), READONLY,
     "(object, name) -> the variable of the attribute."},
    {"read_as", T_OBJECT_EX, offsetof(PointsTo, read_as), READONLY,
     "(object, name) -> the one object that the attribute is."},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot SLOTS[] = {
    {Py_tp_doc, "PointsTo(variables, kinds, handlers, copy, read, layouts, limits)\n--\n\n"
                "The objects that variables may refer to."},
    {Py_tp_new, new_points_to},
    {Py_tp_init, open_points_to},
    {Py_tp_dealloc, free_points_to},
    {Py_tp_methods, METHODS},
    {Py_tp_members, MEMBERS},
    {0, NULL},
};

PyType_Spec POINTS_TO_SPEC = {"outcrop.codegraph._native.PointsTo", sizeof(PointsTo), 0,
                              Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, SLOTS};

/* Constraints: applied to the objects that reach a variable, until nothing changes. */
#include "points_to.h"

/* Return a number in a dictionary, -1 if it has none or with an error set. */
static long number_in(PyObject *known, PyObject *key) {
    PyObject *number = PyDict_GetItemWithError(known, key);
    return number == NULL ? -1 : PyLong_AsLong(number);
}

/* Return the number of a variable, the first field of a constraint; -1 with an error set. */
static int32_t first_variable(PointsTo *self, PyObject *constraint) {
    PyObject *item = PyTuple_GetItem(constraint, 0);
    long number = item == NULL ? -1 : PyLong_AsLong(item);
    if (number >= 0 && (size_t)number < self->count) {
        return (int32_t)number;
    }
    if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_IndexError, "there is no such variable");
    }
    return -1;
}

/* Put an attribute of an object that is known into a variable; return 1, 0 if it is not
   known, -1 with an error set. */
static int read_known(PointsTo *self, int32_t into, PyObject *name, PyObject *object) {
    PyObject *key = PyTuple_Pack(2, object, name);
    if (key == NULL) {
        return -1;
    }
    long variable = number_in(self->read_from, key), held = -1;
    if (variable < 0 && !PyErr_Occurred()) {
        held = number_in(self->read_as, key);
    }
    Py_DECREF(key);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (variable < 0 && held < 0) {
        return 0;
    }
    if (variable >= (long)self->count) {
        PyErr_SetString(PyExc_IndexError, "there is no such variable");
        return -1;
    }
    bool is_done = variable < 0 ? add_object(self, into, (int32_t)held)
                                : copy_objects(self, (int32_t)variable, into);
    return is_done ? 1 : -1;
}

/* Let a handler apply a constraint to one object. */
static bool handle(PointsTo *self, PyObject *constraint, PyObject *object) {
    PyObject *type = (PyObject *)Py_TYPE(constraint);
    PyObject *handler = PyDict_GetItemWithError(self->handlers, type);
    if (handler == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_SetObject(PyExc_KeyError, type);
        }
        return false;
    }
    PyObject *done = PyObject_CallFunctionObjArgs(handler, (PyObject *)self, constraint,
                                                  object, NULL);
    Py_XDECREF(done);
    return done != NULL;
}

/* A constraint to be applied: one of a variable's file by its place, or another one. */
typedef struct {
    PyObject *constraint; /* borrowed; NULL where it is not placed yet */
    int32_t variable;
    uint32_t at;
} Applied;

static bool handle_applied(PointsTo *self, Applied *applied, PyObject *object) {
    if (applied->constraint == NULL) {
        const Variable *own = &self->variables[applied->variable];
        OfFile *one = &self->of_files[own->first_of_file + applied->at];
        if (one->placed == NULL) {
            one->placed = place(self, &self->files[own->file], one->at);
        }
        applied->constraint = one->placed;
    }
    return applied->constraint != NULL && handle(self, applied->constraint, object);
}

static bool apply_read(PointsTo *self, Applied *applied, int32_t into, PyObject *name,
                       const int32_t *found, uint32_t count) {
    for (uint32_t at = 0; at < count; at++) {
        PyObject *object = PyLong_FromLong(found[at]);
        int is_known = object == NULL ? -1 : read_known(self, into, name, object);
        bool is_done =
            is_known > 0 || (is_known == 0 && handle_applied(self, applied, object));
        Py_XDECREF(object);
        if (!is_done) {
            return false;
        }
    }
    return true;
}

static bool apply_other(PointsTo *self, Applied *applied, const int32_t *found,
                        uint32_t count) {
    for (uint32_t at = 0; at < count; at++) {
        PyObject *object = PyLong_FromLong(found[at]);
        bool is_done = object != NULL && handle_applied(self, applied, object);
        Py_XDECREF(object);
        if (!is_done) {
            return false;
        }
    }
    return true;
}

/* Apply a constraint with the numbers of the program. */
static bool apply(PointsTo *self, PyObject *constraint, const int32_t *found,
                  uint32_t count) {
    self->work += count;
    PyObject *type = (PyObject *)Py_TYPE(constraint);
    Applied applied = {constraint, -1, 0};
    if (type != self->copy_type && type != self->read_type) {
        return apply_other(self, &applied, found, count);
    }
    int32_t dst = first_variable(self, constraint);
    if (dst < 0 || type == self->copy_type) {
        return dst >= 0 && add_objects(self, dst, found, count);
    }
    PyObject *name = PyTuple_GetItem(constraint, 1);
    return name != NULL && apply_read(self, &applied, dst, name, found, count);
}

/* Apply a constraint of a variable's file. Copies, and reads of what is known, need not be
   placed. */
static bool apply_of_file(PointsTo *self, int32_t variable, uint32_t at,
                          const int32_t *found, uint32_t count) {
    const Variable *own = &self->variables[variable];
    const OfFile *one = &self->of_files[own->first_of_file + at];
    if (one->placed != NULL) {
        return apply(self, one->placed, found, count);
    }
    self->work += count;
    const File *file = &self->files[own->file];
    const int32_t *numbers = file->numbers + one->at;
    Applied applied = {NULL, variable, at};
    if (numbers[1] != self->copy_number && numbers[1] != self->read_number) {
        return apply_other(self, &applied, found, count);
    }
    if (numbers[2] < 0) {
        PyErr_SetString(PyExc_IndexError, "there is no such variable");
        return false;
    }
    int32_t dst = numbers[2] + (int32_t)file->variables;
    if (numbers[1] == self->copy_number) {
        return add_objects(self, dst, found, count);
    }
    PyObject *name = PyList_GetItem(file->constants, numbers[3]);
    return name != NULL && apply_read(self, &applied, dst, name, found, count);
}

static bool apply_own(PointsTo *self, int32_t variable, const int32_t *found,
                      uint32_t count) {
    for (uint32_t at = 0; at < self->variables[variable].of_file; at++) {
        if (!apply_of_file(self, variable, at, found, count)) {
            return false;
        }
    }
    return true;
}

/* Return whether a variable has a constraint that was added while solving, or -1. */
static int is_waiting(const Variable *own, PyObject *constraint, PyObject *key) {
    if (own->known != NULL) {
        return PySet_Contains(own->known, key);
    }
    Py_ssize_t count = own->waiting == NULL ? 0 : PyList_Size(own->waiting);
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *other = PyList_GetItem(own->waiting, at);
        if (Py_TYPE(other) == Py_TYPE(constraint)) {
            int is_equal = PyObject_RichCompareBool(other, constraint, Py_EQ);
            if (is_equal != 0) {
                return is_equal;
            }
        }
    }
    return 0;
}

static PyObject *key_of(PyObject *constraint) {
    return PyTuple_Pack(2, (PyObject *)Py_TYPE(constraint), constraint);
}

/* Put the constraints of a variable into a set too, now that there are many. */
static bool make_known(Variable *own) {
    own->known = PySet_New(NULL);
    Py_ssize_t count = own->known == NULL ? 0 : PyList_Size(own->waiting);
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *key = key_of(PyList_GetItem(own->waiting, at));
        bool is_added = key != NULL && PySet_Add(own->known, key) == 0;
        Py_XDECREF(key);
        if (!is_added) {
            return false;
        }
    }
    return own->known != NULL;
}

/* Add a constraint to those of a variable; return 1, 0 where it is there, or -1. */
static int remember(Variable *own, PyObject *constraint) {
    PyObject *key = own->known == NULL ? NULL : key_of(constraint);
    if (own->known != NULL && key == NULL) {
        return -1;
    }
    int is_known = is_waiting(own, constraint, key);
    if (is_known == 0) {
        if (own->waiting == NULL) {
            own->waiting = PyList_New(0);
        }
        bool is_added =
            own->waiting != NULL && PyList_Append(own->waiting, constraint) == 0;
        if (is_added && key != NULL) {
            is_added = PySet_Add(own->known, key) == 0;
        } else if (is_added && PyList_Size(own->waiting) > MAX_COMPARED) {
            is_added = make_known(own);
        }
        is_known = is_added ? 0 : -1;
    }
    Py_XDECREF(key);
    return is_known < 0 ? -1 : !is_known;
}

bool wait_for(PointsTo *self, int32_t variable, PyObject *constraint) {
    Variable *own = &self->variables[variable];
    int is_new = remember(own, constraint);
    if (is_new <= 0) {
        return is_new == 0;
    }
    own->marks |= AWAITED;
    Batch passed; /* what has been propagated, so that nothing else applies it */
    if (!open_batch(&passed, own->held.count)) {
        return false;
    }
    const int32_t *held = items_of(&own->held);
    for (uint32_t at = 0; at < own->held.count; at++) {
        if (!has_number(&own->pending, held[at])) {
            passed.items[passed.count++] = held[at];
        }
    }
    sort_numbers(passed.items, passed.count);
    bool is_done = passed.count == 0 ||
                   push_late(self, constraint, passed.items, passed.count);
    close_batch(&passed);
    return is_done;
}

/* Put objects into the variables that hold all that a variable holds. */
static bool pass_on(PointsTo *self, int32_t variable, const int32_t *delta,
                    uint32_t count) {
    uint32_t copies = self->variables[variable].copies.count;
    self->work += (long long)count * copies;
    for (uint32_t at = 0; at < copies; at++) {
        int32_t dst = items_of(&self->variables[variable].copies)[at];
        bool is_done = count == 1 ? add_object(self, dst, delta[0])
                                  : add_objects(self, dst, delta, count);
        if (!is_done) {
            return false;
        }
    }
    return true;
}

static bool apply_each(PointsTo *self, PyObject *constraints, const int32_t *found,
                       uint32_t count) {
    Py_ssize_t size = PyList_Size(constraints); /* those added meanwhile are late */
    Py_INCREF(constraints);
    bool is_done = size >= 0;
    for (Py_ssize_t at = 0; is_done && at < size; at++) {
        is_done = apply(self, PyList_GetItem(constraints, at), found, count);
    }
    Py_DECREF(constraints);
    return is_done;
}

/* Propagate the new objects of a variable. Marks are read again after each step, and so is
   the place of the variable: what is applied may add to both. */
static bool visit(PointsTo *self, int32_t variable) {
    Variable *own = &self->variables[variable];
    Numbers delta = own->pending;
    memset(&own->pending, 0, sizeof(own->pending));
    own->is_pending = false;
    int32_t *found = delta.capacity ? delta.at.more : delta.at.own;
    uint32_t count = delta.count;
    sort_numbers(found, count);
    self->work += count;
    bool is_done = true;
    if (count && own->marks & COPIED) {
        is_done = pass_on(self, variable, found, count);
    }
    if (is_done && count && self->variables[variable].marks & CONSTRAINED) {
        is_done = apply_own(self, variable, found, count);
    }
    if (is_done && count && self->variables[variable].marks & AWAITED) {
        is_done = apply_each(self, self->variables[variable].waiting, found, count);
    }
    clear_numbers(&delta);
    return is_done;
}

/* Hold fewer objects in a variable from now on; with no budget left, stop. */
static void narrow(PointsTo *self) {
    self->max_objects = self->narrow_objects;
    self->next_bound = self->budget;
    if (self->work > self->budget) {
        self->unfollowed += (long long)(self->queue_count + self->late_count);
        clear_queues(self);
    }
}

bool propagate_all(PointsTo *self) {
    while (self->queue_count || self->late_count) {
        if (self->work > self->next_bound) {
            narrow(self);
        }
        bool is_done = true;
        if (self->late_count) {
            Late late = pop_late(self);
            is_done =
                apply(self, late.constraint, items_of(&late.found), late.found.count);
            clear_numbers(&late.found);
            Py_DECREF(late.constraint);
        } else if (self->queue_count) {
            is_done = visit(self, pop_variable(self));
        }
        if (!is_done) {
            return false;
        }
    }
    return true;
}

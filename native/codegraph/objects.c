/* The objects that each variable may refer to, and the queues of those that changed. */
#include "points_to.h"

/* The kinds of objects that the analysis makes no new ones of: see `objects.py`. */
enum { FUNC = 0, CLS = 1, INST = 2 };

/* Make room in a ring for one more item; return its new start, or NULL. */
static void *grow_ring(void *items, size_t size, size_t start, size_t *room) {
    size_t larger = *room ? 2 * *room : 1024;
    char *moved = malloc(larger * size);
    if (moved == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (*room) { /* it is full */
        size_t end = *room - start;
        memcpy(moved, (char *)items + start * size, end * size);
        memcpy(moved + end * size, items, start * size);
    }
    free(items);
    *room = larger;
    return moved;
}

bool push_variable(PointsTo *self, int32_t variable) {
    if (self->queue_count == self->queue_room) {
        int32_t *queue = grow_ring(self->queue, sizeof(int32_t), self->queue_start,
                                   &self->queue_room);
        if (queue == NULL) {
            return false;
        }
        self->queue = queue;
        self->queue_start = 0;
    }
    size_t mask = self->queue_room - 1;
    self->queue[(self->queue_start + self->queue_count++) & mask] = variable;
    return true;
}

int32_t pop_variable(PointsTo *self) {
    int32_t variable = self->queue[self->queue_start];
    self->queue_start = (self->queue_start + 1) & (self->queue_room - 1);
    self->queue_count--;
    return variable;
}

bool push_late(PointsTo *self, PyObject *constraint, const int32_t *found,
               uint32_t count) {
    if (self->late_count == self->late_room) {
        Late *late =
            grow_ring(self->late, sizeof(Late), self->late_start, &self->late_room);
        if (late == NULL) {
            return false;
        }
        self->late = late;
        self->late_start = 0;
    }
    Late added = {constraint, {{{0}}, 0, 0}};
    if (!push_numbers(&added.found, found, count)) {
        clear_numbers(&added.found);
        return false;
    }
    Py_INCREF(constraint);
    size_t mask = self->late_room - 1;
    self->late[(self->late_start + self->late_count++) & mask] = added;
    return true;
}

Late pop_late(PointsTo *self) {
    Late first = self->late[self->late_start];
    self->late_start = (self->late_start + 1) & (self->late_room - 1);
    self->late_count--;
    return first;
}

void clear_queues(PointsTo *self) {
    while (self->queue_count) {
        Variable *each = &self->variables[pop_variable(self)];
        clear_numbers(&each->pending);
        each->is_pending = false;
    }
    while (self->late_count) {
        Late each = pop_late(self);
        clear_numbers(&each.found);
        Py_DECREF(each.constraint);
    }
}

/* Return the kind of an object, or -1 with an error set. */
static long kind_of(PointsTo *self, int32_t object) {
    PyObject *kind = PyList_GetItem(self->kinds, object);
    return kind == NULL ? -1 : PyLong_AsLong(kind);
}

/* Return whether a limited variable may hold an object, or -1. */
static int admits(PointsTo *self, int32_t variable, int32_t found) {
    long kind = kind_of(self, found);
    if (kind != INST && kind != FUNC && kind != CLS) {
        return kind < 0 ? -1 : 1;
    }
    PyObject *answer =
        PyObject_CallMethod((PyObject *)self, "admits", "ii", variable, found);
    int is_admitted = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return is_admitted;
}

static bool saturate(PointsTo *self, int32_t variable) {
    PyObject *number = PyLong_FromLong(variable);
    bool is_added = number != NULL && PySet_Add(self->saturated, number) == 0;
    Py_XDECREF(number);
    return is_added;
}

/* Keep those of some objects that a variable which holds many takes all the same. */
static bool limit_objects(PointsTo *self, int32_t variable, uint32_t held,
                          Batch *fresh) {
    uint32_t count = fresh->count, lasting = 0;
    int32_t *items = fresh->items;
    sort_numbers(items, count);
    Batch others;
    if (!open_batch(&others, count)) {
        return false;
    }
    for (uint32_t at = 0; at < count; at++) {
        long kind = kind_of(self, items[at]);
        if (kind == FUNC || kind == CLS) {
            items[lasting++] = items[at];
        } else {
            others.items[others.count++] = items[at];
        }
    }
    uint32_t room = held < self->max_definitions ? self->max_definitions - held : 0;
    uint32_t taken = lasting < room ? lasting : room;
    for (uint32_t at = 0; at < others.count; at++) {
        if (held + taken >= self->max_objects) {
            break;
        }
        items[taken++] = others.items[at];
    }
    close_batch(&others);
    fresh->count = taken;
    return !PyErr_Occurred() && (taken == count || saturate(self, variable));
}

/* Put objects that a variable does not hold into it. */
static bool put_objects(PointsTo *self, int32_t variable, Batch *fresh) {
    Variable *own = &self->variables[variable];
    uint32_t held = own->held.count;
    if (held && held + fresh->count > self->max_objects) {
        if (!limit_objects(self, variable, held, fresh)) {
            return false;
        }
    } else if (fresh->count > 1 && fresh->count > self->max_objects) {
        if (!limit_objects(self, variable, 0, fresh)) {
            return false;
        }
    }
    if (fresh->count == 0) {
        return true;
    }
    if (!push_numbers(&own->held, fresh->items, fresh->count)) {
        return false;
    }
    if (own->is_pending) {
        return push_numbers(&own->pending, fresh->items, fresh->count);
    }
    if (!(own->marks & WATCHED)) {
        return true; /* who looks at it later starts with all that it holds */
    }
    own->is_pending = true;
    return push_numbers(&own->pending, fresh->items, fresh->count) &&
           push_variable(self, variable);
}

bool add_object(PointsTo *self, int32_t variable, int32_t found) {
    Variable *own = &self->variables[variable];
    if (has_number(&own->held, found)) {
        return true;
    }
    if (own->marks & LIMITED) {
        int is_admitted = admits(self, variable, found);
        if (is_admitted <= 0) {
            return is_admitted == 0;
        }
    }
    Batch fresh;
    if (!open_batch(&fresh, 1)) {
        return false;
    }
    fresh.items[fresh.count++] = found;
    return put_objects(self, variable, &fresh);
}

bool add_objects(PointsTo *self, int32_t variable, const int32_t *found,
                 uint32_t count) {
    Batch fresh;
    if (!open_batch(&fresh, count)) {
        return false;
    }
    bool is_done = true;
    for (uint32_t at = 0; is_done && at < count; at++) {
        const Variable *own = &self->variables[variable];
        bool is_known = has_number(&own->held, found[at]);
        for (uint32_t other = 0; !is_known && other < fresh.count; other++) {
            is_known = fresh.items[other] == found[at];
        }
        int is_taken = is_known                 ? 0
                       : own->marks & LIMITED ? admits(self, variable, found[at])
                                                : 1;
        is_done = is_taken >= 0;
        if (is_taken > 0) {
            fresh.items[fresh.count++] = found[at];
        }
    }
    is_done = is_done && (fresh.count == 0 || put_objects(self, variable, &fresh));
    close_batch(&fresh);
    return is_done;
}

/* Add a copy of a variable; return 1 where it is new, 0 where it was there, or -1. */
static int add_copy(PointsTo *self, int32_t src, int32_t dst) {
    Numbers *copies = &self->variables[src].copies;
    if (copies->count <= MAX_COMPARED) {
        if (has_number(copies, dst)) {
            return 0;
        }
    } else {
        int is_new = add_pair(&self->copied, src, dst);
        if (is_new <= 0) {
            return is_new;
        }
    }
    if (!push_number(copies, dst)) {
        return -1;
    }
    if (copies->count == MAX_COMPARED + 1) {
        for (uint32_t at = 0; at < copies->count; at++) {
            if (add_pair(&self->copied, src, items_of(copies)[at]) < 0) {
                return -1;
            }
        }
    }
    return 1;
}

bool copy_objects(PointsTo *self, int32_t src, int32_t dst) {
    int is_new = add_copy(self, src, dst);
    if (is_new <= 0) {
        return is_new == 0;
    }
    Variable *own = &self->variables[src];
    own->marks |= COPIED;
    self->work++;
    uint32_t count = own->held.count;
    if (count == 0 || src == dst) {
        return true;
    }
    self->work += count;
    if (count == 1) {
        return add_object(self, dst, items_of(&own->held)[0]);
    }
    Batch held;
    if (!open_batch(&held, count)) {
        return false;
    }
    memcpy(held.items, items_of(&own->held), count * sizeof(int32_t));
    bool is_done = add_objects(self, dst, held.items, count);
    close_batch(&held);
    return is_done;
}

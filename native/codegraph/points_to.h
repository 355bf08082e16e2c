/* What the variables of a program may refer to; see `points_to.py`, which does the same. */
#ifndef OUTCROP_CODEGRAPH_POINTS_TO_H
#define OUTCROP_CODEGRAPH_POINTS_TO_H

#include "numbers.h"

/* What a variable has, as bits. */
enum {
    CONSTRAINED = 1, /* constraints of its file */
    COPIED = 2,      /* variables in `copies` */
    AWAITED = 4,     /* constraints in `waiting` */
    LIMITED = 8,     /* objects that it may not hold */
    WATCHED = CONSTRAINED | COPIED | AWAITED,
};

/* Up to this number things are compared one by one; for more there is a set. */
#define MAX_COMPARED 8

typedef struct {
    Numbers held;          /* the objects that it may refer to */
    Numbers pending;       /* those of them that are to be propagated */
    Numbers copies;        /* the variables that hold all that it holds */
    PyObject *waiting;     /* a list of the constraints that were added while solving */
    PyObject *known;       /* (type, constraint) of many of these, as a set */
    uint32_t first_of_file, of_file; /* the constraints of its file: first, how many */
    int32_t file; /* its place in `files`, where it has such */
    uint8_t marks;
    bool is_pending;
} Variable;

/* The constraints of a file, and what is added to its numbers of variables and symbols. */
typedef struct {
    long variables, symbols;
    PyObject *code;      /* bytes: */
    const int32_t *numbers;
    uint32_t size;
    PyObject *constants; /* list */
    Py_ssize_t constant_count;
} File;

/* The type of a constraint, and a letter for each of its fields. */
typedef struct {
    PyObject *type;
    const char *codes;
} Layout;

/* A constraint of a file. */
typedef struct {
    PyObject *placed; /* with the numbers of the program, once it was needed */
    uint32_t at;      /* its place in the numbers of the file */
} OfFile;

/* A constraint that waits to be applied to objects that a variable held already. */
typedef struct {
    PyObject *constraint;
    Numbers found;
} Late;

typedef struct {
    PyObject_HEAD
    Variable *variables;
    size_t count, room;
    Pairs copied; /* (variable, its copy), of variables with many copies */
    File *files;
    size_t file_count, file_room;
    OfFile *of_files; /* the constraints of all files, those of a variable together */
    size_t of_file_count, of_file_room;
    int32_t *queue;
    size_t queue_start, queue_count, queue_room; /* room: a power of two */
    Late *late;
    size_t late_start, late_count, late_room;
    PyObject *kinds;     /* list: the kind of each object */
    PyObject *handlers;  /* dict: type of constraint -> how it is applied to an object */
    PyObject *copy_type; /* the type of constraint that is applied here */
    PyObject *known_layouts; /* tuple: (type, fields) of the constraints of files */
    Layout *layouts;         /* the same */
    Py_ssize_t layout_count;
    long copy_number, read_number; /* the places of these types in `layouts`: */
    PyObject *read_type; /* that of a read of an attribute, applied where it is known: */
    PyObject *read_from; /* dict: (object, name) -> the variable of the attribute */
    PyObject *read_as;   /* dict: (object, name) -> the one object that it is */
    PyObject *saturated; /* set: variables whose objects reached their maximum */
    long long work, next_bound, budget, unfollowed;
    uint32_t max_objects, narrow_objects, max_definitions;
} PointsTo;

/* Queues. */
bool push_variable(PointsTo *self, int32_t variable);
int32_t pop_variable(PointsTo *self);
bool push_late(PointsTo *self, PyObject *constraint, const int32_t *found,
               uint32_t count);
Late pop_late(PointsTo *self);
void clear_queues(PointsTo *self);

/* Objects of variables. */
bool add_object(PointsTo *self, int32_t variable, int32_t found);
bool add_objects(PointsTo *self, int32_t variable, const int32_t *found, uint32_t count);
bool copy_objects(PointsTo *self, int32_t src, int32_t dst);

/* Constraints. */
bool wait_for(PointsTo *self, int32_t variable, PyObject *constraint);
bool propagate_all(PointsTo *self);

/* Constraints of files. */
bool add_file(PointsTo *self, PyObject *code, PyObject *constants, long variables,
              long symbols);
PyObject *place(PointsTo *self, const File *file, uint32_t at);

extern PyType_Spec POINTS_TO_SPEC;

#endif

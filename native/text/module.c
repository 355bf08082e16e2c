/* The Python module `outcrop.text._native`. */
#include "text.h"

static bool add_type(PyObject *module, const char *name, PyType_Spec *spec) {
    PyObject *type = PyType_FromSpec(spec);
    if (type == NULL) {
        return false;
    }
    bool is_added = PyModule_AddObjectRef(module, name, type) == 0;
    Py_DECREF(type);
    return is_added;
}

static int fill_module(PyObject *module) {
    return add_type(module, "WordCounter", &COUNTER_SPEC) &&
                   add_type(module, "BytePairs", &BYTE_PAIRS_SPEC)
               ? 0
               : -1;
}

static PyMethodDef METHODS[] = {
    {"sum_rows", sum_rows, METH_VARARGS,
     "sum_rows(rows, scales, texts, sums)\n--\n\n"
     "Sum the rows of the tokens of texts, weighted by the roots of their counts."},
    {"count_differing", count_differing, METH_VARARGS,
     "count_differing(words, query, counts, numbers)\n--\n\n"
     "Count the bits in which each sketch differs, and how many differ in each number."},
    {"estimate", estimate, METH_VARARGS,
     "estimate(words, places, values, estimates)\n--\n\n"
     "Add what the bytes of the sketches at some places are worth."},
    {"add_postings", add_postings, METH_VARARGS,
     "add_postings(places, weights, starts, ends, factors, is_fused, sums)\n--\n\n"
     "Add what the terms of a question are worth in each chunk."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_native", "Counting words, tokens and bits.", 0, METHODS, SLOTS,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&MODULE); }

/* What the files of the module `outcrop.text._native` share; the stable ABI of 3.11. */
#ifndef OUTCROP_TEXT_MODULE_H
#define OUTCROP_TEXT_MODULE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

/* Return None. `Py_RETURN_NONE` of Python 3.12 counts no reference, although this file also
   serves 3.11, where None is freed without it. */
static inline PyObject *none(void) {
    Py_INCREF(Py_None);
    return Py_None;
}

extern PyType_Spec COUNTER_SPEC, BYTE_PAIRS_SPEC;
PyObject *sum_rows(PyObject *module, PyObject *arguments);
PyObject *count_differing(PyObject *module, PyObject *arguments);
PyObject *estimate(PyObject *module, PyObject *arguments);
PyObject *add_postings(PyObject *module, PyObject *arguments);

#endif

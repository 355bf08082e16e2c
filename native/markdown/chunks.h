/* Chunks of a document, made from its drafts. */
#ifndef OUTCROP_CHUNKS_H
#define OUTCROP_CHUNKS_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

PyObject *make_chunks(PyObject *module, PyObject *arguments);

#endif

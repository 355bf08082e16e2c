/* The Python module `outcrop.codegraph._native`. */
#include "points_to.h"

static int fill_module(PyObject *module) {
    PyObject *type = PyType_FromSpec(&POINTS_TO_SPEC);
    int failed = type == NULL ? -1 : PyModule_AddObjectRef(module, "PointsTo", type);
    Py_XDECREF(type);
    return failed;
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_native", "Following the values of a program.", 0, NULL, SLOTS,
    NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&MODULE); }

/* The Python module `outcrop.providers._native`. */
#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>

#include "reranker.h"

/* Passages that are scored at once: what they need fits into the cache. */
enum { PASSAGES_AT_ONCE = 8, VECTORS = 8, BUFFERS = 4 + VECTORS };

typedef struct {
    PyObject_HEAD
    const Kernel *kernel;
    Weights weights;
    Py_buffer buffers[BUFFERS];
    size_t buffer_count;
    Room room; /* for one call at a time */
} Network;

/* Return the contents of an object that is kept as long as the network; `count` is what
 * there has to be, or 0 to get it. */
static const void *keep(Network *network, PyObject *object, size_t size, size_t *count) {
    Py_buffer *buffer = &network->buffers[network->buffer_count];
    if (PyObject_GetBuffer(object, buffer, PyBUF_C_CONTIGUOUS) < 0) {
        return NULL;
    }
    network->buffer_count++;
    size_t held = (size_t)buffer->len / size;
    if (*count != 0 && held != *count) {
        PyErr_Format(PyExc_ValueError, "an array has %zu numbers instead of %zu", held,
                     *count);
        return NULL;
    }
    *count = held;
    return buffer->buf;
}

static bool keep_rows(Network *network, PyObject *tables) {
    Weights *weights = &network->weights;
    PyObject *rows, *scales, *learned, *learned_scales;
    if (!PyArg_ParseTuple(tables, "OOOO", &rows, &scales, &learned, &learned_scales)) {
        return false;
    }
    size_t row_numbers = 0, learned_numbers = 0;
    weights->rows = keep(network, rows, 1, &row_numbers);
    weights->row_count = row_numbers / ROW_WIDTH;
    if (weights->rows == NULL ||
        !(weights->row_scales = keep(network, scales, sizeof(float), &weights->row_count))) {
        return false;
    }
    weights->learned = keep(network, learned, 1, &learned_numbers);
    weights->learned_count = learned_numbers / WIDTH;
    return weights->learned != NULL &&
           (weights->learned_scales = keep(network, learned_scales, sizeof(float),
                                           &weights->learned_count)) != NULL;
}

static bool keep_vectors(Network *network, PyObject *vectors) {
    Weights *weights = &network->weights;
    const struct {
        const float **to;
        size_t rows;
    } fields[VECTORS] = {
        {&weights->unlearned, 1},         {&weights->first, 1},
        {&weights->near, TAPS},           {&weights->near_bias, 1},
        {&weights->marks_query, MARKS},   {&weights->place_query, MAX_QUERY},
        {&weights->marks_passage, MARKS}, {&weights->place_passage, MAX_PASSAGE},
    };
    if (PyTuple_Size(vectors) != VECTORS) {
        PyErr_SetString(PyExc_ValueError, "there have to be eight arrays of vectors");
        return false;
    }
    for (Py_ssize_t at = 0; at < VECTORS; at++) {
        size_t count = fields[at].rows * WIDTH;
        *fields[at].to =
            keep(network, PyTuple_GetItem(vectors, at), sizeof(float), &count);
        if (*fields[at].to == NULL) {
            return false;
        }
    }
    return true;
}

static size_t round_up(size_t count, size_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}

static bool copy_buffer(PyObject *object, void *to, size_t size) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_C_CONTIGUOUS) < 0) {
        return false;
    }
    bool fits = (size_t)buffer.len == size;
    if (fits) {
        memcpy(to, buffer.buf, size);
    } else {
        PyErr_Format(PyExc_ValueError, "an array has %zd bytes instead of %zu",
                     buffer.len, size);
    }
    PyBuffer_Release(&buffer);
    return fits;
}

/* Copy a layer, arranged for the kernel. */
static bool copy_layer(const Kernel *kernel, PyObject *layer, size_t inner, size_t outer,
                       Matrix *matrix) {
    PyObject *weights, *steps, *bias;
    if (!PyArg_ParseTuple(layer, "OOO", &weights, &steps, &bias)) {
        return false;
    }
    matrix->inner = inner;
    matrix->outer = round_up(outer, 16);
    size_t floats = matrix->outer * sizeof(float);
    float *step_copy = PyMem_Calloc(2, floats);
    int8_t *numbers = PyMem_Malloc(inner * outer);
    matrix->steps = step_copy;
    matrix->bias = step_copy + matrix->outer;
    matrix->offsets = PyMem_Calloc(matrix->outer, sizeof(int32_t));
    matrix->numbers = PyMem_Calloc(inner * matrix->outer, kernel->number_bytes);
    bool is_copied = false;
    if (!step_copy || !numbers || !matrix->offsets || !matrix->numbers) {
        PyErr_NoMemory();
    } else if (copy_buffer(weights, numbers, inner * outer) &&
               copy_buffer(steps, step_copy, outer * sizeof(float)) &&
               copy_buffer(bias, step_copy + matrix->outer, outer * sizeof(float))) {
        kernel->arrange(numbers, inner, outer, matrix);
        is_copied = true;
    }
    PyMem_Free(numbers);
    return is_copied;
}

static bool copy_layers(Network *network, PyObject *layers) {
    static const size_t sizes[PER_READING][2] = {
        [ASK] = {WIDTH, HEADS * WIDTH},      [OUT] = {HEADS * WIDTH, WIDTH},
        [OWN] = {WIDTH, 3 * WIDTH},          [OWN_OUT] = {WIDTH, WIDTH},
        [QUERY_UP] = {WIDTH, QUERY_INNER},   [QUERY_DOWN] = {QUERY_INNER, WIDTH},
    };
    static const size_t before[FIRST_READING][2] = {
        [PROJECT] = {ROW_WIDTH, WIDTH},
        [PASSAGE_UP] = {WIDTH, PASSAGE_INNER},
        [PASSAGE_DOWN] = {PASSAGE_INNER, WIDTH},
    };
    if (PyTuple_Size(layers) != LAYERS) {
        PyErr_Format(PyExc_ValueError, "there have to be %d layers", LAYERS);
        return false;
    }
    for (Py_ssize_t at = 0; at < LAYERS; at++) {
        const size_t last[2] = {at == HEAD ? 2 * WIDTH : WIDTH, at == HEAD ? WIDTH : 1};
        const size_t *size = at < FIRST_READING ? before[at]
                             : at < HEAD ? sizes[(at - FIRST_READING) % PER_READING]
                                         : last;
        if (!copy_layer(network->kernel, PyTuple_GetItem(layers, at), size[0], size[1],
                        &network->weights.layers[at])) {
            return false;
        }
    }
    return true;
}

/* The kernels that this machine can run, the fastest first. */
static size_t find_kernels(const Kernel **kernels) {
    size_t count = 0;
#ifdef HAS_X86_KERNELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
        kernels[count++] = &AVX512_KERNEL;
    }
    if (__builtin_cpu_supports("avx2")) {
        kernels[count++] = &AVX2_KERNEL;
    }
#endif
    kernels[count++] = &PORTABLE_KERNEL;
    return count;
}

static const Kernel *choose_kernel(const char *name) {
    const Kernel *kernels[3];
    size_t count = find_kernels(kernels);
    for (size_t at = 0; at < count; at++) {
        if (name == NULL || strcmp(kernels[at]->name, name) == 0) {
            return kernels[at];
        }
    }
    PyErr_Format(PyExc_ValueError, "this machine has no kernel '%s'", name);
    return NULL;
}

static PyObject *new_network(PyTypeObject *type, PyObject *given, PyObject *named) {
    static char *names[] = {"tables", "vectors", "exp_table", "mean_strength",
                            "layers", "kernel",  NULL};
    PyObject *tables, *vectors, *exp_table, *layers;
    const char *kernel = NULL;
    float mean_strength;
    if (!PyArg_ParseTupleAndKeywords(given, named, "OOOfO|z", names, &tables, &vectors,
                                     &exp_table, &mean_strength, &layers, &kernel)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Network *network = (Network *)allocate(type, 0);
    if (network == NULL) {
        return NULL;
    }
    network->weights.mean_strength = mean_strength;
    network->kernel = choose_kernel(kernel);
    if (network->kernel == NULL || !keep_rows(network, tables) ||
        !keep_vectors(network, vectors) ||
        !copy_buffer(exp_table, network->weights.exp_table,
                     sizeof(network->weights.exp_table)) ||
        !copy_layers(network, layers)) {
        Py_DECREF(network);
        return NULL;
    }
    return (PyObject *)network;
}

static void free_network(PyObject *self) {
    Network *network = (Network *)self;
    for (size_t at = 0; at < LAYERS; at++) {
        Matrix *matrix = &network->weights.layers[at];
        PyMem_Free(matrix->numbers);
        PyMem_Free(matrix->offsets);
        PyMem_Free((void *)matrix->steps); /* the bias follows the steps */
    }
    for (size_t at = 0; at < network->buffer_count; at++) {
        PyBuffer_Release(&network->buffers[at]);
    }
    free_room(&network->room);
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* Return whether a batch can be scored; if not, an error is set. */
static bool check_batch(const Network *network, const Batch *batch, size_t token_count) {
    size_t sum = 0;
    bool is_valid = batch->query_count >= 1 && batch->query_count <= MAX_QUERY;
    for (size_t at = 0; at < batch->passage_count; at++) {
        is_valid = is_valid && batch->lengths[at] >= 1 && batch->lengths[at] <= MAX_PASSAGE;
        sum += batch->lengths[at];
    }
    is_valid = is_valid && sum == token_count;
    for (size_t at = 0; is_valid && at < token_count; at++) {
        is_valid = batch->tokens[at] < network->weights.row_count;
    }
    for (size_t at = 0; is_valid && at < batch->query_count; at++) {
        is_valid = batch->query[at] < network->weights.row_count;
    }
    if (!is_valid) {
        PyErr_SetString(PyExc_ValueError, "too many or too few tokens, or an unknown one");
    }
    return is_valid;
}

static bool score_all(const Network *network, Batch batch, Room *room, float *scores) {
    size_t left = batch.passage_count;
    bool is_done = true;
    while (is_done && left > 0) {
        batch.passage_count = left < PASSAGES_AT_ONCE ? left : PASSAGES_AT_ONCE;
        is_done = network->kernel->score(&network->weights, &batch, room, scores);
        for (size_t at = 0; at < batch.passage_count; at++) {
            batch.tokens += batch.lengths[at];
        }
        batch.lengths += batch.passage_count;
        scores += batch.passage_count;
        left -= batch.passage_count;
    }
    return is_done;
}

static PyObject *score(PyObject *self, PyObject *given) {
    Network *network = (Network *)self;
    const char *query, *tokens, *lengths;
    Py_ssize_t query_size, token_size, length_size;
    if (!PyArg_ParseTuple(given, "y#y#y#", &query, &query_size, &tokens, &token_size,
                          &lengths, &length_size)) {
        return NULL;
    }
    Batch batch = {
        .query = (const uint32_t *)query,
        .query_count = (size_t)query_size / sizeof(uint32_t),
        .tokens = (const uint32_t *)tokens,
        .lengths = (const uint32_t *)lengths,
        .passage_count = (size_t)length_size / sizeof(uint32_t),
    };
    if (!check_batch(network, &batch, (size_t)token_size / sizeof(uint32_t))) {
        return NULL;
    }
    PyObject *scores = PyBytes_FromStringAndSize(NULL, length_size);
    if (scores == NULL) {
        return NULL;
    }
    float *to = (float *)PyBytes_AsString(scores);
    bool is_done;
    Room room = network->room; /* another thread that comes now takes its own */
    network->room = (Room){.count = 0};
    Py_BEGIN_ALLOW_THREADS
    is_done = score_all(network, batch, &room, to);
    Py_END_ALLOW_THREADS
    free_room(&network->room);
    network->room = room;
    if (!is_done) {
        Py_DECREF(scores);
        return PyErr_NoMemory();
    }
    return scores;
}

static PyMethodDef METHODS[] = {
    {"score", score, METH_VARARGS,
     "score(query, tokens, lengths)\n--\n\nReturn a float per passage."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot NETWORK_SLOTS[] = {
    {Py_tp_new, new_network},
    {Py_tp_dealloc, free_network},
    {Py_tp_methods, METHODS},
    {Py_tp_doc, "The network of the local reranker."},
    {0, NULL},
};

static PyType_Spec NETWORK_SPEC = {
    "outcrop.providers._native.Network", sizeof(Network), 0, Py_TPFLAGS_DEFAULT,
    NETWORK_SLOTS,
};

static int fill_module(PyObject *module) {
    const Kernel *kernels[3];
    size_t count = find_kernels(kernels);
    PyObject *type = PyType_FromSpec(&NETWORK_SPEC);
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    bool is_filled = type != NULL && names != NULL;
    for (size_t at = 0; is_filled && at < count; at++) {
        PyObject *name = PyUnicode_FromString(kernels[at]->name);
        is_filled = name != NULL && PyTuple_SetItem(names, (Py_ssize_t)at, name) == 0;
    }
    is_filled = is_filled && PyModule_AddObjectRef(module, "Network", type) == 0 &&
                PyModule_AddObjectRef(module, "KERNELS", names) == 0;
    Py_XDECREF(type);
    Py_XDECREF(names);
    return is_filled ? 0 : -1;
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, fill_module}, {0, NULL}};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_native", "The network of the local reranker.", 0, NULL,
    SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&MODULE); }

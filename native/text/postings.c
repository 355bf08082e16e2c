/* Adding up what the words of a question are worth in each chunk. */
#include "text.h"

/* The chunks that contain each term of an index, one term after the other: their places,
 * and the weight of the term in each. */
typedef struct {
    const int32_t *places;
    const float *weights;
    size_t count;
} Postings;

/* The terms of a question: where their postings start and end, and what they count. */
typedef struct {
    const int64_t *starts, *ends;
    const float *factors;
    size_t count;
} Terms;

/* The database adds products to a sum of floats; where it was compiled for processors that
 * do so at once, products are not rounded. */
static bool add_all(const Postings *postings, const Terms *terms, bool is_fused,
                    float *sums, size_t chunk_count) {
    for (size_t term = 0; term < terms->count; term++) {
        int64_t start = terms->starts[term], end = terms->ends[term];
        if (start < 0 || end < start || (size_t)end > postings->count) {
            return false;
        }
        const float factor = terms->factors[term];
        for (int64_t at = start; at < end; at++) {
            uint32_t place = (uint32_t)postings->places[at];
            if (place >= chunk_count) {
                return false;
            }
            if (is_fused) {
                double product = (double)postings->weights[at] * (double)factor;
                sums[place] = (float)((double)sums[place] + product);
            } else {
                sums[place] += postings->weights[at] * factor;
            }
        }
    }
    return true;
}

PyObject *add_postings(PyObject *module, PyObject *arguments) {
    Py_buffer places, weights, starts, ends, factors, sums;
    int is_fused;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*pw*", &places, &weights, &starts, &ends,
                          &factors, &is_fused, &sums)) {
        return NULL;
    }
    Postings postings = {places.buf, weights.buf,
                         (size_t)places.len / sizeof(int32_t)};
    Terms terms = {starts.buf, ends.buf, factors.buf,
                   (size_t)factors.len / sizeof(float)};
    bool is_valid =
        (size_t)weights.len == postings.count * sizeof(float) &&
        (size_t)starts.len == terms.count * sizeof(int64_t) && ends.len == starts.len;
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        is_valid = add_all(&postings, &terms, is_fused != 0, sums.buf,
                           (size_t)sums.len / sizeof(float));
        Py_END_ALLOW_THREADS
    }
    if (!is_valid) {
        PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not fit");
    }
    PyBuffer_Release(&places);
    PyBuffer_Release(&weights);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&factors);
    PyBuffer_Release(&sums);
    return is_valid ? none() : NULL;
}

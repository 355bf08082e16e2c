/* Sketches of vectors: how many bits differ, and what those that differ least are worth;
 * sketches/view.py says what they mean. */
#include "text.h"

#include <string.h>

#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_X86_COUNTING
#endif

/* Sums of this many sketches stay in the fastest cache. */
enum { BLOCK = 512, LANES = 8, BYTE_VALUES = 256, MAX_WORDS = 64 };

/* The sketches of an index: a row for each word, a column for each chunk. */
typedef struct {
    const uint64_t *words;
    size_t word_count, chunk_count;
} Sketches;

typedef void CountBlock(const Sketches *sketches, const uint64_t *query, size_t start,
                        size_t count, uint64_t *sums);

static inline uint64_t count_bits(uint64_t bits) {
#if defined(__GNUC__)
    return (uint64_t)__builtin_popcountll(bits);
#else
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) +
           ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (bits * UINT64_C(0x0101010101010101)) >> 56;
#endif
}

/* The same loop, compiled for several processors. */
#define COUNT_BLOCK                                                                    \
    {                                                                                  \
        memset(sums, 0, count * sizeof(*sums));                                        \
        for (size_t word = 0; word < sketches->word_count; word++) {                   \
            const uint64_t *row =                                                      \
                sketches->words + word * sketches->chunk_count + start;                \
            const uint64_t wanted = query[word];                                       \
            for (size_t at = 0; at < count; at++) {                                    \
                sums[at] += count_bits(row[at] ^ wanted);                              \
            }                                                                          \
        }                                                                              \
    }

static void count_block(const Sketches *sketches, const uint64_t *query, size_t start,
                        size_t count, uint64_t *restrict sums) COUNT_BLOCK

#ifdef HAS_X86_COUNTING
__attribute__((target("popcnt"))) static void
count_block_popcnt(const Sketches *sketches, const uint64_t *query, size_t start,
                   size_t count, uint64_t *restrict sums) COUNT_BLOCK

__attribute__((target("avx512f,avx512vpopcntdq,popcnt"))) static void
count_block_avx512(const Sketches *sketches, const uint64_t *query, size_t start,
                   size_t count, uint64_t *restrict sums) COUNT_BLOCK
#endif

static CountBlock *choose_counting(void) {
#ifdef HAS_X86_COUNTING
    if (__builtin_cpu_supports("avx512vpopcntdq")) {
        return count_block_avx512;
    }
    if (__builtin_cpu_supports("popcnt")) {
        return count_block_popcnt;
    }
#endif
    return count_block;
}

static void count_all(const Sketches *sketches, const uint64_t *query, uint16_t *counts,
                      int64_t *numbers) {
    CountBlock *count_block_here = choose_counting();
    uint64_t sums[BLOCK];
    for (size_t start = 0; start < sketches->chunk_count; start += BLOCK) {
        size_t left = sketches->chunk_count - start;
        size_t count = left < BLOCK ? left : BLOCK;
        count_block_here(sketches, query, start, count, sums);
        for (size_t at = 0; at < count; at++) {
            counts[start + at] = (uint16_t)sums[at];
            numbers[sums[at]]++;
        }
    }
}

PyObject *count_differing(PyObject *module, PyObject *arguments) {
    Py_buffer words, query, counts, numbers;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*w*w*", &words, &query, &counts, &numbers)) {
        return NULL;
    }
    Sketches sketches = {words.buf, (size_t)query.len / sizeof(uint64_t),
                         (size_t)counts.len / sizeof(uint16_t)};
    bool is_valid = sketches.word_count <= MAX_WORDS &&
                    (size_t)words.len ==
                        sketches.word_count * sketches.chunk_count * sizeof(uint64_t) &&
                    (size_t)numbers.len > 64 * sketches.word_count * sizeof(int64_t);
    if (is_valid) {
        Py_BEGIN_ALLOW_THREADS
        count_all(&sketches, query.buf, counts.buf, numbers.buf);
        Py_END_ALLOW_THREADS
    } else {
        PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not fit");
    }
    PyBuffer_Release(&words);
    PyBuffer_Release(&query);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&numbers);
    return is_valid ? none() : NULL;
}

/* Add what each byte of a sketch is worth, in the order that NumPy adds in. */
static float add_values(const Sketches *sketches, size_t place, const float *values) {
    const size_t width = LANES * sketches->word_count;
    float lanes[LANES] = {0};
    for (size_t word = 0; word < sketches->word_count; word++) {
        uint64_t bits = sketches->words[word * sketches->chunk_count + place];
        for (size_t lane = 0; lane < LANES; lane++, bits >>= 8) {
            float value = values[(bits & 0xff) * width + word * LANES + lane];
            lanes[lane] = word == 0 ? value : lanes[lane] + value;
        }
    }
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static bool estimate_all(const Sketches *sketches, const Py_buffer *places,
                         const float *values, float *estimates) {
    const int64_t *place = places->buf;
    size_t count = (size_t)places->len / sizeof(*place);
    for (size_t at = 0; at < count; at++) {
        if (place[at] < 0 || (size_t)place[at] >= sketches->chunk_count) {
            PyErr_SetString(PyExc_IndexError, "there is no sketch at a place");
            return false;
        }
        estimates[at] = add_values(sketches, (size_t)place[at], values);
    }
    return true;
}

PyObject *estimate(PyObject *module, PyObject *arguments) {
    Py_buffer words, places, values, estimates;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y*y*y*w*", &words, &places, &values, &estimates)) {
        return NULL;
    }
    size_t word_count = (size_t)values.len / (BYTE_VALUES * LANES * sizeof(float));
    bool is_done = false;
    if (word_count == 0 || (size_t)words.len % (word_count * sizeof(uint64_t)) != 0 ||
        (size_t)estimates.len / sizeof(float) !=
            (size_t)places.len / sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "the sizes of the arrays do not fit");
    } else {
        Sketches sketches = {words.buf, word_count,
                             (size_t)words.len / (word_count * sizeof(uint64_t))};
        is_done = estimate_all(&sketches, &places, values.buf, estimates.buf);
    }
    PyBuffer_Release(&words);
    PyBuffer_Release(&places);
    PyBuffer_Release(&values);
    PyBuffer_Release(&estimates);
    return is_done ? none() : NULL;
}

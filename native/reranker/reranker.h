/* What the files of the module `outcrop.providers._native` share: the network of the local
 * reranker. reranker_weights.py says why its results are those of NumPy to the last bit;
 * for that, it is compiled without contracting a product and a sum into one operation. */
#ifndef OUTCROP_RERANKER_H
#define OUTCROP_RERANKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "room.h"

enum {
    WIDTH = 128,     /* numbers of a vector */
    ROW_WIDTH = 256, /* numbers of a row of the embedder */
    HEADS = 4,
    HEAD_WIDTH = WIDTH / HEADS,
    PASSAGE_INNER = 256,
    QUERY_INNER = 512,
    READINGS = 3,
    PER_READING = 6, /* layers */
    LAYERS = 5 + READINGS * PER_READING,
    MARKS = 4,
    REACH = 3, /* of the convolution, to each side */
    TAPS = 2 * REACH + 1,
    MAX_QUERY = 40,
    MAX_PASSAGE = 128,
    EXP_STEPS = 64,
    EXP_VALUES = 1024,
};

/* The layers in the order in which Python passes them. */
enum { PROJECT, PASSAGE_UP, PASSAGE_DOWN, FIRST_READING };
enum { ASK, OUT, OWN, OWN_OUT, QUERY_UP, QUERY_DOWN };
enum { HEAD = FIRST_READING + READINGS * PER_READING, LAST };

/* A matrix of integers, arranged as the kernel reads it. Results of a row are multiplied
 * by the step of the column, then by that of the row, then the bias is added. Sizes are
 * rounded up, `inner` to a multiple of 4 and `outer` of 16, with zeros. */
typedef struct {
    size_t inner, outer;
    void *numbers;
    int32_t *offsets;
    const float *steps, *bias;
} Matrix;

/* What the network has learned. Arrays that are not matrices belong to Python. */
typedef struct {
    const int8_t *rows, *learned;
    const float *row_scales, *learned_scales;
    size_t row_count, learned_count;
    float mean_strength;
    const float *unlearned, *first, *near, *near_bias;
    const float *marks_query, *place_query, *marks_passage, *place_passage;
    int32_t exp_table[EXP_VALUES];
    Matrix layers[LAYERS];
} Weights;

/* A query and passages: token ids, all below `row_count`. */
typedef struct {
    const uint32_t *query;
    size_t query_count;
    const uint32_t *tokens; /* of all passages, one after the other */
    const uint32_t *lengths;
    size_t passage_count;
} Batch;

/* One implementation per instruction set; all of them give the same results. */
typedef struct {
    const char *name;
    size_t number_bytes; /* of an integer in a matrix */
    void (*arrange)(const int8_t *weights, size_t inner, size_t outer, Matrix *matrix);
    bool (*score)(const Weights *weights, const Batch *batch, Room *room,
                  float *scores);
} Kernel;

extern const Kernel PORTABLE_KERNEL;
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_X86_KERNELS
extern const Kernel AVX2_KERNEL, AVX512_KERNEL;
#endif

#endif

/* The network on any processor: integers as floats, which hold their sums exactly. */
#include "reranker.h"

#include <string.h>

enum {
    LANES = 4,
    GROUP = 1,
    TILE_ROWS = 2,
    GIVEN_WIDTH = 512,
    GIVEN_ROOM = TILE_ROWS * GIVEN_WIDTH,
};
typedef float Number;
typedef float Given;
typedef float Vector __attribute__((vector_size(LANES * sizeof(float))));
#define TILE_ROWS_EACH(DO) DO(0) DO(1)
#define ALWAYS_INLINE __attribute__((always_inline))
#define GIVE_NUMBERS

static inline ALWAYS_INLINE Vector start_sum(const int32_t *offsets) {
    (void)offsets;
    return (Vector){0};
}

static inline ALWAYS_INLINE Vector load(const Number *numbers) {
    Vector loaded;
    memcpy(&loaded, numbers, sizeof(loaded));
    return loaded;
}

static inline ALWAYS_INLINE Vector repeat_group(const Given *numbers) {
    float number = *numbers;
    return (Vector){number, number, number, number};
}

static inline ALWAYS_INLINE Vector add_products(Vector sum, Vector given,
                                                Vector numbers) {
    return sum + given * numbers;
}

static inline ALWAYS_INLINE void store(Vector sum, const float *steps, float row_step,
                                       const float *bias, float *out) {
    Vector value = sum * load(steps) * row_step + load(bias);
    memcpy(out, &value, sizeof(value));
}

#include "network.h"

const Kernel PORTABLE_KERNEL = {"portable", sizeof(Number), arrange, score};

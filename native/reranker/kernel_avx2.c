/* The network on processors with AVX2: two products at a time. */
#include "reranker.h"

#ifdef HAS_X86_KERNELS
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#include <immintrin.h>
#include <string.h>

enum {
    LANES = 8,
    GROUP = 2,
    TILE_ROWS = 2,
    GIVEN_WIDTH = 512,
    GIVEN_ROOM = TILE_ROWS * GIVEN_WIDTH,
};
typedef int16_t Number;
typedef int16_t Given;
typedef __m256i Vector;
#define TILE_ROWS_EACH(DO) DO(0) DO(1)
#define ALWAYS_INLINE __attribute__((always_inline))
#define GIVE_NUMBERS

static inline Vector start_sum(const int32_t *offsets) {
    (void)offsets;
    return _mm256_setzero_si256();
}

static inline Vector load(const Number *numbers) {
    return _mm256_loadu_si256((const __m256i *)numbers);
}

static inline Vector repeat_group(const Given *numbers) {
    int32_t group;
    memcpy(&group, numbers, sizeof(group));
    return _mm256_set1_epi32(group);
}

static inline Vector add_products(Vector sum, Vector given, Vector numbers) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(given, numbers));
}

static inline void store(Vector sum, const float *steps, float row_step,
                         const float *bias, float *out) {
    __m256 value = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(steps));
    value = _mm256_mul_ps(value, _mm256_set1_ps(row_step));
    _mm256_storeu_ps(out, _mm256_add_ps(value, _mm256_loadu_ps(bias)));
}

#include "network.h"

const Kernel AVX2_KERNEL = {"avx2", sizeof(Number), arrange, score};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

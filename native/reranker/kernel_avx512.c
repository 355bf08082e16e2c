/* The network on processors with AVX-512 and VNNI: four products at a time. */
#include "reranker.h"

#ifdef HAS_X86_KERNELS
#ifdef __clang__
#pragma clang attribute push( \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"))), \
    apply_to = function)
#else
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")
#endif
#include <immintrin.h>
#include <string.h>

enum { LANES = 16, GROUP = 4, TILE_ROWS = 6, GIVEN_WIDTH = 0, GIVEN_ROOM = 1 };
typedef int8_t Number;
typedef uint8_t Given;
typedef __m512i Vector;
#define TILE_ROWS_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define ALWAYS_INLINE __attribute__((always_inline))

/* The instruction multiplies bytes without a sign, so rows keep their ZERO, and sums start
 * with what it adds to them. */
static inline const Given *give(const uint8_t *bytes, size_t count, Given *room) {
    (void)count, (void)room;
    return bytes;
}

static inline Vector start_sum(const int32_t *offsets) {
    return _mm512_loadu_si512(offsets);
}

static inline Vector load(const Number *numbers) { return _mm512_loadu_si512(numbers); }

static inline Vector repeat_group(const Given *numbers) {
    int32_t group;
    memcpy(&group, numbers, sizeof(group));
    return _mm512_set1_epi32(group);
}

static inline Vector add_products(Vector sum, Vector given, Vector numbers) {
    /* The same as _mm512_dpbusd_epi32, for which GCC 12 copies every sum twice. */
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(given), "v"(numbers));
    return sum;
}

static inline void store(Vector sum, const float *steps, float row_step,
                         const float *bias, float *out) {
    __m512 value = _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(steps));
    value = _mm512_mul_ps(value, _mm512_set1_ps(row_step));
    _mm512_storeu_ps(out, _mm512_add_ps(value, _mm512_loadu_ps(bias)));
}

#include "network.h"

const Kernel AVX512_KERNEL = {"avx512", sizeof(Number), arrange, score};
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif

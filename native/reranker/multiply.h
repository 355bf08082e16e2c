/* Products of matrices of integers. Included once for each instruction set, by a file that
 * defines the vectors: `Vector` has LANES sums of 32 bits, to which the products of GROUP
 * integers are added at a time: those of a row, of type `Given`, and those of a matrix, of
 * type `Number`. Rows are stored as bytes, each number plus ZERO. */

enum { INNER_MULTIPLE = 4, OUTER_MULTIPLE = 16, WIDE_BLOCKS = 4, ZERO = 128 };

static size_t round_up(size_t count, size_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
}

/* Where the numbers of a group of rows and a block of LANES columns are. */
static Number *block_at(const Matrix *matrix, size_t row, size_t column) {
    size_t groups = matrix->inner / GROUP;
    return (Number *)matrix->numbers +
           ((column / LANES) * groups + row / GROUP) * LANES * GROUP;
}

/* Arrange rows of integers, one row after the other, as a matrix. */
static void arrange(const int8_t *weights, size_t inner, size_t outer, Matrix *matrix) {
    for (size_t column = 0; column < outer; column++) {
        int32_t sum = 0;
        for (size_t row = 0; row < inner; row++) {
            int8_t weight = weights[row * outer + column];
            size_t at = (column % LANES) * GROUP + row % GROUP;
            block_at(matrix, row, column)[at] = weight;
            sum += weight;
        }
        matrix->offsets[column] = -ZERO * sum;
    }
}

/* Arrange `count` rows of bytes as the columns of a matrix: `inner` numbers of each. */
static void arrange_columns(const uint8_t *rows, size_t stride, size_t count,
                            Matrix *matrix) {
    for (size_t column = 0; column < matrix->outer; column++) {
        const uint8_t *row = rows + column * stride;
        Number *to = block_at(matrix, 0, column) + (column % LANES) * GROUP;
        int32_t sum = 0;
        for (size_t at = 0; at < matrix->inner; at += GROUP) {
            for (size_t next = 0; next < GROUP; next++) {
                Number number = column < count ? (Number)(row[at + next] - ZERO) : 0;
                to[next] = number;
                sum += number;
            }
            to += LANES * GROUP;
        }
        matrix->offsets[column] = -ZERO * sum;
    }
}

/* Arrange `count` rows of bytes as the rows of a matrix: `outer` numbers of each. */
static void arrange_rows(const uint8_t *rows, size_t stride, size_t count,
                         Matrix *matrix) {
    uint8_t none[WIDTH];
    memset(none, ZERO, sizeof(none));
    for (size_t column = 0; column < matrix->outer; column++) {
        matrix->offsets[column] = 0;
    }
    for (size_t at = 0; at < matrix->inner; at += GROUP) {
        const uint8_t *from[GROUP];
        for (size_t next = 0; next < GROUP; next++) {
            from[next] = at + next < count ? rows + (at + next) * stride : none;
        }
        for (size_t column = 0; column < matrix->outer; column += LANES) {
            Number *to = block_at(matrix, at, column);
            int32_t *offsets = matrix->offsets + column;
            for (size_t lane = 0; lane < LANES; lane++) {
                int32_t sum = 0;
                for (size_t next = 0; next < GROUP; next++) {
                    int32_t number = from[next][column + lane] - ZERO;
                    to[lane * GROUP + next] = (Number)number;
                    sum += number;
                }
                offsets[lane] -= ZERO * sum;
            }
        }
    }
}

/* Sums of a row for four blocks of columns. Compilers keep the fields of a structure in
 * registers, but not the items of an array. */
typedef struct {
    Vector a, b, c, d;
} Wide;

static inline ALWAYS_INLINE Wide start_wide(const int32_t *offsets) {
    return (Wide){start_sum(offsets), start_sum(offsets + LANES),
                  start_sum(offsets + 2 * LANES), start_sum(offsets + 3 * LANES)};
}

static inline ALWAYS_INLINE Wide load_wide(const Number *from, size_t block) {
    return (Wide){load(from), load(from + block), load(from + 2 * block),
                  load(from + 3 * block)};
}

static inline ALWAYS_INLINE Wide add_wide(Wide sum, Vector given, Wide numbers) {
    return (Wide){add_products(sum.a, given, numbers.a),
                  add_products(sum.b, given, numbers.b),
                  add_products(sum.c, given, numbers.c),
                  add_products(sum.d, given, numbers.d)};
}

static inline ALWAYS_INLINE void store_wide(Wide sum, const float *steps, float row_step,
                                            const float *bias, float *out) {
    store(sum.a, steps, row_step, bias, out);
    store(sum.b, steps + LANES, row_step, bias + LANES, out + LANES);
    store(sum.c, steps + 2 * LANES, row_step, bias + 2 * LANES, out + 2 * LANES);
    store(sum.d, steps + 3 * LANES, row_step, bias + 3 * LANES, out + 3 * LANES);
}

static inline ALWAYS_INLINE Vector load_narrow(const Number *from, size_t block) {
    (void)block;
    return load(from);
}

/* Multiply some rows with some columns of a matrix: all rows of a tile or one, and four
 * blocks of columns or one. The sums stay in registers. */
#define START(n) SUMS sum##n = START_SUMS(matrix->offsets + column);
#define ADD(n) sum##n = ADD_SUMS(sum##n, repeat_group(rows[n] + at), numbers);
#define STORE(n) \
    STORE_SUMS(sum##n, matrix->steps + column, steps[n], matrix->bias + column, \
               out[n] + column);
#define DEFINE_TILE(name, EACH_ROW) \
    static void name(const Given *const *rows, const float *steps, \
                     const Matrix *matrix, size_t column, float *const *out) { \
        const Number *from = block_at(matrix, 0, column); \
        size_t inner = matrix->inner, block = inner * LANES; \
        EACH_ROW(START) \
        for (size_t at = 0; at < inner; at += GROUP) { \
            SUMS numbers = LOAD_NUMBERS(from, block); \
            from += LANES * GROUP; \
            EACH_ROW(ADD) \
        } \
        EACH_ROW(STORE) \
    }
#define ONE_ROW(DO) DO(0)

#define SUMS Wide
#define START_SUMS start_wide
#define LOAD_NUMBERS load_wide
#define ADD_SUMS add_wide
#define STORE_SUMS store_wide
DEFINE_TILE(multiply_tall_wide, TILE_ROWS_EACH)
DEFINE_TILE(multiply_flat_wide, ONE_ROW)
#undef SUMS
#undef START_SUMS
#undef LOAD_NUMBERS
#undef ADD_SUMS
#undef STORE_SUMS
#define SUMS Vector
#define START_SUMS start_sum
#define LOAD_NUMBERS load_narrow
#define ADD_SUMS add_products
#define STORE_SUMS store
DEFINE_TILE(multiply_tall_narrow, TILE_ROWS_EACH)
DEFINE_TILE(multiply_flat_narrow, ONE_ROW)

static void multiply_rows(const Given *const *rows, const float *steps,
                          const Matrix *matrix, float *const *out, size_t count) {
    size_t wide = matrix->outer / (WIDE_BLOCKS * LANES) * (WIDE_BLOCKS * LANES);
    bool is_tall = count == TILE_ROWS;
    for (size_t row = 0; row < count; row += is_tall ? TILE_ROWS : 1) {
        for (size_t column = 0; column < wide; column += WIDE_BLOCKS * LANES) {
            (is_tall ? multiply_tall_wide : multiply_flat_wide)(
                rows + row, steps + row, matrix, column, out + row);
        }
        for (size_t column = wide; column < matrix->outer; column += LANES) {
            (is_tall ? multiply_tall_narrow : multiply_flat_narrow)(
                rows + row, steps + row, matrix, column, out + row);
        }
    }
}

#ifdef GIVE_NUMBERS
static const Given *give(const uint8_t *bytes, size_t count, Given *room) {
    for (size_t at = 0; at < count; at++) {
        room[at] = (Given)(bytes[at] - ZERO);
    }
    return room;
}
#endif

/* Multiply rows of bytes with a matrix. */
static void multiply(const uint8_t *rows, size_t stride, const float *row_steps,
                     size_t count, const Matrix *matrix, float *out, size_t out_stride) {
    Given room[GIVEN_ROOM];
    for (size_t first = 0; first < count; first += TILE_ROWS) {
        size_t tall = count - first < TILE_ROWS ? count - first : TILE_ROWS;
        const Given *given[TILE_ROWS];
        float *to[TILE_ROWS];
        for (size_t row = 0; row < tall; row++) {
            const uint8_t *bytes = rows + (first + row) * stride;
            given[row] = give(bytes, matrix->inner, room + row * GIVEN_WIDTH);
            to[row] = out + (first + row) * out_stride;
        }
        multiply_rows(given, row_steps + first, matrix, to, tall);
    }
}

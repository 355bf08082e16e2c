/* Rows of floats as bytes with a step, and simple operations on rows. */

static const float EPSILON = 1e-6f, TINY = 1e-20f, MAX_INTEGER = 127.0f;
/* Added to a number below 2**22, it leaves the nearest integer in the low bits. */
static const float ROUNDING = 12582912.0f;

static inline uint32_t bits_of(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* Round a row to bytes; return the step. */
static float round_row(const float *row, size_t width, uint8_t *bytes) {
    uint32_t top_bits = 0; /* floats without a sign are ordered as integers are */
    for (size_t i = 0; i < width; i++) {
        uint32_t bits = bits_of(row[i]) & 0x7FFFFFFF;
        top_bits = bits > top_bits ? bits : top_bits;
    }
    float top;
    memcpy(&top, &top_bits, sizeof(top));
    top = top > TINY ? top : TINY;
    float factor = MAX_INTEGER / top;
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (uint8_t)(bits_of(row[i] * factor + ROUNDING) + ZERO);
    }
    return top / MAX_INTEGER;
}

static void round_rows(const float *rows, size_t width, size_t count, uint8_t *bytes,
                       float *steps) {
    for (size_t row = 0; row < count; row++) {
        steps[row] = round_row(rows + row * width, width, bytes + row * width);
    }
}

static int32_t sum_squares(const uint8_t *bytes, size_t width) {
    int32_t square = 0;
    for (size_t i = 0; i < width; i++) {
        int32_t number = bytes[i] - ZERO;
        square += number * number;
    }
    return square;
}

/* Return one over the root of the mean square of a vector. */
static float factor_of(const uint8_t *bytes, float step) {
    float mean = (float)sum_squares(bytes, WIDTH) * (step * step) / (float)WIDTH;
    return 1.0f / sqrtf(mean + EPSILON);
}

static void normalize_steps(const uint8_t *bytes, size_t count, float *steps) {
    for (size_t row = 0; row < count; row++) {
        steps[row] = steps[row] * factor_of(bytes + row * WIDTH, steps[row]);
    }
}

static void scale_vector(const float *vector, float factor, float *out) {
    for (size_t i = 0; i < WIDTH; i++) {
        out[i] = vector[i] * factor;
    }
}

static void add_all(float *to, const float *from, size_t count) {
    for (size_t i = 0; i < count; i++) {
        to[i] += from[i];
    }
}

static void drop_negative(float *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        values[i] = values[i] > 0 ? values[i] : 0;
    }
}

/* Add what a token gets from its neighbours to its vector. */
static void convolve(const Weights *weights, const float *scaled, size_t at,
                     size_t count, float *vector) {
    float mixed[WIDTH] = {0};
    for (size_t tap = 0; tap < TAPS; tap++) {
        size_t next = at + tap; /* REACH more than the neighbour's place */
        if (next < REACH || next - REACH >= count) {
            continue;
        }
        const float *neighbour = scaled + (next - REACH) * WIDTH;
        const float *weight = weights->near + tap * WIDTH;
        for (size_t i = 0; i < WIDTH; i++) {
            mixed[i] += neighbour[i] * weight[i];
        }
    }
    for (size_t i = 0; i < WIDTH; i++) {
        vector[i] += mixed[i] + weights->near_bias[i];
    }
}

/* Rows that read others. */

enum { ROWS_AT_ONCE = 12 };
static const float EXCLUDED = -1e9f;

/* What is read: keys as columns, values as rows, and the step of each value. */
typedef struct {
    size_t count;
    Matrix keys, values;
    float *key_steps, *value_steps;
} Memory;

/* Rows of bytes that ask. */
typedef struct {
    const uint8_t *bytes;
    size_t stride;
    const float *steps;
    size_t count;
} Asked;

/* Return the shares of a row of scores as bytes, and their step. The scores are replaced;
 * `columns`, of which the last may be no scores, is a multiple of OUTER_MULTIPLE. */
static float share(float *scores, size_t count, size_t columns, const float *value_steps,
                   const int32_t *exp_table, uint8_t *bytes) {
    for (size_t at = count; at < columns; at++) {
        scores[at] = EXCLUDED;
    }
    float highest[OUTER_MULTIPLE];
    memcpy(highest, scores, sizeof(highest));
    for (size_t at = OUTER_MULTIPLE; at < columns; at += OUTER_MULTIPLE) {
        for (size_t i = 0; i < OUTER_MULTIPLE; i++) {
            highest[i] = scores[at + i] > highest[i] ? scores[at + i] : highest[i];
        }
    }
    float top = highest[0];
    for (size_t i = 1; i < OUTER_MULTIPLE; i++) {
        top = highest[i] > top ? highest[i] : top;
    }
    /* In a loop of its own: compilers make vectors of it, but not of a table's reads. */
    uint32_t places[MAX_PASSAGE];
    for (size_t at = 0; at < columns; at++) {
        float below = (top - scores[at]) * (float)EXP_STEPS;
        below = below < (float)(EXP_VALUES - 1) ? below : (float)(EXP_VALUES - 1);
        places[at] = bits_of(below + ROUNDING) & (EXP_VALUES - 1);
    }
    int32_t total = 0;
    for (size_t at = 0; at < columns; at++) {
        int32_t value = exp_table[places[at]];
        total += value;
        scores[at] = (float)value * value_steps[at];
    }
    return round_row(scores, columns, bytes) / (float)total;
}

/* Compute what each row reads. */
static void attend(const Asked *asked, const Memory *memory, const int32_t *exp_table,
                   float *out, size_t out_stride) {
    float scores[ROWS_AT_ONCE * MAX_PASSAGE];
    uint8_t shares[ROWS_AT_ONCE * MAX_PASSAGE];
    float steps[ROWS_AT_ONCE];
    size_t columns = memory->keys.outer;
    for (size_t first = 0; first < asked->count; first += ROWS_AT_ONCE) {
        size_t left = asked->count - first;
        size_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        multiply(asked->bytes + first * asked->stride, asked->stride,
                 asked->steps + first, count, &memory->keys, scores, columns);
        for (size_t row = 0; row < count; row++) {
            steps[row] = share(scores + row * columns, memory->count, columns,
                               memory->value_steps, exp_table, shares + row * columns);
        }
        multiply(shares, columns, steps, count, &memory->values,
                 out + first * out_stride, out_stride);
    }
}

/* Keep rows of bytes to be read; their steps were set before. */
static void remember(Memory *memory, const uint8_t *keys, const uint8_t *values,
                     size_t stride, size_t width, size_t count) {
    size_t columns = round_up(count, OUTER_MULTIPLE);
    memory->count = count;
    memory->keys.inner = memory->values.outer = width;
    memory->keys.outer = memory->values.inner = columns;
    arrange_columns(keys, stride, count, &memory->keys);
    arrange_rows(values, stride, count, &memory->values);
    for (size_t at = count; at < columns; at++) {
        memory->key_steps[at] = memory->value_steps[at] = 0;
    }
}

/* Let the vectors of one query read each other: what they ask, their keys and values. */
static void read_itself(const float *parts, size_t rows, Memory *own,
                        const int32_t *exp_table, float *out) {
    enum { STRIDE = 3 * WIDTH, PARTS = 3 * HEADS, MAX_ROWS = 1 + MAX_QUERY };
    uint8_t bytes[MAX_ROWS * STRIDE];
    float steps[MAX_ROWS * PARTS], ask_steps[MAX_ROWS];
    round_rows(parts, HEAD_WIDTH, rows * PARTS, bytes, steps);
    for (size_t head = 0; head < HEADS; head++) {
        const uint8_t *asking = bytes + head * HEAD_WIDTH;
        for (size_t row = 0; row < rows; row++) {
            ask_steps[row] = steps[row * PARTS + head];
            own->key_steps[row] = steps[row * PARTS + HEADS + head];
            own->value_steps[row] = steps[row * PARTS + 2 * HEADS + head];
        }
        remember(own, asking + WIDTH, asking + 2 * WIDTH, STRIDE, HEAD_WIDTH, rows);
        Asked asked = {asking, STRIDE, ask_steps, rows};
        attend(&asked, own, exp_table, out + head * HEAD_WIDTH, WIDTH);
    }
}

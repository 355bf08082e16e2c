/* The network; see reranker_network.py, whose operations these are, in the same order.
 * Included once for each instruction set, after its vectors. */
#include <math.h>

static const float ZEROS[MAX_PASSAGE] = {0};

/* In this order: each uses those before it. */
#include "multiply.h"

#include "rounding.h"

#include "attention.h"

#include "tokens.h"

/* Vectors, and room for what is computed of them. */
typedef struct {
    size_t count;
    float *vectors;
    float *first, *second; /* of a layer's results, QUERY_INNER numbers for each vector */
    uint8_t *bytes;
    float *steps;
} Vectors;

static const float ONES[WIDTH] = {
#define EIGHT 1, 1, 1, 1, 1, 1, 1, 1
    EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT,
    EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT,
#undef EIGHT
};

static Vectors take_vectors(Room *room, size_t count) {
    return (Vectors){
        .count = count,
        .vectors = take(room, count * WIDTH, sizeof(float)),
        .first = take(room, count * QUERY_INNER, sizeof(float)),
        .second = take(room, count * QUERY_INNER, sizeof(float)),
        .bytes = take(room, count * QUERY_INNER, 1),
        .steps = take(room, count * HEADS, sizeof(float)),
    };
}

/* Take room for passages that are to be read: of up to `count` tokens each. */
static Memory *take_memory(Room *room, size_t passages, size_t count, size_t width) {
    size_t columns = round_up(count, OUTER_MULTIPLE);
    size_t size = columns * width;
    Memory *memory = take(room, passages, sizeof(*memory));
    Number *numbers = take(room, passages * 2 * size, sizeof(*numbers));
    int32_t *offsets = take(room, passages * (columns + width), sizeof(*offsets));
    float *steps = take(room, passages * 2 * columns, sizeof(*steps));
    for (size_t at = 0; !room->has_failed && at < passages; at++) {
        float *key_steps = steps + at * 2 * columns;
        int32_t *key_offsets = offsets + at * (columns + width);
        memory[at] = (Memory){
            .keys = {.numbers = numbers + at * 2 * size,
                     .offsets = key_offsets,
                     .steps = key_steps,
                     .bias = ZEROS},
            .values = {.numbers = numbers + (at * 2 + 1) * size,
                       .offsets = key_offsets + columns,
                       .steps = ONES,
                       .bias = ZEROS},
            .key_steps = key_steps,
            .value_steps = key_steps + columns,
        };
    }
    return memory;
}

static void apply(const Matrix *layer, const Vectors *room, float *out) {
    multiply(room->bytes, layer->inner, room->steps, room->count, layer, out,
             layer->outer);
}

/* Apply a layer to the vectors, which are normalized for it. */
static void apply_normalized(const Matrix *layer, Vectors *room, float *out) {
    round_rows(room->vectors, WIDTH, room->count, room->bytes, room->steps);
    normalize_steps(room->bytes, room->count, room->steps);
    apply(layer, room, out);
}

/* Apply a layer to what was computed of the vectors, and add the result to them. */
static void add_applied(const Matrix *layer, const float *from, Vectors *room) {
    round_rows(from, layer->inner, room->count, room->bytes, room->steps);
    apply(layer, room, room->first);
    add_all(room->vectors, room->first, room->count * WIDTH);
}

/* Let vectors go through two layers. */
static void add_inner(const Matrix *up, const Matrix *down, Vectors *room) {
    apply_normalized(up, room, room->second);
    drop_negative(room->second, room->count * up->outer);
    add_applied(down, room->second, room);
}

static void read_passage(const Weights *weights, const Tokens *tokens,
                         const uint32_t *places, Vectors *room, Memory *memory) {
    size_t count = room->count;
    for (size_t at = 0; at < count; at++) {
        const float *own = tokens->in_passage + places[at] * WIDTH;
        const float *place = weights->place_passage + at * WIDTH;
        float *vector = room->vectors + at * WIDTH;
        for (size_t i = 0; i < WIDTH; i++) {
            vector[i] = own[i] + place[i];
        }
        float step = round_row(vector, WIDTH, room->bytes);
        scale_vector(vector, factor_of(room->bytes, step), room->first + at * WIDTH);
    }
    for (size_t at = 0; at < count; at++) {
        convolve(weights, room->first, at, count, room->vectors + at * WIDTH);
    }
    const Matrix *layers = weights->layers;
    add_inner(&layers[PASSAGE_UP], &layers[PASSAGE_DOWN], room);
    round_rows(room->vectors, WIDTH, count, room->bytes, memory->key_steps);
    normalize_steps(room->bytes, count, memory->key_steps);
    memcpy(memory->value_steps, memory->key_steps, count * sizeof(float));
    remember(memory, room->bytes, room->bytes, WIDTH, WIDTH, count);
}

/* Compute the vectors of the query beside a passage, after one for both. */
static void start_query(const Weights *weights, const Tokens *tokens,
                        const uint32_t *places, size_t count, size_t query_count,
                        float *out) {
    memcpy(out, weights->first, WIDTH * sizeof(float));
    for (size_t at = 0; at < query_count; at++) {
        uint32_t own = tokens->query[at];
        const float *row = tokens->vectors + own * WIDTH;
        const float *place = weights->place_query + at * WIDTH;
        float vector[WIDTH], near = 0;
        bool is_equal = false;
        for (size_t next = 0; next < count; next++) {
            float cosine = tokens->near[places[next] * tokens->near_stride + at];
            near = cosine > near ? cosine : near;
            is_equal = is_equal || places[next] == own;
        }
        for (size_t i = 0; i < WIDTH; i++) {
            vector[i] = row[i] + place[i];
        }
        add_marks(vector, is_equal, near, tokens->strength[own], weights->marks_query,
                  out + (1 + at) * WIDTH);
    }
}

/* Let the query read the passages, then itself, then go through two layers. `rows` is the
 * number of vectors beside each passage. */
static void read_once(const Matrix *layers, const Memory *passages, size_t rows,
                      Memory *own, const int32_t *exp_table, Vectors *query) {
    size_t passage_count = query->count / rows;
    apply_normalized(&layers[ASK], query, query->first);
    round_rows(query->first, WIDTH, query->count * HEADS, query->bytes, query->steps);
    for (size_t at = 0; at < passage_count; at++) {
        size_t first = at * rows * HEADS;
        Asked asked = {query->bytes + first * WIDTH, WIDTH, query->steps + first,
                       rows * HEADS};
        attend(&asked, &passages[at], exp_table, query->second + first * WIDTH, WIDTH);
    }
    add_applied(&layers[OUT], query->second, query);
    apply_normalized(&layers[OWN], query, query->first);
    for (size_t at = 0; at < passage_count; at++) {
        read_itself(query->first + at * rows * 3 * WIDTH, rows, own, exp_table,
                    query->second + at * rows * WIDTH);
    }
    add_applied(&layers[OWN_OUT], query->second, query);
    add_inner(&layers[QUERY_UP], &layers[QUERY_DOWN], query);
}

/* Return the score that the vectors of a query stand for. */
static float finish(const Weights *weights, const float *vectors, size_t query_count) {
    float both[2 * WIDTH] = {0}, inner[WIDTH], score[OUTER_MULTIPLE], step;
    uint8_t bytes[2 * WIDTH];
    for (size_t row = 0; row <= query_count; row++) {
        float scaled[WIDTH];
        step = round_row(vectors + row * WIDTH, WIDTH, bytes);
        scale_vector(vectors + row * WIDTH, factor_of(bytes, step), scaled);
        add_all(both + (row ? WIDTH : 0), scaled, WIDTH);
    }
    for (size_t i = WIDTH; i < 2 * WIDTH; i++) {
        both[i] /= (float)query_count;
    }
    step = round_row(both, 2 * WIDTH, bytes);
    multiply(bytes, 2 * WIDTH, &step, 1, &weights->layers[HEAD], inner, WIDTH);
    drop_negative(inner, WIDTH);
    step = round_row(inner, WIDTH, bytes);
    multiply(bytes, WIDTH, &step, 1, &weights->layers[LAST], score, OUTER_MULTIPLE);
    return score[0];
}

/* Compute a score per passage; return false if there is no memory for it. */
static bool score(const Weights *weights, const Batch *batch, Room *room,
                  float *scores) {
    reuse_room(room);
    Tokens tokens = {.count = 0};
    size_t rows = 1 + batch->query_count;
    Vectors passage = take_vectors(room, MAX_PASSAGE);
    Vectors query = take_vectors(room, batch->passage_count * rows);
    Memory *passages = take_memory(room, batch->passage_count, MAX_PASSAGE, WIDTH);
    Memory *own = take_memory(room, 1, rows, HEAD_WIDTH);
    bool is_done = !room->has_failed && look_up(weights, batch, &tokens, room);
    if (is_done) {
        const uint32_t *places = tokens.passages;
        for (size_t at = 0; at < batch->passage_count; at++) {
            passage.count = batch->lengths[at];
            read_passage(weights, &tokens, places, &passage, &passages[at]);
            start_query(weights, &tokens, places, passage.count, batch->query_count,
                        query.vectors + at * rows * WIDTH);
            places += passage.count;
        }
        for (size_t at = 0; at < READINGS; at++) {
            read_once(&weights->layers[FIRST_READING + at * PER_READING], passages, rows,
                      own, weights->exp_table, &query);
        }
        for (size_t at = 0; at < batch->passage_count; at++) {
            scores[at] = finish(weights, query.vectors + at * rows * WIDTH,
                                batch->query_count);
        }
    }
    return is_done;
}

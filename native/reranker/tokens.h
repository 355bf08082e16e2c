/* The different tokens of a query and passages, and what is known of each. */

typedef struct {
    size_t count;
    uint32_t *ids;
    uint32_t *query, *passages; /* which of them each token is */
    uint8_t *bytes;             /* the embedder's rows */
    float *inverse;             /* of the lengths of these rows */
    float *strength;            /* how much each counts to the embedder */
    float *near;                /* the cosine with each token of the query, or 0 */
    size_t near_stride;
    float *vectors, *in_passage; /* without and with marks */
} Tokens;

typedef struct {
    uint32_t *slots; /* one more than the place of a token, 0 if free */
    size_t count;    /* a power of two, more than there are tokens */
} Places;

static uint32_t place_of(Tokens *tokens, Places *places, uint32_t id) {
    size_t at = (id * UINT32_C(2654435769) >> 8) & (places->count - 1);
    while (places->slots[at] != 0) {
        uint32_t place = places->slots[at] - 1;
        if (tokens->ids[place] == id) {
            return place;
        }
        at = (at + 1) & (places->count - 1);
    }
    tokens->ids[tokens->count++] = id;
    places->slots[at] = (uint32_t)tokens->count;
    return (uint32_t)tokens->count - 1;
}

static size_t count_tokens(const Batch *batch) {
    size_t count = 0;
    for (size_t at = 0; at < batch->passage_count; at++) {
        count += batch->lengths[at];
    }
    return count;
}

/* Number the different tokens. */
static bool number_tokens(const Batch *batch, Tokens *tokens, Room *room) {
    size_t in_passages = count_tokens(batch), all = in_passages + batch->query_count;
    Places places = {.count = 64};
    while (places.count < 2 * all) {
        places.count *= 2;
    }
    places.slots = take(room, places.count, sizeof(*places.slots));
    tokens->ids = take(room, all, sizeof(*tokens->ids));
    tokens->query = take(room, batch->query_count, sizeof(*tokens->query));
    tokens->passages = take(room, in_passages, sizeof(*tokens->passages));
    if (room->has_failed) {
        return false;
    }
    memset(places.slots, 0, places.count * sizeof(*places.slots));
    for (size_t at = 0; at < batch->query_count; at++) {
        tokens->query[at] = place_of(tokens, &places, batch->query[at]);
    }
    for (size_t at = 0; at < in_passages; at++) {
        tokens->passages[at] = place_of(tokens, &places, batch->tokens[at]);
    }
    return true;
}

static void look_up_rows(const Weights *weights, Tokens *tokens) {
    for (size_t at = 0; at < tokens->count; at++) {
        const int8_t *row = weights->rows + (size_t)tokens->ids[at] * ROW_WIDTH;
        uint8_t *bytes = tokens->bytes + at * ROW_WIDTH;
        for (size_t i = 0; i < ROW_WIDTH; i++) {
            bytes[i] = (uint8_t)(row[i] + ZERO);
        }
        float length = sqrtf((float)sum_squares(bytes, ROW_WIDTH)) + EPSILON;
        tokens->inverse[at] = 1.0f / length;
        tokens->strength[at] =
            length * weights->row_scales[tokens->ids[at]] / weights->mean_strength;
    }
}

/* Compute the cosines of all tokens with those of the query. */
static bool compare(const Batch *batch, Tokens *tokens, Room *room) {
    size_t columns = tokens->near_stride;
    uint8_t *rows = take(room, batch->query_count * ROW_WIDTH, 1);
    float *steps = take(room, columns, sizeof(*steps));
    Matrix asked = {
        .inner = ROW_WIDTH,
        .outer = columns,
        .numbers = take(room, columns * ROW_WIDTH, sizeof(Number)),
        .offsets = take(room, columns, sizeof(int32_t)),
        .steps = steps,
        .bias = ZEROS,
    };
    if (room->has_failed) {
        return false;
    }
    for (size_t at = 0; at < batch->query_count; at++) {
        memcpy(rows + at * ROW_WIDTH, tokens->bytes + tokens->query[at] * ROW_WIDTH,
               ROW_WIDTH);
        steps[at] = tokens->inverse[tokens->query[at]];
    }
    for (size_t at = batch->query_count; at < columns; at++) {
        steps[at] = 0;
    }
    arrange_columns(rows, ROW_WIDTH, batch->query_count, &asked);
    multiply(tokens->bytes, ROW_WIDTH, tokens->inverse, tokens->count, &asked,
             tokens->near, columns);
    drop_negative(tokens->near, tokens->count * columns);
    return true;
}

/* Add to a vector what is known of a token beside its row. */
static void add_marks(const float *vector, bool is_equal, float near, float strength,
                      const float *weights, float *out) {
    float said = is_equal ? 1.0f : 0.0f, strong = said * strength;
    for (size_t i = 0; i < WIDTH; i++) {
        float marks = said * weights[i];
        marks += strong * weights[WIDTH + i];
        marks += near * weights[2 * WIDTH + i];
        marks += strength * weights[3 * WIDTH + i];
        out[i] = vector[i] + marks;
    }
}

static void add_learned(const Weights *weights, Tokens *tokens) {
    for (size_t at = 0; at < tokens->count; at++) {
        uint32_t id = tokens->ids[at];
        float *vector = tokens->vectors + at * WIDTH;
        if (id >= weights->learned_count) {
            add_all(vector, weights->unlearned, WIDTH);
            continue;
        }
        const int8_t *row = weights->learned + (size_t)id * WIDTH;
        float scale = weights->learned_scales[id];
        for (size_t i = 0; i < WIDTH; i++) {
            vector[i] += (float)row[i] * scale;
        }
    }
}

/* Compute the vectors of tokens in passages, where those of the query are marked. */
static void mark_passages(const Weights *weights, const Batch *batch, Tokens *tokens) {
    size_t said = 0; /* tokens of the query are numbered first */
    for (size_t at = 0; at < batch->query_count; at++) {
        said = tokens->query[at] >= said ? tokens->query[at] + 1 : said;
    }
    for (size_t at = 0; at < tokens->count; at++) {
        const float *cosines = tokens->near + at * tokens->near_stride;
        float near = 0;
        for (size_t i = 0; i < batch->query_count; i++) {
            near = cosines[i] > near ? cosines[i] : near;
        }
        add_marks(tokens->vectors + at * WIDTH, at < said, near, tokens->strength[at],
                  weights->marks_passage, tokens->in_passage + at * WIDTH);
    }
}

/* Compute what is known of each different token. */
static bool look_up(const Weights *weights, const Batch *batch, Tokens *tokens,
                    Room *room) {
    if (!number_tokens(batch, tokens, room)) {
        return false;
    }
    size_t count = tokens->count;
    tokens->near_stride = round_up(batch->query_count, OUTER_MULTIPLE);
    tokens->bytes = take(room, count * ROW_WIDTH, 1);
    tokens->inverse = take(room, count, sizeof(float));
    tokens->strength = take(room, count, sizeof(float));
    tokens->near = take(room, count * tokens->near_stride, sizeof(float));
    tokens->vectors = take(room, count * WIDTH, sizeof(float));
    tokens->in_passage = take(room, count * WIDTH, sizeof(float));
    if (room->has_failed) {
        return false;
    }
    look_up_rows(weights, tokens);
    multiply(tokens->bytes, ROW_WIDTH, tokens->inverse, count,
             &weights->layers[PROJECT], tokens->vectors, WIDTH);
    add_learned(weights, tokens);
    if (!compare(batch, tokens, room)) {
        return false;
    }
    mark_passages(weights, batch, tokens);
    return true;
}

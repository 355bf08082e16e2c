/* Lists, queues and sets of the numbers of variables and objects. */
#ifndef OUTCROP_CODEGRAPH_NUMBERS_H
#define OUTCROP_CODEGRAPH_NUMBERS_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Return None. `Py_RETURN_NONE` of Python 3.12 counts no reference, although this file also
   serves 3.11, where None is freed without it. */
static inline PyObject *none(void) {
    Py_INCREF(Py_None);
    return Py_None;
}

static inline bool no_memory(void) {
    PyErr_NoMemory();
    return false;
}

/* A list of numbers; the first two need no memory of their own, and few have more. */
#define OWN_NUMBERS 2
typedef struct {
    union {
        int32_t own[OWN_NUMBERS];
        int32_t *more;
    } at;
    uint32_t count, capacity; /* capacity: 0 while they are in `own` */
} Numbers;

static inline const int32_t *items_of(const Numbers *numbers) {
    return numbers->capacity ? numbers->at.more : numbers->at.own;
}

static inline bool has_number(const Numbers *numbers, int32_t number) {
    const int32_t *items = items_of(numbers);
    for (uint32_t at = 0; at < numbers->count; at++) {
        if (items[at] == number) {
            return true;
        }
    }
    return false;
}

static inline bool push_number(Numbers *numbers, int32_t number) {
    if (numbers->capacity == 0 && numbers->count == OWN_NUMBERS) {
        int32_t *more = malloc(4 * OWN_NUMBERS * sizeof(int32_t));
        if (more == NULL) {
            return no_memory();
        }
        memcpy(more, numbers->at.own, sizeof(numbers->at.own));
        numbers->at.more = more;
        numbers->capacity = 4 * OWN_NUMBERS;
    } else if (numbers->capacity && numbers->count == numbers->capacity) {
        uint32_t capacity = 2 * numbers->capacity;
        int32_t *more = realloc(numbers->at.more, capacity * sizeof(int32_t));
        if (more == NULL) {
            return no_memory();
        }
        numbers->at.more = more;
        numbers->capacity = capacity;
    }
    int32_t *items = numbers->capacity ? numbers->at.more : numbers->at.own;
    items[numbers->count++] = number;
    return true;
}

static inline void clear_numbers(Numbers *numbers) {
    if (numbers->capacity) {
        free(numbers->at.more);
    }
    memset(numbers, 0, sizeof(*numbers));
}

static inline bool push_numbers(Numbers *numbers, const int32_t *found, uint32_t count) {
    for (uint32_t at = 0; at < count; at++) {
        if (!push_number(numbers, found[at])) {
            return false;
        }
    }
    return true;
}

static inline void sort_numbers(int32_t *items, uint32_t count) {
    for (uint32_t at = 1; at < count; at++) { /* they are few */
        int32_t item = items[at];
        uint32_t place = at;
        for (; place > 0 && items[place - 1] > item; place--) {
            items[place] = items[place - 1];
        }
        items[place] = item;
    }
}

/* Numbers to work with for a while; nearly always few enough to be on the stack. */
#define BATCH_NUMBERS 96
typedef struct {
    int32_t own[BATCH_NUMBERS];
    int32_t *items;
    uint32_t count;
} Batch;

static inline bool open_batch(Batch *batch, size_t room) {
    batch->count = 0;
    batch->items = batch->own;
    if (room > BATCH_NUMBERS) {
        batch->items = malloc(room * sizeof(int32_t));
        if (batch->items == NULL) {
            return no_memory();
        }
    }
    return true;
}

static inline void close_batch(Batch *batch) {
    if (batch->items != batch->own) {
        free(batch->items);
    }
}

/* A set of pairs of numbers. */
typedef struct {
    uint64_t *slots;
    size_t count, mask;
} Pairs;

#define NO_PAIR UINT64_MAX

static inline uint64_t pair_of(int32_t first, int32_t second) {
    return (uint64_t)(uint32_t)first << 32 | (uint32_t)second;
}

static inline size_t slot_of(const Pairs *pairs, uint64_t pair) {
    size_t slot = (size_t)((pair * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & pairs->mask;
    while (pairs->slots[slot] != NO_PAIR && pairs->slots[slot] != pair) {
        slot = (slot + 1) & pairs->mask;
    }
    return slot;
}

static inline bool grow_pairs(Pairs *pairs) {
    size_t size = pairs->slots == NULL ? 1024 : 2 * (pairs->mask + 1);
    Pairs larger = {malloc(size * sizeof(uint64_t)), pairs->count, size - 1};
    if (larger.slots == NULL) {
        return no_memory();
    }
    memset(larger.slots, 0xff, size * sizeof(uint64_t));
    for (size_t at = 0; pairs->slots != NULL && at <= pairs->mask; at++) {
        if (pairs->slots[at] != NO_PAIR) {
            larger.slots[slot_of(&larger, pairs->slots[at])] = pairs->slots[at];
        }
    }
    free(pairs->slots);
    *pairs = larger;
    return true;
}

/* Add a pair; return 1 where it is new, 0 where it was there, -1 with an error set. */
static inline int add_pair(Pairs *pairs, int32_t first, int32_t second) {
    if (pairs->slots == NULL || 2 * pairs->count > pairs->mask) {
        if (!grow_pairs(pairs)) {
            return -1;
        }
    }
    uint64_t pair = pair_of(first, second);
    size_t slot = slot_of(pairs, pair);
    if (pairs->slots[slot] == pair) {
        return 0;
    }
    pairs->slots[slot] = pair;
    pairs->count++;
    return 1;
}

#endif

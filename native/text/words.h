/* The words seen so far, and the numbers of what each of them stands for. */
#ifndef OUTCROP_WORDS_H
#define OUTCROP_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char Byte;

/* Words that are longer, or stand for more, are unlikely to come again. */
enum { MAX_KEPT_BYTES = 100, MAX_KEPT_NUMBERS = 16 };

typedef struct {
    uint64_t hash;
    size_t start;      /* of its bytes in `bytes` */
    size_t first;      /* of its numbers in `numbers` */
    uint32_t length;   /* 0 where the slot is free */
    uint32_t count;    /* of its numbers */
} Word;

typedef struct {
    Word *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t word_count;
    Byte *bytes;
    size_t byte_count, byte_capacity;
    uint32_t *numbers;
    size_t number_count, number_capacity;
} Words;

/* FNV-1a, a byte at a time, so that a word is hashed while its end is looked for. */
#define FIRST_HASH UINT64_C(14695981039346656037)
static inline uint64_t add_to_hash(uint64_t hash, Byte byte) {
    return (hash ^ byte) * UINT64_C(1099511628211);
}

void free_words(Words *words);

/* Return a word, or NULL where it is not known. */
const Word *find_word(const Words *words, const Byte *bytes, size_t length,
                      uint64_t hash);

/* Keep a word with its numbers, or not where it is long; false without memory. */
bool keep_word(Words *words, const Byte *bytes, size_t length, uint64_t hash,
               const uint32_t *numbers, size_t count);

/* Return an array with room for one more item, or NULL, which leaves the array. */
void *grow(void *items, size_t count, size_t *capacity, size_t size);

#endif

#include "words.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

/* How many slots a word may be away from its own: no text can make finding slow, however
 * its words were chosen. A word without a slot is not kept. */
enum { MAX_PROBES = 32 };

void *grow(void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return items;
    }
    size_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    void *grown = realloc(items, wanted * size);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

void free_words(Words *words) {
    free(words->slots);
    free(words->bytes);
    free(words->numbers);
    memset(words, 0, sizeof(*words));
}

static size_t slot_of(uint64_t hash, size_t slot_count) {
    /* The low bits of FNV depend on few bits of the word. */
    return (size_t)(hash ^ (hash >> 32)) & (slot_count - 1);
}

const Word *find_word(const Words *words, const Byte *bytes, size_t length,
                      uint64_t hash) {
    if (words->slot_count == 0) {
        return NULL;
    }
    size_t at = slot_of(hash, words->slot_count);
    for (int probe = 0; probe < MAX_PROBES; probe++) {
        const Word *word = &words->slots[at];
        if (word->length == 0) {
            return NULL;
        }
        if (word->hash == hash && word->length == length &&
            memcmp(words->bytes + word->start, bytes, length) == 0) {
            return word;
        }
        at = (at + 1) & (words->slot_count - 1);
    }
    return NULL;
}

static bool put_word(Word *slots, size_t slot_count, Word word) {
    size_t at = slot_of(word.hash, slot_count);
    for (int probe = 0; probe < MAX_PROBES; probe++) {
        if (slots[at].length == 0) {
            slots[at] = word;
            return true;
        }
        at = (at + 1) & (slot_count - 1);
    }
    return false;
}

/* Double the slots; a word that finds none is forgotten. */
static bool add_slots(Words *words) {
    size_t wanted = words->slot_count ? 2 * words->slot_count : FIRST_CAPACITY;
    Word *slots = calloc(wanted, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    for (size_t at = 0; at < words->slot_count; at++) {
        if (words->slots[at].length > 0 && !put_word(slots, wanted, words->slots[at])) {
            words->word_count--;
        }
    }
    free(words->slots);
    words->slots = slots;
    words->slot_count = wanted;
    return true;
}

static bool add_bytes(Words *words, const Byte *bytes, size_t length) {
    while (words->byte_count + length > words->byte_capacity) {
        void *grown = grow(words->bytes, words->byte_capacity, &words->byte_capacity, 1);
        if (grown == NULL) {
            return false;
        }
        words->bytes = grown;
    }
    memcpy(words->bytes + words->byte_count, bytes, length);
    words->byte_count += length;
    return true;
}

static bool add_numbers(Words *words, const uint32_t *numbers, size_t count) {
    for (size_t at = 0; at < count; at++) {
        void *grown = grow(words->numbers, words->number_count, &words->number_capacity,
                           sizeof(*words->numbers));
        if (grown == NULL) {
            return false;
        }
        words->numbers = grown;
        words->numbers[words->number_count++] = numbers[at];
    }
    return true;
}

bool keep_word(Words *words, const Byte *bytes, size_t length, uint64_t hash,
               const uint32_t *numbers, size_t count) {
    if (length > MAX_KEPT_BYTES || count > MAX_KEPT_NUMBERS) {
        return true;
    }
    if (2 * words->word_count >= words->slot_count && !add_slots(words)) {
        return false;
    }
    Word word = {hash, words->byte_count, words->number_count, (uint32_t)length,
                 (uint32_t)count};
    if (!add_bytes(words, bytes, length) || !add_numbers(words, numbers, count)) {
        return false;
    }
    if (put_word(words->slots, words->slot_count, word)) {
        words->word_count++;
    } else {
        words->byte_count = word.start;
        words->number_count = word.first;
    }
    return true;
}

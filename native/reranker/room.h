/* Memory for one computation, which is kept for the next: taking it from the system each
 * time would cost a fifth of the time. */
#ifndef OUTCROP_ROOM_H
#define OUTCROP_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_BLOCKS = 40, LINE = 64 /* bytes of the processor's cache */ };

typedef struct {
    void *blocks[MAX_BLOCKS];
    size_t sizes[MAX_BLOCKS];
    size_t count; /* blocks in use */
    bool has_failed;
} Room;

/* Return memory that begins with a line of the cache, and holds anything. */
static inline void *take(Room *room, size_t count, size_t size) {
    if (room->count == MAX_BLOCKS) {
        room->has_failed = true;
        return NULL;
    }
    size_t wanted = count * size + LINE;
    void **block = &room->blocks[room->count];
    if (room->sizes[room->count] < wanted) {
        free(*block);
        *block = malloc(wanted);
        room->sizes[room->count] = *block ? wanted : 0;
    }
    if (*block == NULL) {
        room->has_failed = true;
        return NULL;
    }
    room->count++;
    uintptr_t address = (uintptr_t)*block + LINE - 1;
    return (void *)(address - address % LINE);
}

/* Begin another computation. */
static inline void reuse_room(Room *room) {
    room->count = 0;
    room->has_failed = false;
}

static inline void free_room(Room *room) {
    for (size_t at = 0; at < MAX_BLOCKS; at++) {
        free(room->blocks[at]);
    }
}

#endif

/* The answer of a C program, and the memory that it is made in. */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* One entry per group, in no particular order; release with groups_free.
 * A result that is a double is kept as its bits. */
typedef struct {
    int64_t *window;
    int64_t *keys;
    int64_t *results;
    int64_t count;
    int64_t room;
    int32_t status;
} Groups;

#define HUGE_PAGE ((size_t)1 << 21)

static inline void *reallocate(void *block, size_t bytes) {
    void *larger = realloc(block, bytes);
    if (!larger) {
        fprintf(stderr, "baselines: out of memory, could not allocate %zu bytes\n", bytes);
        abort();
    }
    return larger;
}

/* Large blocks ask for huge pages: fewer faults when they are first written and fewer misses in
 * the TLB. With 1 M keys the tables of a run are 100 MB and more. */
static inline void *allocate(size_t bytes) {
    void *block;
    if (bytes < 2 * HUGE_PAGE || posix_memalign(&block, HUGE_PAGE, bytes))
        return reallocate(NULL, bytes);
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static inline void groups_reserve(Groups *out, int64_t more) {
    if (out->count + more <= out->room) return;
    out->room = out->room ? out->room : 1024;
    while (out->room < out->count + more) out->room *= 2;
    size_t bytes = (size_t)out->room * sizeof(int64_t);
    out->window = reallocate(out->window, bytes);
    out->keys = reallocate(out->keys, bytes);
    out->results = reallocate(out->results, bytes);
}

static inline void emit(Groups *out, int64_t window, int64_t key, int64_t result) {
    groups_reserve(out, 1);
    out->window[out->count] = window;
    out->keys[out->count] = key;
    out->results[out->count++] = result;
}

void groups_free(Groups *groups);

#endif

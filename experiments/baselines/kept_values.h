/* The state of aggregates that need all values of a group: a growing array of them. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"

typedef struct {
    int64_t *values;
    int64_t count;
    int64_t room;
} State;

/* Values that lie in a range as narrow as this are counted rather than sorted. */
#define NARROW 1024

static inline State state_new(void) { return (State){NULL, 0, 0}; }

static __attribute__((noinline)) void state_grow(State *state, int64_t needed) {
    state->room = state->room ? state->room : 16;
    while (state->room < needed) state->room *= 2;
    state->values = reallocate(state->values, (size_t)state->room * sizeof(int64_t));
}

static inline void state_add(State *state, int64_t value) {
    if (__builtin_expect(state->count == state->room, 0)) state_grow(state, state->count + 1);
    state->values[state->count++] = value;
}

static inline void state_merge(State *into, State *from) {
    if (into->room < into->count + from->count) state_grow(into, into->count + from->count);
    memcpy(into->values + into->count, from->values, (size_t)from->count * sizeof(int64_t));
    into->count += from->count;
    free(from->values);
}

/* How often each value from the least on occurs; false where the range is not narrow. */
static inline bool count_values(const State *state, uint32_t *counts, int64_t *least,
                                int64_t *range) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (int64_t i = 0; i < state->count; i++) {
        low = state->values[i] < low ? state->values[i] : low;
        high = state->values[i] > high ? state->values[i] : high;
    }
    if ((uint64_t)high - (uint64_t)low >= NARROW) return false;
    *least = low;
    *range = high - low + 1;
    memset(counts, 0, (size_t)*range * sizeof *counts);
    for (int64_t i = 0; i < state->count; i++) counts[state->values[i] - low]++;
    return true;
}

static int by_value(const void *a, const void *b) {
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static inline void sort_values(const State *state) {
    qsort(state->values, (size_t)state->count, sizeof(int64_t), by_value);
}

/* AVG(value) for each 10 s and key. */
#include <stdint.h>
#include <string.h>

typedef struct {
    int64_t sum;
    int64_t count;
} State;

static inline State state_new(void) { return (State){0, 0}; }

static inline void state_add(State *state, int64_t value) {
    state->sum += value;
    state->count++;
}

static inline void state_merge(State *into, const State *from) {
    into->sum += from->sum;
    into->count += from->count;
}

static inline int64_t state_result(const State *state) {
    double average = (double)state->sum / (double)state->count;
    int64_t bits;
    memcpy(&bits, &average, sizeof bits);
    return bits;
}

#include "tumbling.h"

TUMBLING(tumbling_avg)

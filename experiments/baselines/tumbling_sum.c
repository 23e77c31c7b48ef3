/* SUM(value) for each 10 s and key. */
#include <stdint.h>

typedef struct {
    int64_t sum;
} State;

static inline State state_new(void) { return (State){0}; }
static inline void state_add(State *state, int64_t value) { state->sum += value; }
static inline void state_merge(State *into, const State *from) { into->sum += from->sum; }
static inline int64_t state_result(const State *state) { return state->sum; }

#include "tumbling.h"

TUMBLING(tumbling_sum)

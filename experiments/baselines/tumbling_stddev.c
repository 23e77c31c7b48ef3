/* STDDEV_SAMP(value) for each 10 s and key.
 *
 * Welford's recurrence, as exact for large values that are close together as Spark's; sums of
 * squares would save the division and lose that.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    double count;
    double mean;
    double squares; /* of the distances from the mean */
} State;

static inline State state_new(void) { return (State){0, 0, 0}; }

static inline void state_add(State *state, int64_t value) {
    double distance = (double)value - state->mean;
    state->count += 1;
    state->mean += distance / state->count;
    state->squares += distance * ((double)value - state->mean);
}

static inline void state_merge(State *into, const State *from) {
    if (from->count == 0) return;
    double count = into->count + from->count, distance = from->mean - into->mean;
    into->squares += from->squares + distance * distance * into->count * from->count / count;
    into->mean += distance * from->count / count;
    into->count = count;
}

/* NaN stands for the null of a group of one row. */
static inline int64_t state_result(const State *state) {
    double deviation = sqrt(state->squares / (state->count - 1));
    int64_t bits;
    memcpy(&bits, &deviation, sizeof bits);
    return bits;
}

#include "tumbling.h"

TUMBLING(tumbling_stddev)

/* MEDIAN(value) for each 10 s and key: of an even number of values, the mean of the middle two. */
#include "kept_values.h"

/* The value at a rank, from the counts. */
static inline int64_t value_at(const uint32_t *counts, int64_t least, int64_t rank) {
    int64_t at = 0;
    for (rank -= counts[0]; rank >= 0; rank -= counts[at]) at++;
    return least + at;
}

static inline int64_t state_result(const State *state) {
    uint32_t counts[NARROW];
    int64_t least, range, low = (state->count - 1) / 2, high = state->count / 2;
    if (count_values(state, counts, &least, &range)) {
        low = value_at(counts, least, low);
        high = value_at(counts, least, high);
    } else {
        sort_values(state);
        low = state->values[low];
        high = state->values[high];
    }
    free(state->values);
    double median = ((double)low + (double)high) / 2;
    int64_t bits;
    memcpy(&bits, &median, sizeof bits);
    return bits;
}

#include "tumbling.h"

TUMBLING(tumbling_median)

/* MODE(value) for each 10 s and key: the least of the most frequent values. */
#include "kept_values.h"

static inline int64_t most_counted(const uint32_t *counts, int64_t range) {
    int64_t best = 0;
    for (int64_t i = 1; i < range; i++) best = counts[i] > counts[best] ? i : best;
    return best;
}

static inline int64_t longest_run(const int64_t *values, int64_t count) {
    int64_t best = values[0], longest = 0;
    for (int64_t first = 0, i = 0; i < count; i++) {
        first = values[i] == values[first] ? first : i;
        if (i - first + 1 > longest) {
            longest = i - first + 1;
            best = values[i];
        }
    }
    return best;
}

static inline int64_t state_result(const State *state) {
    uint32_t counts[NARROW];
    int64_t least, range, mode;
    if (count_values(state, counts, &least, &range)) {
        mode = least + most_counted(counts, range);
    } else {
        sort_values(state);
        mode = longest_run(state->values, state->count);
    }
    free(state->values);
    return mode;
}

#include "tumbling.h"

TUMBLING(tumbling_mode)

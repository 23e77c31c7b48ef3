/* SUM(value) of each n views of a key, in order of arrival; the last window may be incomplete.
 *
 * Which rows share a window depends on all earlier ones of the key, so threads share out the keys:
 * each filters all rows and keeps those of its keys.
 */
#include <stdint.h>

typedef struct {
    int64_t sum;
    uint32_t count;
    uint32_t windows; /* that are complete */
} State;

static inline State state_new(void) { return (State){0, 0, 0}; }

#include "keyed_table.h"
#include "threads.h"

typedef struct {
    const Columns *chunks;
    int64_t chunk_count;
    int64_t size;
    int thread;
    int threads;
    Table table;
    Groups *out;
} Worker;

INLINE void state_add(State *state, int64_t key, int64_t value, int64_t size, Groups *out) {
    state->sum += value;
    if (UNLIKELY(++state->count == size)) {
        emit(out, (int64_t)state->windows * size, key, state->sum);
        *state = (State){0, 0, state->windows + 1};
    }
}

/* The rows whose key is this thread's. Bits of the hash that choose no slot choose the thread. */
INLINE int64_t select_own(uint32_t *selected, int64_t count, const int64_t *keys, int thread,
                          int threads) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t row = selected[i];
        uint64_t hash = ((uint64_t)keys[row] * MULTIPLIER) >> 16 & UINT32_MAX;
        selected[kept] = row;
        kept += (int)(hash * (uint64_t)threads >> 32) == thread;
    }
    return kept;
}

INLINE void add_chunk(Worker *worker, const Columns *in, bool strings) {
    uint32_t selected[SELECTED_ROOM];
    Table *table = &worker->table;
    for (int64_t first = 0; first < in->rows; first += BLOCK) {
        int64_t count =
            select_views(in, first, block_at(in, first), selected, strings, HAS_AVX512);
        const int64_t *keys = in->keys + first, *values = in->values + first;
        if (worker->threads > 1)
            count = select_own(selected, count, keys, worker->thread, worker->threads);
        for (int64_t i = 0; i < count; i++) {
            int64_t key = keys[selected[i]];
            state_add(find(table, key), key, values[selected[i]], worker->size, worker->out);
        }
    }
}

static void emit_rest(Worker *worker, int64_t key, const State *state) {
    if (state->count)
        emit(worker->out, (int64_t)state->windows * worker->size, key, state->sum);
}

INLINE void *consume(Worker *worker, bool strings) {
    table_init(&worker->table, 1024);
    for (int64_t i = 0; i < worker->chunk_count; i++)
        add_chunk(worker, &worker->chunks[i], strings);
    for (int64_t i = 0; i < worker->table.capacity; i++)
        emit_rest(worker, worker->table.slots[i].key, &worker->table.slots[i].state);
    for (int i = 0; i < 2; i++)
        emit_rest(worker, i ? EMPTY : EMPTY_AT_HOME, &worker->table.odd[i]);
    free(worker->table.slots);
    return NULL;
}

static void *consume_codes(void *worker) { return consume(worker, false); }
static void *consume_strings(void *worker) { return consume(worker, true); }

static void count_windows(const Columns *chunks, int64_t count, int threads, int64_t size,
                          Groups *out, void *(*consume)(void *)) {
    Worker workers[MAX_THREADS];
    for (int t = 0; t < threads; t++)
        workers[t] = (Worker){.chunks = chunks, .chunk_count = count, .size = size, .thread = t,
                              .threads = threads, .out = &out[t]};
    run_on_threads(consume, workers, sizeof(Worker), threads);
}

/* The window is the number of its first row within the key; `out` has an entry for each thread. */
void counted_sum_codes(const Columns *chunks, int64_t count, int threads, int64_t size,
                       Groups *out) {
    count_windows(chunks, count, threads, size, out, consume_codes);
}

void counted_sum_strings(const Columns *chunks, int64_t count, int threads, int64_t size,
                         Groups *out) {
    count_windows(chunks, count, threads, size, out, consume_strings);
}

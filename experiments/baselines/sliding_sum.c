/* SUM(value) for each key and each window of n s that slides by 1 s.
 *
 * Rows are added to slices of 1 s, each row once. A key keeps its slot from slice to slice; when
 * a slice ends, the sums of its keys are copied, by the key's number, and set to zero. Windows then
 * come from a running sum: add the slice that enters, emit, subtract the slice that leaves.
 */
#include <stdint.h>

typedef struct {
    int64_t sum;
    uint32_t count;
    uint32_t number; /* of the key, from 1 on; 0 until its first slice ends */
} State;

static inline State state_new(void) { return (State){0, 0, 0}; }

#include "keyed_table.h"
#include "threads.h"

#define SLICE_US INT64_C(1000000)

typedef struct {
    int64_t sum;
    int64_t count;
} Partial;

/* What the keys of one thread have in one slice, by the key's number. */
typedef struct {
    int64_t start_us;
    Partial *partials;
    int64_t count;
} Slice;

typedef struct Worker {
    const Columns *chunks;
    Pieces *pieces;
    struct Worker *others;
    int threads;
    int64_t size_us;
    int64_t last_end_us;
    Table table;
    int64_t *keys; /* by number */
    int64_t key_count;
    int64_t key_room;
    Slice *slices;
    int64_t slice_count;
    int64_t slice_room;
    int64_t *as_first; /* the first thread's number of each key */
    Groups *out;
} Worker;

/* ---- phase 1: rows into slices ------------------------------------------------------------- */

static uint32_t new_number(Worker *worker, int64_t key) {
    if (worker->key_count + 1 >= worker->key_room) {
        worker->key_room = worker->key_room ? worker->key_room * 2 : 1024;
        worker->keys = reallocate(worker->keys, (size_t)worker->key_room * sizeof(int64_t));
    }
    worker->keys[++worker->key_count] = key;
    return (uint32_t)worker->key_count;
}

static Slice *slice_find(const Worker *worker, int64_t start_us) {
    for (int64_t i = worker->slice_count - 1; i >= 0; i--)
        if (worker->slices[i].start_us == start_us) return &worker->slices[i];
    return NULL;
}

static Slice *slice_at(Worker *worker, int64_t start_us) {
    Slice *found = slice_find(worker, start_us);
    if (found) return found;
    if (worker->slice_count == worker->slice_room) {
        worker->slice_room = worker->slice_room ? worker->slice_room * 2 : 64;
        worker->slices = reallocate(worker->slices, (size_t)worker->slice_room * sizeof(Slice));
    }
    worker->slices[worker->slice_count] = (Slice){start_us, NULL, 0};
    return &worker->slices[worker->slice_count++];
}

static void slice_widen(Slice *slice, int64_t count) {
    if (slice->count >= count) return;
    slice->partials = reallocate(slice->partials, (size_t)count * sizeof(Partial));
    memset(slice->partials + slice->count, 0, (size_t)(count - slice->count) * sizeof(Partial));
    slice->count = count;
}

INLINE void move_state(Slice *slice, State *state) {
    slice->partials[state->number].sum += state->sum;
    slice->partials[state->number].count += state->count;
    state->sum = 0;
    state->count = 0;
}

/* Copy what the table holds into the slice. */
static void slice_end(Worker *worker, int64_t start_us) {
    Table *table = &worker->table;
    for (int64_t i = 0; i < table->capacity; i++)
        if (table->slots[i].state.count && !table->slots[i].state.number)
            table->slots[i].state.number = new_number(worker, table->slots[i].key);
    for (int i = 0; i < 2; i++)
        if (table->odd[i].count && !table->odd[i].number)
            table->odd[i].number = new_number(worker, i ? EMPTY : EMPTY_AT_HOME);
    Slice *slice = slice_at(worker, start_us);
    slice_widen(slice, worker->key_count + 1);
    for (int64_t i = 0; i < table->capacity; i++)
        if (table->slots[i].state.count) move_state(slice, &table->slots[i].state);
    for (int i = 0; i < 2; i++)
        if (table->odd[i].count) move_state(slice, &table->odd[i]);
}

INLINE void state_add(State *state, int64_t value) {
    state->sum += value;
    state->count++;
}

INLINE void add_rows(Table *table, const uint32_t *selected, int64_t count, const int64_t *keys,
                     const int64_t *values) {
    Slot *slots = table->slots;
    int32_t shift = table->shift;
    for (int64_t i = 0; i < count; i++) {
        int64_t key = keys[selected[i]];
        Slot *slot = &slots[home_of(key, shift)];
        if (LIKELY(slot->key == key)) {
            state_add(&slot->state, values[selected[i]]);
        } else {
            state_add(find_elsewhere(table, key), values[selected[i]]);
            slots = table->slots;
            shift = table->shift;
        }
    }
}

INLINE int64_t add_chunk(Worker *worker, const Columns *in, int64_t start_us, bool strings) {
    uint32_t selected[SELECTED_ROOM];
    for (int64_t first = 0; first < in->rows; first += BLOCK) {
        int64_t block = block_at(in, first);
        int64_t count = select_views(in, first, block, selected, strings, HAS_AVX512);
        const int64_t *keys = in->keys + first, *values = in->values + first;
        const int64_t *time_us = in->time_us + first;
        if (LIKELY(all_within(start_us, SLICE_US, time_us, block))) {
            add_rows(&worker->table, selected, count, keys, values);
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            uint32_t row = selected[i];
            if (!within(start_us, SLICE_US, time_us[row])) {
                slice_end(worker, start_us);
                start_us = window_start(time_us[row], SLICE_US);
            }
            state_add(find(&worker->table, keys[row]), values[row]);
        }
    }
    return start_us;
}

INLINE void *consume(Worker *worker, bool strings) {
    int64_t chunk, start_us = 0;
    bool any = false;
    while ((chunk = next_piece(worker->pieces)) >= 0) {
        const Columns *in = &worker->chunks[chunk];
        if (!in->rows) continue;
        if (!any) start_us = window_start(in->time_us[0], SLICE_US);
        any = true;
        start_us = add_chunk(worker, in, start_us, strings);
    }
    if (any) slice_end(worker, start_us);
    return NULL;
}

static void *consume_codes(void *worker) { return consume(worker, false); }
static void *consume_strings(void *worker) { return consume(worker, true); }

/* ---- phase 2: one numbering of keys -------------------------------------------------------- */

static void number_as_first(Worker *first, Worker *worker) {
    worker->as_first = allocate((size_t)(worker->key_count + 1) * sizeof(int64_t));
    for (int64_t i = 1; i <= worker->key_count; i++) {
        if (worker != first) {
            State *state = find(&first->table, worker->keys[i]);
            if (!state->number) state->number = new_number(first, worker->keys[i]);
            worker->as_first[i] = state->number;
        } else {
            worker->as_first[i] = i;
        }
    }
}

/* ---- phase 3: windows from slices, each thread for a range of keys ------------------------- */

/* Add or subtract, for the keys in [low, high), a slice of every thread. */
INLINE void apply_slice(const Worker *all, int threads, int64_t start_us, Partial *running,
                        int64_t low, int64_t high, int64_t sign) {
    for (int t = 0; t < threads; t++) {
        const Slice *slice = slice_find(&all[t], start_us);
        for (int64_t i = 1; slice && i < slice->count; i++) {
            int64_t number = t ? all[t].as_first[i] : i;
            if (number < low || number >= high) continue;
            running[number - low].sum += sign * slice->partials[i].sum;
            running[number - low].count += sign * slice->partials[i].count;
        }
    }
}

static void emit_window(Groups *out, int64_t start_us, const int64_t *keys, const Partial *running,
                        int64_t count) {
    groups_reserve(out, count);
    int64_t at = out->count;
    for (int64_t i = 0; i < count; i++) {
        out->window[at] = start_us;
        out->keys[at] = keys[i];
        out->results[at] = running[i].sum;
        at += running[i].count > 0;
    }
    out->count = at;
}

static void slice_range(const Worker *all, int threads, int64_t *first_us, int64_t *last_us) {
    *first_us = INT64_MAX;
    *last_us = INT64_MIN;
    for (int t = 0; t < threads; t++)
        for (int64_t i = 0; i < all[t].slice_count; i++) {
            int64_t start_us = all[t].slices[i].start_us;
            *first_us = start_us < *first_us ? start_us : *first_us;
            *last_us = start_us > *last_us ? start_us : *last_us;
        }
}

static void *slide_windows(void *argument) {
    Worker *worker = argument;
    const Worker *all = worker->others;
    int64_t me = worker - all, keys = all->key_count;
    int64_t low = 1 + keys * me / worker->threads, high = 1 + keys * (me + 1) / worker->threads;
    int64_t first_us, last_us, size_us = worker->size_us;
    slice_range(all, worker->threads, &first_us, &last_us);
    if (low == high) return NULL;
    Partial *running = allocate((size_t)(high - low) * sizeof(Partial));
    memset(running, 0, (size_t)(high - low) * sizeof(Partial));
    for (int64_t at_us = first_us; at_us < last_us + size_us; at_us += SLICE_US) {
        if (at_us + SLICE_US > worker->last_end_us) break;
        apply_slice(all, worker->threads, at_us, running, low, high, 1);
        apply_slice(all, worker->threads, at_us - size_us, running, low, high, -1);
        emit_window(worker->out, at_us + SLICE_US - size_us, all->keys + low, running, high - low);
    }
    free(running);
    return NULL;
}

static void worker_free(Worker *worker) {
    for (int64_t i = 0; i < worker->slice_count; i++) free(worker->slices[i].partials);
    free(worker->slices);
    free(worker->table.slots);
    free(worker->keys);
    free(worker->as_first);
}

static void slide(const Columns *chunks, int64_t count, int threads, int64_t size_us,
                  int64_t last_end_us, Groups *out, void *(*consume)(void *)) {
    Worker workers[MAX_THREADS];
    Pieces pieces = {count, 0};
    for (int t = 0; t < threads; t++) {
        workers[t] = (Worker){.chunks = chunks, .pieces = &pieces, .others = workers,
                              .threads = threads, .size_us = size_us,
                              .last_end_us = last_end_us, .out = &out[t]};
        table_init(&workers[t].table, 1024);
    }
    run_on_threads(consume, workers, sizeof(Worker), threads);
    for (int t = 0; t < threads; t++) number_as_first(workers, &workers[t]);
    run_on_threads(slide_windows, workers, sizeof(Worker), threads);
    for (int t = 0; t < threads; t++) worker_free(&workers[t]);
}

/* Windows of size_us that end by last_end_us; `out` has an entry for each thread. */
void sliding_sum_codes(const Columns *chunks, int64_t count, int threads, int64_t size_us,
                       int64_t last_end_us, Groups *out) {
    slide(chunks, count, threads, size_us, last_end_us, out, consume_codes);
}

void sliding_sum_strings(const Columns *chunks, int64_t count, int threads, int64_t size_us,
                         int64_t last_end_us, Groups *out) {
    slide(chunks, count, threads, size_us, last_end_us, out, consume_strings);
}

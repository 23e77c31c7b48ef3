/* A tumbling window of 10 s: a hash table per window and thread, merged at the end.
 *
 * The including file defines State with state_new, state_add, state_merge and state_result, then
 * names the two functions that Python calls with TUMBLING(name).
 */
#include "keyed_table.h"
#include "threads.h"

typedef struct {
    int64_t start_us;
    Table table;
} Window;

typedef struct {
    Window *all;
    int64_t count;
    int64_t room;
} Windows;

typedef struct Worker {
    const Columns *chunks;
    Pieces *pieces;
    struct Worker *others;
    int threads;
    Windows windows;
    Groups *out;
} Worker;

/* The window that starts at start_us, if there is one: the latest ones are tried first. */
static Window *window_find(const Windows *windows, int64_t start_us) {
    for (int64_t i = windows->count - 1; i >= 0; i--)
        if (windows->all[i].start_us == start_us) return &windows->all[i];
    return NULL;
}

/* A new window's table starts as large as the latest one grew, so only the first one grows. */
static Window *window_make(Windows *windows, int64_t start_us) {
    if (windows->count == windows->room) {
        windows->room = windows->room ? windows->room * 2 : 16;
        windows->all = reallocate(windows->all, (size_t)windows->room * sizeof(Window));
    }
    Window *window = &windows->all[windows->count];
    window->start_us = start_us;
    table_init(&window->table, windows->count++ ? window[-1].table.capacity : 1024);
    return window;
}

OUT_OF_LINE Window *window_at(Windows *windows, int64_t time_us) {
    int64_t start_us = window_start(time_us, WINDOW_US);
    Window *found = window_find(windows, start_us);
    return found ? found : window_make(windows, start_us);
}

/* ---- phase 1: each thread adds chunks of rows to its own tables ---------------------------- */

/* The selected rows, all of one window. Shift and slots are kept in registers. */
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

INLINE void add_rows_ahead(Table *table, const uint32_t *selected, int64_t count,
                           const int64_t *keys, const int64_t *values) {
    for (int64_t i = 0; i < count; i++) {
        if (i + PREFETCH_AHEAD < count) prefetch(table, keys[selected[i + PREFETCH_AHEAD]]);
        state_add(find(table, keys[selected[i]]), values[selected[i]]);
    }
}

INLINE void add_chunk(Windows *windows, const Columns *in, bool strings) {
    uint32_t selected[SELECTED_ROOM];
    Window *at = window_at(windows, in->time_us[0]);
    for (int64_t first = 0; first < in->rows; first += BLOCK) {
        int64_t block = block_at(in, first);
        int64_t count = select_views(in, first, block, selected, strings, HAS_AVX512);
        const int64_t *keys = in->keys + first, *values = in->values + first;
        const int64_t *time_us = in->time_us + first;
        if (UNLIKELY(!all_within(at->start_us, WINDOW_US, time_us, block))) {
            for (int64_t i = 0; i < count; i++) {
                uint32_t row = selected[i];
                if (!within(at->start_us, WINDOW_US, time_us[row]))
                    at = window_at(windows, time_us[row]);
                state_add(find(&at->table, keys[row]), values[row]);
            }
        } else if (outgrows_cache(&at->table)) {
            add_rows_ahead(&at->table, selected, count, keys, values);
        } else {
            add_rows(&at->table, selected, count, keys, values);
        }
    }
}

INLINE void *consume(Worker *worker, bool strings) {
    int64_t chunk;
    while ((chunk = next_piece(worker->pieces)) >= 0)
        if (worker->chunks[chunk].rows)
            add_chunk(&worker->windows, &worker->chunks[chunk], strings);
    return NULL;
}

static void *consume_codes(void *worker) { return consume(worker, false); }
static void *consume_strings(void *worker) { return consume(worker, true); }

/* ---- phase 2: the tables of one window become that of the first thread --------------------- */

static void table_merge(Table *into, Table *from) {
    bool far = outgrows_cache(into);
    for (int64_t i = 0; i < from->capacity; i++) {
        if (far && i + PREFETCH_AHEAD < from->capacity)
            prefetch(into, from->slots[i + PREFETCH_AHEAD].key);
        if (!is_odd(from->slots[i].key))
            state_merge(find(into, from->slots[i].key), &from->slots[i].state);
    }
    for (int i = 0; i < 2; i++)
        if (from->odd_seen[i]) state_merge(find(into, i ? EMPTY : EMPTY_AT_HOME), &from->odd[i]);
    free(from->slots);
}

/* Make every window known to the first thread, before threads merge one window each. */
static void unite_windows(Worker *workers, int threads) {
    for (int t = 1; t < threads; t++)
        for (int64_t i = 0; i < workers[t].windows.count; i++)
            if (!window_find(&workers->windows, workers[t].windows.all[i].start_us))
                window_make(&workers->windows, workers[t].windows.all[i].start_us);
}

static void *merge_windows(void *argument) {
    Worker *worker = argument;
    int64_t at;
    while ((at = next_piece(worker->pieces)) >= 0) {
        Window *into = &worker->others->windows.all[at];
        for (int t = 1; t < worker->threads; t++) {
            Window *from = window_find(&worker->others[t].windows, into->start_us);
            if (from) table_merge(&into->table, &from->table);
        }
    }
    return NULL;
}

/* ---- phase 3: results ---------------------------------------------------------------------- */

/* Parts of a table that threads emit apart, so that three windows keep two threads busy. */
#define PARTS 16

static void *emit_parts(void *argument) {
    Worker *worker = argument;
    int64_t piece;
    while ((piece = next_piece(worker->pieces)) >= 0) {
        Window *window = &worker->others->windows.all[piece / PARTS];
        Table *table = &window->table;
        int64_t part = piece % PARTS, rows = table->capacity / PARTS;
        groups_reserve(worker->out, table->used / PARTS);
        for (int64_t i = part * rows; i < (part + 1) * rows; i++)
            if (!is_odd(table->slots[i].key))
                emit(worker->out, window->start_us, table->slots[i].key,
                     state_result(&table->slots[i].state));
        for (int i = 0; i < 2; i++)
            if (part == 0 && table->odd_seen[i])
                emit(worker->out, window->start_us, i ? EMPTY : EMPTY_AT_HOME,
                     state_result(&table->odd[i]));
    }
    return NULL;
}

static void on_pieces(Worker *workers, int threads, int64_t count, void *(*function)(void *)) {
    Pieces pieces = {count, 0};
    for (int t = 0; t < threads; t++) workers[t].pieces = &pieces;
    run_on_threads(function, workers, sizeof(Worker), threads);
}

/* `out` has an entry for each thread. */
static void tumble(const Columns *chunks, int64_t count, int threads, Groups *out,
                   void *(*consume)(void *)) {
    Worker workers[MAX_THREADS];
    for (int t = 0; t < threads; t++)
        workers[t] = (Worker){.chunks = chunks, .others = workers, .threads = threads,
                              .out = &out[t]};
    on_pieces(workers, threads, count, consume);
    if (threads > 1) {
        unite_windows(workers, threads);
        on_pieces(workers, threads, workers->windows.count, merge_windows);
    }
    on_pieces(workers, threads, workers->windows.count * PARTS, emit_parts);
    for (int64_t i = 0; i < workers->windows.count; i++) free(workers->windows.all[i].table.slots);
    for (int t = 0; t < threads; t++) free(workers[t].windows.all);
}

#define TUMBLING(name)                                                                           \
    void name##_codes(const Columns *chunks, int64_t count, int threads, Groups *out) {          \
        tumble(chunks, count, threads, out, consume_codes);                                      \
    }                                                                                            \
    void name##_strings(const Columns *chunks, int64_t count, int threads, Groups *out) {        \
        tumble(chunks, count, threads, out, consume_strings);                                    \
    }

/* Hand-written C for the Yahoo Streaming Benchmark query: the yardstick for generated code.
 *
 *   SELECT window(event_time, '10 seconds'), campaign_id, SUM(value)
 *   WHERE event_type = 'view' GROUP BY 1, 2
 *
 * Each program exists for event_type as dictionary codes and as a plain Arrow string column.
 * All are correct for any int64 key and any order of event time; sums wrap (-fwrapv).
 */
#include "columns.h"
#include "groups.h"

enum { OK = 0, KEYS_TOO_WIDE = 1 };

INLINE int64_t window_of(int64_t time_us) { return window_start(time_us, WINDOW_US); }

/* ---- hash table from key to sum --------------------------------------------------------- */

typedef struct {
    int64_t key;
    int64_t sum;
} Slot;

typedef struct {
    Slot *slots;
    int32_t shift; /* 64 - log2(capacity) */
    int64_t capacity;
    int64_t used;
    int64_t odd_sum[2];
    bool odd_seen[2];
} Table;

/* An empty slot holds a key that belongs in another slot, so the first probe of a look-up needs
 * no test for emptiness. Two such keys are enough: their hashes differ in the top bit, so they
 * never share a home slot. Rows with exactly these keys take the slow path to odd_sum. */
#define EMPTY (INT64_MIN + 1)   /* hash 0x1E37... */
#define EMPTY_AT_HOME INT64_MIN /* hash 0x8000... */
#define MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

INLINE bool is_odd(int64_t key) { return key <= EMPTY; }

/* Multiply-shift by the golden ratio spreads consecutive keys almost evenly, so campaign ids
 * 0..9,999 hardly collide at any load. Keys drawn from all of int64 do: a table that may be half
 * full ran at 386 M rows/s on 10,000 of those, one that may be three quarters full at 247. */
INLINE uint64_t home_of(int64_t key, int32_t shift) {
    return ((uint64_t)key * MULTIPLIER) >> shift;
}

static void table_init(Table *table, int64_t capacity) {
    *table = (Table){.capacity = capacity, .shift = 64 - __builtin_ctzll((uint64_t)capacity)};
    table->slots = allocate((size_t)capacity * sizeof(Slot));
    for (int64_t i = 0; i < capacity; i++) table->slots[i] = (Slot){EMPTY, 0};
    table->slots[home_of(EMPTY, table->shift)].key = EMPTY_AT_HOME;
}

static Slot *probe(Table *table, int64_t key) {
    uint64_t at = home_of(key, table->shift);
    while (table->slots[at].key != key && !is_odd(table->slots[at].key))
        at = (at + 1) & (uint64_t)(table->capacity - 1);
    return &table->slots[at];
}

OUT_OF_LINE void table_grow(Table *table) {
    Table larger;
    table_init(&larger, table->capacity * 2);
    for (int64_t i = 0; i < table->capacity; i++)
        if (!is_odd(table->slots[i].key))
            *probe(&larger, table->slots[i].key) = table->slots[i];
    free(table->slots);
    table->slots = larger.slots;
    table->capacity = larger.capacity;
    table->shift = larger.shift;
}

/* Every look-up that is not answered by its home slot: collisions, new keys, the odd keys. */
static __attribute__((noinline)) int64_t *find_elsewhere(Table *table, int64_t key) {
    if (UNLIKELY(is_odd(key))) {
        table->odd_seen[key == EMPTY] = true;
        return &table->odd_sum[key == EMPTY];
    }
    Slot *slot = probe(table, key);
    if (LIKELY(slot->key == key)) return &slot->sum;
    if (table->used >= table->capacity / 2) {
        table_grow(table);
        slot = probe(table, key);
    }
    table->used++;
    *slot = (Slot){key, 0};
    return &slot->sum;
}

/* ---- dense array from key to sum --------------------------------------------------------- */

/* A sum of 0 is an answer too, so presence has its own word, beside the sum: a byte array of its
 * own was slower (640 against 710 M rows/s), although smaller. */
typedef struct {
    int64_t sum;
    int64_t seen;
} Cell;

typedef struct {
    Cell *cells;
    int64_t low;
    uint64_t span;
} Dense;

/* 64 M cells are 1 GiB; keys wider than that are not a case for a dense array. */
#define MAX_SPAN (UINT64_C(1) << 26)

static Dense dense_empty(int64_t low, uint64_t span) {
    size_t bytes = span * sizeof(Cell);
    return (Dense){memset(allocate(bytes), 0, bytes), low, span};
}

/* Where a wider array should start: spare room is shared between both ends, so keys that arrive
 * in any order cause few copies, and the array stays inside int64. */
static int64_t dense_start(int64_t low, uint64_t needed, uint64_t span) {
    uint64_t room_below = (uint64_t)low - (uint64_t)INT64_MIN;
    uint64_t spare = (span - needed) / 2;
    int64_t start = (int64_t)((uint64_t)low - (spare < room_below ? spare : room_below));
    int64_t last_start = (int64_t)((uint64_t)INT64_MAX - (span - 1));
    return start < last_start ? start : last_start;
}

/* Widen the array so that it holds key; false when it would become too wide. */
OUT_OF_LINE bool dense_grow(Dense *dense, int64_t key) {
    int64_t low = dense->span ? dense->low : key;
    int64_t high = dense->span ? (int64_t)((uint64_t)low + dense->span - 1) : key;
    int64_t new_low = key < low ? key : low;
    uint64_t needed = (uint64_t)(key > high ? key : high) - (uint64_t)new_low + 1;
    if (needed == 0 || needed > MAX_SPAN) return false;
    uint64_t span = 1024;
    while (span < needed) span *= 2;
    Dense wider = dense_empty(dense_start(new_low, needed, span), span);
    if (dense->span)
        memcpy(wider.cells + ((uint64_t)low - (uint64_t)wider.low), dense->cells,
               dense->span * sizeof(Cell));
    free(dense->cells);
    *dense = wider;
    return true;
}

/* ---- windows ------------------------------------------------------------------------------ */

typedef struct {
    int64_t start_us;
    Table table;
    Dense dense;
} Window;

typedef struct {
    Window *all;
    int64_t count;
    int64_t room;
    Table by_start; /* start_us -> index in all, plus one */
} Windows;

static Windows windows_empty(void) {
    Windows windows = {0};
    table_init(&windows.by_start, 64);
    return windows;
}

/* A new window starts as large as the latest one grew, so only a stream's first window grows. */
static void window_init(Window *window, const Window *latest, bool dense) {
    if (!dense)
        table_init(&window->table, latest ? latest->table.capacity : 1024);
    else if (latest && latest->dense.span)
        window->dense = dense_empty(latest->dense.low, latest->dense.span);
}

/* The window that holds time_us, made on first sight. */
OUT_OF_LINE Window *window_at(Windows *windows, int64_t time_us, bool dense) {
    int64_t start_us = window_of(time_us);
    int64_t *place = find_elsewhere(&windows->by_start, start_us);
    if (*place) return &windows->all[*place - 1];
    if (windows->count == windows->room) {
        windows->room = windows->room ? windows->room * 2 : 16;
        windows->all = reallocate(windows->all, (size_t)windows->room * sizeof(Window));
    }
    Window *window = &windows->all[windows->count];
    *window = (Window){.start_us = start_us};
    window_init(window, windows->count ? window - 1 : NULL, dense);
    *place = ++windows->count;
    return window;
}

/* What the loops keep in registers of the current window; loaded again after any slow path. */
typedef struct {
    Window *window;
    int64_t start_us;
    Slot *slots;
    int32_t shift;
    Cell *cells;
    int64_t low;
    uint64_t span;
} Cursor;

INLINE Cursor cursor_on(Window *window) {
    return (Cursor){window, window->start_us, window->table.slots, window->table.shift,
                    window->dense.cells, window->dense.low, window->dense.span};
}

INLINE bool inside(const Cursor *at, int64_t time_us) {
    return within(at->start_us, WINDOW_US, time_us);
}

INLINE void hash_add(Cursor *at, int64_t key, int64_t value) {
    Slot *slot = &at->slots[home_of(key, at->shift)];
    if (LIKELY(slot->key == key)) {
        slot->sum += value;
    } else {
        *find_elsewhere(&at->window->table, key) += value;
        *at = cursor_on(at->window);
    }
}

INLINE void dense_add(Cursor *at, int64_t key, int64_t value, Groups *out) {
    uint64_t offset = (uint64_t)key - (uint64_t)at->low;
    if (UNLIKELY(offset >= at->span)) {
        if (!dense_grow(&at->window->dense, key)) {
            out->status = KEYS_TOO_WIDE;
            return;
        }
        *at = cursor_on(at->window);
        offset = (uint64_t)key - (uint64_t)at->low;
    }
    at->cells[offset].sum += value;
    at->cells[offset].seen = 1;
}

INLINE void add(Cursor *at, int64_t key, int64_t value, Groups *out, bool dense) {
    if (dense)
        dense_add(at, key, value, out);
    else
        hash_add(at, key, value);
}

/* ---- results ------------------------------------------------------------------------------ */

static void emit_table(Groups *out, int64_t window_us, Table *table) {
    for (int64_t i = 0; i < table->capacity; i++)
        if (!is_odd(table->slots[i].key))
            emit(out, window_us, table->slots[i].key, table->slots[i].sum);
    if (table->odd_seen[0]) emit(out, window_us, EMPTY_AT_HOME, table->odd_sum[0]);
    if (table->odd_seen[1]) emit(out, window_us, EMPTY, table->odd_sum[1]);
    free(table->slots);
}

static void emit_dense(Groups *out, int64_t window_us, Dense *dense) {
    for (uint64_t i = 0; i < dense->span; i++)
        if (dense->cells[i].seen)
            emit(out, window_us, (int64_t)((uint64_t)dense->low + i), dense->cells[i].sum);
    free(dense->cells);
}

static void windows_finish(Windows *windows, Groups *out, bool dense) {
    for (int64_t i = 0; i < windows->count; i++) {
        Window *window = &windows->all[i];
        if (dense)
            emit_dense(out, window->start_us, &window->dense);
        else
            emit_table(out, window->start_us, &window->table);
    }
    free(windows->by_start.slots);
    free(windows->all);
}

/* ---- (a) one hash table keyed by (window, key), branch per row ---------------------------- */

/* INT64_MIN is not a multiple of 10 s, so it can mark an empty slot. */
#define NO_WINDOW INT64_MIN

typedef struct {
    int64_t window_us;
    int64_t key;
    int64_t sum;
} PairSlot;

typedef struct {
    PairSlot *slots;
    int32_t shift;
    int64_t capacity;
    int64_t used;
} PairTable;

static PairTable pairs_empty(int64_t capacity) {
    PairTable pairs = {allocate((size_t)capacity * sizeof(PairSlot)),
                       64 - __builtin_ctzll((uint64_t)capacity), capacity, 0};
    for (int64_t i = 0; i < capacity; i++) pairs.slots[i] = (PairSlot){NO_WINDOW, 0, 0};
    return pairs;
}

INLINE PairSlot *pairs_probe(const PairTable *pairs, int64_t window_us, int64_t key) {
    uint64_t mixed = (uint64_t)key + (uint64_t)window_us * UINT64_C(0xD6E8FEB86659FD93);
    uint64_t at = (mixed * MULTIPLIER) >> pairs->shift;
    for (;; at = (at + 1) & (uint64_t)(pairs->capacity - 1)) {
        PairSlot *slot = &pairs->slots[at];
        if (LIKELY(slot->key == key && slot->window_us == window_us)) return slot;
        if (slot->window_us == NO_WINDOW) return slot;
    }
}

OUT_OF_LINE void pairs_grow(PairTable *pairs) {
    PairTable larger = pairs_empty(pairs->capacity * 2);
    for (int64_t i = 0; i < pairs->capacity; i++) {
        const PairSlot *old = &pairs->slots[i];
        if (old->window_us != NO_WINDOW) *pairs_probe(&larger, old->window_us, old->key) = *old;
    }
    free(pairs->slots);
    larger.used = pairs->used;
    *pairs = larger;
}

OUT_OF_LINE PairSlot *pairs_insert(PairTable *pairs, int64_t window_us, int64_t key) {
    if (pairs->used >= pairs->capacity / 2) pairs_grow(pairs);
    pairs->used++;
    PairSlot *slot = pairs_probe(pairs, window_us, key);
    *slot = (PairSlot){window_us, key, 0};
    return slot;
}

INLINE void hash_row(const Columns *columns, Groups *out, bool strings) {
    const Columns in = *columns;
    PairTable pairs = pairs_empty(1024);
    for (int64_t row = 0; row < in.rows; row++) {
        if (!is_view(&in, row, strings)) continue;
        int64_t window_us = window_of(in.time_us[row]);
        PairSlot *slot = pairs_probe(&pairs, window_us, in.keys[row]);
        if (UNLIKELY(slot->window_us == NO_WINDOW))
            slot = pairs_insert(&pairs, window_us, in.keys[row]);
        slot->sum += in.values[row];
    }
    for (int64_t i = 0; i < pairs.capacity; i++)
        if (pairs.slots[i].window_us != NO_WINDOW)
            emit(out, pairs.slots[i].window_us, pairs.slots[i].key, pairs.slots[i].sum);
    free(pairs.slots);
}

/* ---- (b), (d) a table per window, bounds in registers, branch per row ---------------------- */

INLINE void window_row(const Columns *columns, Groups *out, bool strings, bool dense) {
    const Columns in = *columns;
    if (!in.rows) return;
    Windows windows = windows_empty();
    Cursor at = cursor_on(window_at(&windows, in.time_us[0], dense));
    for (int64_t row = 0; row < in.rows; row++) {
        if (!is_view(&in, row, strings)) continue;
        if (UNLIKELY(!inside(&at, in.time_us[row])))
            at = cursor_on(window_at(&windows, in.time_us[row], dense));
        add(&at, in.keys[row], in.values[row], out, dense);
    }
    windows_finish(&windows, out, dense);
}

/* ---- (c), (e) the same with a selection vector --------------------------------------------- */

INLINE void window_select(const Columns *columns, Groups *out, bool strings, bool dense,
                          bool simd) {
    const Columns in = *columns;
    if (!in.rows) return;
    Windows windows = windows_empty();
    Cursor at = cursor_on(window_at(&windows, in.time_us[0], dense));
    uint32_t selected[SELECTED_ROOM];
    for (int64_t first = 0; first < in.rows; first += BLOCK) {
        int64_t block = block_at(&in, first);
        int64_t count = select_views(&in, first, block, selected, strings, simd);
        const int64_t *keys = in.keys + first, *values = in.values + first;
        const int64_t *time_us = in.time_us + first;
        if (LIKELY(all_within(at.start_us, WINDOW_US, time_us, block))) {
            for (int64_t i = 0; i < count; i++)
                add(&at, keys[selected[i]], values[selected[i]], out, dense);
            continue;
        }
        for (int64_t i = 0; i < count; i++) {
            uint32_t row = selected[i];
            if (UNLIKELY(!inside(&at, time_us[row])))
                at = cursor_on(window_at(&windows, time_us[row], dense));
            add(&at, keys[row], values[row], out, dense);
        }
    }
    windows_finish(&windows, out, dense);
}

/* ---- the programs --------------------------------------------------------------------------- */

#define PROGRAM(name, run, ...)                                                                  \
    void name##_codes(const Columns *in, Groups *out) { run(in, out, false, ##__VA_ARGS__); }    \
    void name##_strings(const Columns *in, Groups *out) { run(in, out, true, ##__VA_ARGS__); }

PROGRAM(hash_row, hash_row)
PROGRAM(window_hash_row, window_row, false)
PROGRAM(window_hash_select, window_select, false, false)
PROGRAM(dense_row, window_row, true)
PROGRAM(dense_select, window_select, true, false)
#ifdef __AVX512F__
PROGRAM(window_hash_simd, window_select, false, true)
PROGRAM(dense_simd, window_select, true, true)
#endif

/* A hash table from int64 keys to State, which the including file has defined with state_new. */
#include "columns.h"
#include "groups.h"

typedef struct {
    int64_t key;
    State state;
} Slot;

typedef struct {
    Slot *slots;
    int32_t shift; /* 64 - log2(capacity) */
    int64_t capacity;
    int64_t used;
    State odd[2];
    bool odd_seen[2];
} Table;

/* Empty slots hold a key that belongs elsewhere, as in ysb.c: the first probe needs no test for
 * emptiness, and rows with exactly these two keys take the slow path. */
#define EMPTY (INT64_MIN + 1)
#define EMPTY_AT_HOME INT64_MIN
#define MULTIPLIER UINT64_C(0x9E3779B97F4A7C15)

/* Of a table that does not fit 1 MB of L2, slots are fetched this many rows ahead. YSB with 1 M
 * keys on a busy machine, M rows/s, best of 8: none 55, 8 ahead 88, 16 94, 32 81. */
#define PREFETCH_AHEAD 16
#define L2_BYTES ((int64_t)1 << 20)

INLINE bool is_odd(int64_t key) { return key <= EMPTY; }

INLINE uint64_t home_of(int64_t key, int32_t shift) {
    return ((uint64_t)key * MULTIPLIER) >> shift;
}

static void table_init(Table *table, int64_t capacity) {
    *table = (Table){.capacity = capacity, .shift = 64 - __builtin_ctzll((uint64_t)capacity)};
    table->odd[0] = table->odd[1] = state_new();
    table->slots = allocate((size_t)capacity * sizeof(Slot));
    for (int64_t i = 0; i < capacity; i++) table->slots[i] = (Slot){EMPTY, state_new()};
    table->slots[home_of(EMPTY, table->shift)].key = EMPTY_AT_HOME;
}

static Slot *probe(const Table *table, int64_t key) {
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
static __attribute__((noinline)) State *find_elsewhere(Table *table, int64_t key) {
    if (UNLIKELY(is_odd(key))) {
        table->odd_seen[key == EMPTY] = true;
        return &table->odd[key == EMPTY];
    }
    Slot *slot = probe(table, key);
    if (LIKELY(slot->key == key)) return &slot->state;
    if (table->used >= table->capacity / 2) {
        table_grow(table);
        slot = probe(table, key);
    }
    table->used++;
    *slot = (Slot){key, state_new()};
    return &slot->state;
}

INLINE State *find(Table *table, int64_t key) {
    Slot *slot = &table->slots[home_of(key, table->shift)];
    return LIKELY(slot->key == key) ? &slot->state : find_elsewhere(table, key);
}

INLINE bool outgrows_cache(const Table *table) {
    return table->capacity * (int64_t)sizeof(Slot) > L2_BYTES;
}

INLINE void prefetch(const Table *table, int64_t key) {
    __builtin_prefetch(&table->slots[home_of(key, table->shift)], 1);
}

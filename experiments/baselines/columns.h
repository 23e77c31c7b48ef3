/* What every C program reads (Arrow's own buffers), and how it finds the views among the rows. */
#ifndef COLUMNS_H
#define COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#define HAS_AVX512 true
#else
#define HAS_AVX512 false
#endif

#define INLINE static inline __attribute__((always_inline))
/* Not `cold`: gcc takes every block that always calls a cold function for cold itself and optimises
 * the loops behind the call for size (YSB on strings, M rows/s: 229 with `cold`, 291 without). */
#define OUT_OF_LINE static __attribute__((noinline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* Rows per selection vector. M rows/s of the AVX-512 hash program on codes, best of 20: 1,024 rows
 * 506, 2,048 633, 4,096 723, 8,192 757, 16,384 797, 32,768 808. Presumably each end of a block
 * costs a mispredicted loop exit (no counters here to prove it). At 16,384 the block's columns
 * (28 bytes a row), the vector and the used lines of the table still fit 1 MB of L2. */
#define BLOCK 16384

/* A vector store may run 15 entries past the last selected row. */
#define SELECTED_ROOM (BLOCK + 16)

/* The columns of one batch; either codes or offsets and bytes are set. */
typedef struct {
    const int32_t *codes;
    const int32_t *offsets;
    const uint8_t *bytes;
    const int64_t *time_us;
    const int64_t *keys;
    const int64_t *values;
    int64_t rows;
    int32_t view_code;
} Columns;

/* ---- the filter, row by row ------------------------------------------------------------ */

INLINE bool is_view_word(const Columns *in, int64_t row) {
    return memcmp(in->bytes + in->offsets[row], "view", 4) == 0;
}

INLINE bool is_candidate(const Columns *in, int64_t row, bool strings) {
    return strings ? in->offsets[row + 1] - in->offsets[row] == 4 : in->codes[row] == in->view_code;
}

INLINE bool is_view(const Columns *in, int64_t row, bool strings) {
    return is_candidate(in, row, strings) && (!strings || is_view_word(in, row));
}

/* ---- the filter, a block at a time ------------------------------------------------------ */

/* Row numbers of the block's candidates: an equal code, or a string of the right length. */
INLINE int64_t select_candidates(const Columns *in, int64_t first, int64_t rows, uint32_t *selected,
                                 bool strings, bool simd) {
    int64_t count = 0, i = 0;
#ifdef __AVX512F__
    if (simd) {
        const int32_t *column = (strings ? in->offsets : in->codes) + first;
        __m512i wanted = _mm512_set1_epi32(strings ? 4 : in->view_code);
        __m512i row = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        for (; i + 16 <= rows; i += 16) {
            __m512i found = _mm512_loadu_si512(column + i);
            if (strings) found = _mm512_sub_epi32(_mm512_loadu_si512(column + i + 1), found);
            __mmask16 hit = _mm512_cmpeq_epi32_mask(found, wanted);
            /* Compress in a register: the form that writes to memory is microcoded on Zen 4. */
            _mm512_storeu_si512(selected + count, _mm512_maskz_compress_epi32(hit, row));
            count += __builtin_popcount(hit);
            row = _mm512_add_epi32(row, _mm512_set1_epi32(16));
        }
    }
#else
    (void)simd;
#endif
    for (; i < rows; i++) {
        selected[count] = (uint32_t)i;
        count += is_candidate(in, first + i, strings);
    }
    return count;
}

/* Keep the candidates that spell 'view': the bytes of strings of other lengths are never read. */
INLINE int64_t select_words(const Columns *in, int64_t first, uint32_t *selected, int64_t count) {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        uint32_t row = selected[i];
        selected[kept] = row;
        kept += is_view_word(in, first + row);
    }
    return kept;
}

/* Row numbers, relative to `first`, of the block's views. */
INLINE int64_t select_views(const Columns *in, int64_t first, int64_t rows, uint32_t *selected,
                            bool strings, bool simd) {
    int64_t count = select_candidates(in, first, rows, selected, strings, simd);
    return strings ? select_words(in, first, selected, count) : count;
}

INLINE int64_t block_at(const Columns *in, int64_t first) {
    return in->rows - first < BLOCK ? in->rows - first : BLOCK;
}

/* ---- windows of time --------------------------------------------------------------------- */

/* The tumbling window of the query. */
#define WINDOW_US INT64_C(10000000)

INLINE int64_t window_start(int64_t time_us, int64_t size_us) {
    int64_t offset = time_us % size_us;
    return time_us - offset - (offset < 0 ? size_us : 0);
}

/* Does every row of the block fall into the window? One pass of vector compares, against a load,
 * a compare and a branch for each selected row. */
INLINE bool all_within(int64_t start_us, int64_t size_us, const int64_t *time_us, int64_t rows) {
    uint64_t greatest = 0;
    for (int64_t i = 0; i < rows; i++) {
        uint64_t offset = (uint64_t)time_us[i] - (uint64_t)start_us;
        greatest = offset > greatest ? offset : greatest;
    }
    return greatest < (uint64_t)size_us;
}

INLINE bool within(int64_t start_us, int64_t size_us, int64_t time_us) {
    return (uint64_t)time_us - (uint64_t)start_us < (uint64_t)size_us;
}

#endif

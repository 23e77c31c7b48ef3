/* The memory-bandwidth limit of the YSB query: every column is read once and added up. */
#include "columns.h"

/* Four sums, so that no column is left out by the compiler; all wrap (-fwrapv). */
void plain_sum_codes(const Columns *in, int64_t sums[4]) {
    int64_t codes = 0, times = 0, keys = 0, values = 0;
    for (int64_t row = 0; row < in->rows; row++) {
        codes += in->codes[row];
        times += in->time_us[row];
        keys += in->keys[row];
        values += in->values[row];
    }
    sums[0] = codes;
    sums[1] = times;
    sums[2] = keys;
    sums[3] = values;
}

/* Work shared by threads: each takes the next piece until none is left. */
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define MAX_THREADS 64

typedef struct {
    int64_t count;
    _Atomic int64_t taken;
} Pieces;

/* The number of a piece that nobody has taken, or -1. */
static inline int64_t next_piece(Pieces *pieces) {
    int64_t piece = atomic_fetch_add_explicit(&pieces->taken, 1, memory_order_relaxed);
    return piece < pieces->count ? piece : -1;
}

/* Run the function once for each of the workers, an array of structures; the caller is the first
 * thread. */
static inline void run_on_threads(void *(*function)(void *), void *workers, size_t worker_bytes,
                                  int threads) {
    pthread_t started[MAX_THREADS];
    for (int t = 1; t < threads; t++)
        if (pthread_create(&started[t], NULL, function, (char *)workers + (size_t)t * worker_bytes))
            abort();
    function(workers);
    for (int t = 1; t < threads; t++) pthread_join(started[t], NULL);
}

#endif

/* The one function of groups.h that Python calls. */
#include "groups.h"

void groups_free(Groups *groups) {
    free(groups->window);
    free(groups->keys);
    free(groups->results);
    *groups = (Groups){0};
}

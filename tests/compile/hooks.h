/* An allocator of the user, for the check that the library calls no other. */
#include <stddef.h>
void *my_malloc(void *context, size_t bytes);
void  my_free(void *context, void *block);

/* What the runner was started with, and why the last step failed. */
#include "runner.h"

#include <stdarg.h>
#include <stdio.h>

struct options options = {.core = -1};
char failure[ERROR_SIZE];

bool fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(failure, sizeof failure, format, values);
    va_end(values);
    return false;
}

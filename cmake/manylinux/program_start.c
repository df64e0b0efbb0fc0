// Starts a program that was linked with a newer glibc and runs with an older one (see link_libraries).
//
// Since 2.34 glibc itself runs a program's constructors if the program's start-up code passes no init function.
// Start-up code of newer systems passes none. For an older glibc, this file passes one (-Wl,--wrap=__libc_start_main).
#include <stddef.h>

extern void (*__preinit_array_start[])(int, char**, char**) __attribute__((visibility("hidden"), weak));
extern void (*__preinit_array_end[])(int, char**, char**) __attribute__((visibility("hidden"), weak));
extern void (*__init_array_start[])(int, char**, char**) __attribute__((visibility("hidden"), weak));
extern void (*__init_array_end[])(int, char**, char**) __attribute__((visibility("hidden"), weak));

typedef int Main(int, char**, char**);
int __real___libc_start_main(Main* main, int argc, char** argv, Main* init, void (*fini)(void), void (*loader)(void),
                             void* stack);

static int run_constructors(int argc, char** argv, char** environment) {
  for (size_t i = 0; i < (size_t)(__preinit_array_end - __preinit_array_start); ++i)
    __preinit_array_start[i](argc, argv, environment);
  for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start); ++i)
    __init_array_start[i](argc, argv, environment);
  return 0;
}

int __wrap___libc_start_main(Main* main, int argc, char** argv, Main* init, void (*fini)(void), void (*loader)(void),
                             void* stack) {
  return __real___libc_start_main(main, argc, argv, init != NULL ? init : run_constructors, fini, loader, stack);
}

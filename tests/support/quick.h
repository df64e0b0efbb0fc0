// Whether this is one of make test's slow builds, with a sanitizer or an emulator. Such builds skip repetitions that
// the native build runs, and that make test-all runs everywhere.
#ifndef QFUSE_TESTS_SUPPORT_QUICK_H
#define QFUSE_TESTS_SUPPORT_QUICK_H

namespace qfuse::tests {

#if defined(QFUSE_QUICK)
inline constexpr bool kQuick = true;
#else
inline constexpr bool kQuick = false;
#endif

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_QUICK_H

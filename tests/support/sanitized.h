// Whether the build has sanitizers, with which everything takes many times as long: tests then leave out the repetitions
// that differ in values alone, which the native build runs.
#ifndef QFUSE_TESTS_SUPPORT_SANITIZED_H
#define QFUSE_TESTS_SUPPORT_SANITIZED_H

namespace qfuse::tests {

#if defined(QFUSE_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SANITIZED_H

#pragma once

/// Whether memory and time are what people have, or several times as much, under a sanitizer.
/// Compilers say so in two ways.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FLYBALL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FLYBALL_SANITIZED 1
#endif
#endif

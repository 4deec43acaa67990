// Calls of C functions with a variable number of arguments, which Swift cannot make.
#ifndef CVARIADIC_H
#define CVARIADIC_H

#include <stddef.h>

// CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...);
int variadic_setopt_long(void *function, void *handle, int option, long value);
int variadic_setopt_pointer(void *function, void *handle, int option, const void *value);
// CURLcode curl_easy_getinfo(CURL *curl, CURLINFO info, ...);
int variadic_getinfo_long(void *function, void *handle, int info, long *value);

// int prctl(int op, ...); with four more arguments of the type unsigned long.
int variadic_prctl(
  int operation, unsigned long second, unsigned long third, unsigned long fourth,
  unsigned long fifth);

// long syscall(long number, ...); for calls without a function of the C library.
long variadic_add_key(
  const char *type, const char *name, const void *payload, size_t size, int keyring);
long variadic_keyctl(int operation, long second, long third, long fourth, long fifth);

#endif

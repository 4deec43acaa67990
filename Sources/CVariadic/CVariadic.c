#define _GNU_SOURCE
#include "CVariadic.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int (*variadic)(void *, int, ...);

int variadic_setopt_long(void *function, void *handle, int option, long value) {
  return ((variadic)function)(handle, option, value);
}

int variadic_setopt_pointer(void *function, void *handle, int option, const void *value) {
  return ((variadic)function)(handle, option, value);
}

int variadic_getinfo_long(void *function, void *handle, int info, long *value) {
  return ((variadic)function)(handle, info, value);
}

int variadic_prctl(
  int operation, unsigned long second, unsigned long third, unsigned long fourth,
  unsigned long fifth) {
  return prctl(operation, second, third, fourth, fifth);
}

long variadic_add_key(
  const char *type, const char *name, const void *payload, size_t size, int keyring) {
  return syscall(SYS_add_key, type, name, payload, size, keyring);
}

long variadic_keyctl(int operation, long second, long third, long fourth, long fifth) {
  return syscall(SYS_keyctl, operation, second, third, fourth, fifth);
}

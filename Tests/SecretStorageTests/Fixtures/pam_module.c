/* A PAM module of the tests, which processes its arguments in order.

   hidden=…, visible=…, info=…, error=…, style=N: a message for the next call of the conversation
   function; null is information without a text, nothing a null pointer
   count=N: claims N messages in the next call; send: calls, and fails if the call does
   expect=…, bytes=HEX, length=N: fails with PAM_AUTH_ERR unless the last call's next answer is this
   text, these bytes, or N times x
   silent: fails unless there is no answer, as for a message
   mark=PATH: makes a file; wait=PATH: waits until the file exists
   tty=PATH: fails unless PAM_TTY is this
   flags=N: fails unless the library was called with these flags; return=N: returns a code */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct pam_message { int style; const char *text; };
struct pam_response { char *text; int unused; };
struct pam_conv {
  int (*conv)(int, const struct pam_message **, struct pam_response **, void *);
  void *context;
};
extern int pam_get_item(const void *, int, const void **);
static const char *after(const char *argument, const char *key) {
  size_t length = strlen(key);
  return strncmp(argument, key, length) == 0 ? argument + length : NULL;
}
static int run(void *handle, int flags, int argc, const char **argv) {
  struct pam_message messages[64];
  const struct pam_message *pointers[64];
  struct pam_response *answers = NULL;
  int count = 0, claimed = 0, next = 0;
  const char *v;
  for (int i = 0; i < argc; i++) {
    const char *a = argv[i];
    int style = 0;
    v = NULL;
    if ((v = after(a, "hidden="))) style = 1;
    else if ((v = after(a, "visible="))) style = 2;
    else if ((v = after(a, "error="))) style = 3;
    else if ((v = after(a, "info="))) style = 4;
    else if ((v = after(a, "style="))) style = atoi(v);
    else if (strcmp(a, "null") == 0) style = 4;
    if (style) {
      messages[count].style = style;
      messages[count].text = v;
      pointers[count] = &messages[count];
      count++;
    } else if (strcmp(a, "nothing") == 0) {
      pointers[count++] = NULL;
    } else if ((v = after(a, "count="))) {
      claimed = atoi(v);
      for (; count < claimed && count < 64; count++) {
        messages[count].style = 4;
        messages[count].text = "x";
        pointers[count] = &messages[count];
      }
    } else if (strcmp(a, "send") == 0) {
      const void *item = NULL;
      if (pam_get_item(handle, 5, &item) != 0 || item == NULL) return 4;
      const struct pam_conv *conversation = item;
      int result = conversation->conv(
        claimed ? claimed : count, pointers, &answers, conversation->context);
      count = 0, claimed = 0, next = 0;
      if (result != 0) return result;
    } else if (strcmp(a, "silent") == 0) {
      if (answers[next].text != NULL || answers[next++].unused != 0) return 7;
    } else if ((v = after(a, "expect="))) {
      char *answer = answers[next++].text;
      if (answer == NULL || strcmp(answer, v) != 0) return 7;
      free(answer);
    } else if ((v = after(a, "length="))) {
      char *answer = answers[next++].text;
      if (answer == NULL || strlen(answer) != (size_t)atoi(v)) return 7;
      if (strspn(answer, "x") != strlen(answer)) return 7;
      free(answer);
    } else if ((v = after(a, "bytes="))) {
      unsigned char *answer = (unsigned char *)answers[next++].text;
      size_t length = strlen(v) / 2;
      if (answer == NULL || strlen((char *)answer) != length) return 7;
      for (size_t n = 0; n < length; n++) {
        unsigned byte = 0;
        sscanf(v + 2 * n, "%2x", &byte);
        if (answer[n] != byte) return 7;
      }
    } else if ((v = after(a, "mark="))) {
      FILE *file = fopen(v, "w");
      if (file) fclose(file);
    } else if ((v = after(a, "wait="))) {
      while (access(v, F_OK) != 0) usleep(1000);
    } else if ((v = after(a, "tty="))) {
      const void *item = NULL;
      if (pam_get_item(handle, 3, &item) != 0 || item == NULL) return 7;
      if (strcmp(item, v) != 0) return 7;
    } else if ((v = after(a, "flags="))) {
      if (flags != atoi(v)) return 7;
    } else if ((v = after(a, "return="))) {
      return atoi(v);
    } else {
      return 3;
    }
  }
  return 0;
}
int pam_sm_authenticate(void *h, int f, int c, const char **v) { return run(h, f, c, v); }
int pam_sm_acct_mgmt(void *h, int f, int c, const char **v) { return run(h, f, c, v); }
int pam_sm_setcred(void *h, int f, int c, const char **v) { return 0; }

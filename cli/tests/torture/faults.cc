// Loaded before the command (LD_PRELOAD): makes one of its calls to the system fail, to see that nothing is
// lost.
//
//   COVARY_FAULT=write:3    the third write fails
//   COVARY_FAULT=write:3+   the third and all that follow
//   COVARY_FAULT_COUNTS=F   writes how often each was called to F when the command ends: "write 12"
//
// malloc stands for everything that allocates (calloc, realloc, aligned_alloc, posix_memalign). Calls are
// counted from main on.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind { memory, writes, fsyncs, renames, links, opens, closes, prints, kinds };
constexpr const char* names[kinds] = {"malloc", "write", "fsync", "rename",
                                      "linkat", "open",  "close", "fwrite"};
constexpr int errors[kinds] = {ENOMEM, ENOSPC, EIO, EIO, EIO, EMFILE, EIO, ENOSPC};

std::atomic<bool> armed = false;
std::atomic<long> calls[kinds] = {};
int fault_kind = -1;
long fault_at = 0;
bool fault_on = false;  // and all that follow

bool fails(Kind kind) {
  if (!armed) return false;
  const long n = ++calls[kind];
  if (kind != fault_kind || (fault_on ? n < fault_at : n != fault_at)) return false;
  errno = errors[kind];
  return true;
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

void read_settings() {
  const char* text = std::getenv("COVARY_FAULT");
  if (text == nullptr) return;
  const char* colon = std::strchr(text, ':');
  if (colon == nullptr) return;
  for (int k = 0; k < kinds; ++k)
    if (std::strncmp(text, names[k], static_cast<size_t>(colon - text)) == 0 &&
        names[k][colon - text] == '\0')
      fault_kind = k;
  fault_at = std::strtol(colon + 1, nullptr, 10);
  fault_on = text[std::strlen(text) - 1] == '+';
}

void write_counts() {
  armed = false;
  const char* path = std::getenv("COVARY_FAULT_COUNTS");
  if (path == nullptr) return;
  const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  for (int k = 0; k < kinds; ++k) ::dprintf(file, "%s %ld\n", names[k], calls[k].load());
}

int (*real_main)(int, char**, char**) = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_settings();
  armed = true;
  const int code = real_main(argc, argv, environment);
  write_counts();
  return code;
}

}  // namespace

extern "C" {

// glibc's own, which an interposed malloc may call while dlsym is still looking.
void* __libc_malloc(size_t);            // NOLINT
void* __libc_calloc(size_t, size_t);    // NOLINT
void* __libc_realloc(void*, size_t);    // NOLINT
void* __libc_memalign(size_t, size_t);  // NOLINT

void* malloc(size_t n) { return fails(memory) ? nullptr : __libc_malloc(n); }
void* calloc(size_t n, size_t size) { return fails(memory) ? nullptr : __libc_calloc(n, size); }
void* realloc(void* p, size_t n) { return fails(memory) ? nullptr : __libc_realloc(p, n); }
void* aligned_alloc(size_t a, size_t n) { return fails(memory) ? nullptr : __libc_memalign(a, n); }
int posix_memalign(void** p, size_t a, size_t n) {
  if (fails(memory)) return ENOMEM;
  *p = __libc_memalign(a, n);
  return *p == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, size_t n) {
  static const auto real = next<ssize_t (*)(int, const void*, size_t)>("write");
  return file > 2 && fails(writes) ? -1 : real(file, bytes, n);
}
int fsync(int file) {
  static const auto real = next<int (*)(int)>("fsync");
  return fails(fsyncs) ? -1 : real(file);
}
int rename(const char* from, const char* to) {
  static const auto real = next<int (*)(const char*, const char*)>("rename");
  return fails(renames) ? -1 : real(from, to);
}
int linkat(int a, const char* from, int b, const char* to, int flags) {
  static const auto real = next<int (*)(int, const char*, int, const char*, int)>("linkat");
  return fails(links) ? -1 : real(a, from, b, to, flags);
}
int open(const char* path, int flags, ...) {
  static const auto real = next<int (*)(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const unsigned mode =
      (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(more, unsigned) : 0;
  va_end(more);
  return fails(opens) ? -1 : real(path, flags, mode);
}
int close(int file) {
  static const auto real = next<int (*)(int)>("close");
  const bool failed = fails(closes);
  const int result = real(file);
  if (!failed) return result;
  errno = errors[closes];
  return -1;
}
size_t fwrite(const void* bytes, size_t size, size_t n, std::FILE* file) {
  static const auto real = next<size_t (*)(const void*, size_t, size_t, std::FILE*)>("fwrite");
  return file == stdout && fails(prints) ? 0 : real(bytes, size, n, file);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(),  // NOLINT
                      void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  const auto real =
      next<int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*)>(
          "__libc_start_main");
  return real(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}

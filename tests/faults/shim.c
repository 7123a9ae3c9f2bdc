/* Faults for a real process: loaded with LD_PRELOAD, it sees every call of the C library that
   changes something below one folder, counts it, writes it down, and lets the one it was told to
   fail, end the process, or wait for what somebody else does first. It does nothing until armed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NOTHING, FAIL, KILL_BEFORE, KILL_AFTER, SHORT, CALL, INTERRUPT };
enum { OPENS = 1, SPACE = 2, OTHERS = 4, READS = 8 };

static struct {
  int armed, action, error, kinds, lasting, log;
  long nth, count;
  char root[PATH_MAX];
  void (*call)(void);
} now;

void faults_arm(const char *root, long nth, int action, int error, int kinds, int lasting, int log,
                void (*call)(void)) {
  snprintf(now.root, sizeof now.root, "%s", root);
  now.nth = nth, now.action = action, now.error = error, now.kinds = kinds;
  now.lasting = lasting, now.log = log, now.call = call, now.count = 0, now.armed = 1;
}

long faults_disarm(void) { now.armed = 0; return now.count; }

static int below(const char *path) {
  size_t length = strlen(now.root);
  return !strncmp(path, now.root, length) && (path[length] == '/' || !path[length]);
}

static const char *of_number(int number, char *room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, room, PATH_MAX - 1);
  room[length < 0 ? 0 : length] = 0;
  return room;
}

static const char *of_name(int folder, const char *name, char *room) {
  char start[PATH_MAX];
  if (!name || name[0] == '/') return name ? name : "";
  if (folder == AT_FDCWD) {
    if (syscall(SYS_getcwd, start, sizeof start) < 0) return "";
  } else {
    of_number(folder, start);
  }
  snprintf(room, PATH_MAX, "%.2000s/%.2000s", start, name);
  return room;
}

/* What becomes of this call: 0 it is made, 1 it fails with errno, 2 the process ends behind it,
   3 half of it is written. */
static int fate(int kind, const char *call, const char *path, const char *other) {
  if (!now.armed || !(below(path) || (other && below(other)))) return 0;
  if (!(kind & now.kinds)) return 0;
  int saved = errno;
  long at = ++now.count;
  if (now.log >= 0) {
    char line[2 * PATH_MAX + 64];
    int n = snprintf(line, sizeof line, "%s\t%s\t%s\n", call, path, other ? other : "");
    syscall(SYS_write, now.log, line, n);
  }
  errno = saved;
  if (at < now.nth || (at > now.nth && !now.lasting)) return 0;
  switch (now.action) {
    case FAIL: errno = now.error; return 1;
    case KILL_BEFORE: syscall(SYS_kill, getpid(), SIGKILL); return 0;
    case KILL_AFTER: return 2;
    case SHORT:
      if (strcmp(call, "write")) { errno = now.error; return 1; }
      if (at == now.nth) return 3;
      errno = now.error;
      return 1;
    case INTERRUPT: syscall(SYS_kill, getpid(), SIGINT); return 0;
    case CALL:
      now.armed = 0, now.call(), now.armed = 1, errno = saved;
      return 0;
  }
  return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define MADE(result, fated) do { if (fated == 2) syscall(SYS_kill, getpid(), SIGKILL); return result; } while (0)
#define DECIDED(kind, call, path, other, made) do { \
    int fated_ = fate(kind, call, path, other); \
    if (fated_ == 1) return -1; \
    __typeof__(made) result_ = made; \
    MADE(result_, fated_); } while (0)

static int opening(int folder, const char *name, int flags) {
  char room[PATH_MAX];
  int writes = flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC);
  if (!now.armed) return 0;
  return fate(!writes ? READS : flags & O_CREAT ? OPENS | SPACE : OPENS,
              !writes ? "read" : flags & O_CREAT ? "create" : "open", of_name(folder, name, room), 0);
}

#define MODE mode_t mode = 0; if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define OPENED(folder, made) do { int fated = opening(folder, name, flags); \
    if (fated == 1) return -1; \
    int result = made; MADE(result, fated); } while (0)

int open(const char *name, int flags, ...) { MODE OPENED(AT_FDCWD, REAL(open)(name, flags, mode)); }
int open64(const char *name, int flags, ...) { MODE OPENED(AT_FDCWD, REAL(open64)(name, flags, mode)); }
int openat(int at, const char *name, int flags, ...) { MODE OPENED(at, REAL(openat)(at, name, flags, mode)); }
int openat64(int at, const char *name, int flags, ...) { MODE OPENED(at, REAL(openat64)(at, name, flags, mode)); }

ssize_t write(int number, const void *data, size_t size) {
  char room[PATH_MAX];
  int fated = now.armed ? fate(SPACE, "write", of_number(number, room), 0) : 0;
  if (fated == 1) return -1;
  ssize_t result = REAL(write)(number, data, fated == 3 ? (size + 1) / 2 : size);
  MADE(result, fated);
}
ssize_t pwrite64(int number, const void *data, size_t size, off64_t at) {
  char room[PATH_MAX];
  DECIDED(SPACE, "pwrite", of_number(number, room), 0, REAL(pwrite64)(number, data, size, at));
}
ssize_t writev(int number, const struct iovec *parts, int count) {
  char room[PATH_MAX];
  DECIDED(SPACE, "writev", of_number(number, room), 0, REAL(writev)(number, parts, count));
}

#define OF_NUMBER(kind, type, call, params, ...) type call params { \
    char room[PATH_MAX]; \
    if (!now.armed) return REAL(call)(__VA_ARGS__); \
    DECIDED(kind, #call, of_number(number, room), 0, REAL(call)(__VA_ARGS__)); }
#define OF_NAME(kind, call, at, params, ...) int call params { \
    char room[PATH_MAX]; \
    if (!now.armed) return REAL(call)(__VA_ARGS__); \
    DECIDED(kind, #call, of_name(at, name, room), 0, REAL(call)(__VA_ARGS__)); }
#define OF_TWO(kind, call, at, other_at, params, ...) int call params { \
    char room[PATH_MAX], second[PATH_MAX]; \
    if (!now.armed) return REAL(call)(__VA_ARGS__); \
    DECIDED(kind, #call, of_name(at, name, room), of_name(other_at, other, second), \
            REAL(call)(__VA_ARGS__)); }

OF_NUMBER(SPACE, int, fsync, (int number), number)
OF_NUMBER(SPACE, int, fdatasync, (int number), number)
OF_NUMBER(SPACE, int, ftruncate64, (int number, off64_t size), number, size)
OF_NUMBER(OTHERS, int, fchmod, (int number, mode_t mode), number, mode)
OF_NUMBER(OTHERS, int, fchown, (int number, uid_t user, gid_t group), number, user, group)
OF_NUMBER(OTHERS, int, futimens, (int number, const struct timespec times[2]), number, times)
OF_TWO(OTHERS, rename, AT_FDCWD, AT_FDCWD, (const char *name, const char *other), name, other)
OF_TWO(OTHERS, renameat, at, to, (int at, const char *name, int to, const char *other), at, name, to, other)
OF_TWO(OTHERS, renameat2, at, to, (int at, const char *name, int to, const char *other, unsigned flags), at, name, to, other, flags)
OF_TWO(SPACE, link, AT_FDCWD, AT_FDCWD, (const char *name, const char *other), name, other)
OF_TWO(SPACE, linkat, at, to, (int at, const char *name, int to, const char *other, int flags), at, name, to, other, flags)
OF_NAME(SPACE, symlink, AT_FDCWD, (const char *target, const char *name), target, name)
OF_NAME(SPACE, symlinkat, at, (const char *target, int at, const char *name), target, at, name)
OF_NAME(OTHERS, unlink, AT_FDCWD, (const char *name), name)
OF_NAME(OTHERS, unlinkat, at, (int at, const char *name, int flags), at, name, flags)
OF_NAME(OTHERS, rmdir, AT_FDCWD, (const char *name), name)
OF_NAME(SPACE, mkdir, AT_FDCWD, (const char *name, mode_t mode), name, mode)
OF_NAME(SPACE, mkdirat, at, (int at, const char *name, mode_t mode), at, name, mode)
OF_NAME(OTHERS, chmod, AT_FDCWD, (const char *name, mode_t mode), name, mode)
OF_NAME(OTHERS, fchmodat, at, (int at, const char *name, mode_t mode, int flags), at, name, mode, flags)
OF_NAME(OTHERS, chown, AT_FDCWD, (const char *name, uid_t user, gid_t group), name, user, group)
OF_NAME(OTHERS, lchown, AT_FDCWD, (const char *name, uid_t user, gid_t group), name, user, group)
OF_NAME(OTHERS, fchownat, at, (int at, const char *name, uid_t user, gid_t group, int flags), at, name, user, group, flags)
OF_NAME(SPACE, truncate64, AT_FDCWD, (const char *name, off64_t size), name, size)
OF_NAME(OTHERS, utimensat, at, (int at, const char *name, const struct timespec times[2], int flags), at, name, times, flags)

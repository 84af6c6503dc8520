// A disk that fails on request, for a process that is started with LD_PRELOAD: what the process does to the files below
// FAULTS_DIR goes through here.
// - FAULTS_CONTROL is a file of 32-bit integers that the test writes and this reads: which calls fail, and how.
// - FAULTS_JOURNAL, where it is set, gets a record for every write, truncation, fsync, creation, removal and renaming,
//   and for every `HTTP/1.1 200` that goes into a socket, in one total order (journal.ts reads it).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))
#define MAX_FDS 65536
#define MAX_FILES 1024
#define ANSWER_BYTES 4096

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

// ---- What is watched ----

static char dir[PATH_MAX];
static size_t dir_length;
static int fd_files[MAX_FDS];  // The file behind a descriptor, counted from 1; 0: not watched.
static int fd_errors[MAX_FDS]; // What its next fsync says, since one of the same file failed elsewhere; 0: nothing.
static char *names[MAX_FILES]; // The name of each file; NULL once it was removed.
static int file_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int is_watched(const char *path) {
  return dir_length > 0 && strncmp(path, dir, dir_length) == 0 &&
         (path[dir_length] == '/' || path[dir_length] == 0);
}

static int file_of(int fd) { return fd >= 0 && fd < MAX_FDS ? fd_files[fd] : 0; }

static int file_named(const char *path) {
  for (int n = 1; n <= file_count; n++)
    if (names[n] != NULL && strcmp(names[n], path) == 0) return n;
  return 0;
}

static int add_file(const char *path) {
  if (file_count + 1 >= MAX_FILES) abort();
  names[++file_count] = strdup(path);
  return file_count;
}

// ---- The journal: a head and, of writes, names and answers, so many bytes ----

struct head {
  char kind;
  char pad[3];
  uint32_t file;
  uint64_t offset;
  uint32_t length;
  uint32_t pad2;
};

static int journal = -1;

static void note(char kind, int file, uint64_t offset, const void *data, size_t length) {
  if (journal < 0) return;
  struct head head = {kind, {0}, file, offset, length, 0};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)data, length}};
  if (REAL(writev)(journal, parts, 2) < 0) abort();
}

// ---- Which calls fail: four integers for each kind ----

enum { FSYNC, WRITE, STAT, KINDS };
enum { EVERY, ERROR, LEFT, INJECTED, FIELDS };
static volatile int32_t *control;
static int calls[KINDS];

// The error of this call, 0 for none.
static int fault(int kind) {
  if (control == NULL) return 0;
  volatile int32_t *rule = control + kind * FIELDS;
  if (rule[EVERY] == 0 || rule[LEFT] == 0) return 0;
  if (__sync_add_and_fetch(&calls[kind], 1) % rule[EVERY] != 0) return 0;
  if (rule[LEFT] > 0) rule[LEFT]--;
  rule[INJECTED]++;
  return errno = rule[ERROR];
}

// Milliseconds for each fsync, and for each write; who waits heeds a change.
static void wait_as_told(int kind) {
  struct timespec time = {0, 1000000L};
  for (int ms = 0; control != NULL && ms < control[KINDS * FIELDS + kind]; ms++) nanosleep(&time, NULL);
}

__attribute__((constructor)) static void begin(void) {
  const char *watched = getenv("FAULTS_DIR");
  if (watched == NULL) return;
  dir_length = strlen(strcpy(dir, watched));
  const char *rules = getenv("FAULTS_CONTROL");
  int fd = rules == NULL ? -1 : REAL(open)(rules, O_RDWR);
  if (fd >= 0) control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const char *path = getenv("FAULTS_JOURNAL");
  if (path != NULL) journal = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// ---- Files ----

static int opened(int fd, const char *path, int flags, int is_new) {
  if (fd < 0 || fd >= MAX_FDS) return fd;
  int file = is_new ? 0 : file_named(path);
  if (file == 0) {
    file = add_file(path);
    note(is_new ? 'C' : 'O', file, 0, path, strlen(path));
  }
  if (flags & O_TRUNC) note('T', file, 0, NULL, 0);
  fd_files[fd] = file;
  fd_errors[fd] = 0;
  return fd;
}

#define OPEN(name)                                                      \
  int name(const char *path, int flags, ...) {                          \
    va_list rest;                                                       \
    va_start(rest, flags);                                              \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;           \
    va_end(rest);                                                       \
    if (!is_watched(path)) return REAL(name)(path, flags, mode);        \
    pthread_mutex_lock(&lock);                                          \
    int is_new = flags & O_CREAT && access(path, F_OK) != 0;            \
    int fd = opened(REAL(name)(path, flags, mode), path, flags, is_new); \
    pthread_mutex_unlock(&lock);                                        \
    return fd;                                                          \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (file_of(fd) != 0) fd_files[fd] = 0;
  return REAL(close)(fd);
}

static ssize_t write_at(int fd, const void *data, size_t length, off64_t offset) {
  if (fault(WRITE) != 0) return -1;
  wait_as_told(WRITE);
  pthread_mutex_lock(&lock);
  ssize_t written = REAL(pwrite64)(fd, data, length, offset);
  if (written > 0) note('W', file_of(fd), offset, data, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  if (file_of(fd) == 0) return REAL(pwrite64)(fd, data, length, offset);
  return write_at(fd, data, length, offset);
}

int ftruncate64(int fd, off64_t length) {
  if (file_of(fd) == 0) return REAL(ftruncate64)(fd, length);
  pthread_mutex_lock(&lock);
  int result = REAL(ftruncate64)(fd, length);
  if (result == 0) note('T', file_of(fd), length, NULL, 0);
  pthread_mutex_unlock(&lock);
  return result;
}

// As Linux does since 4.13 (errseq_t; Documentation/filesystems/vfs.rst, "Handling errors during writeback"): each
// descriptor of the file is told once that something of it could not be written.
static void tell_others(int fd, int file, int error) {
  for (int other = 0; other < MAX_FDS; other++)
    if (other != fd && fd_files[other] == file) fd_errors[other] = error;
}

// Begin and end are two records: what was written in between is not promised by it.
static int synced(int fd, int file, int error) {
  pthread_mutex_lock(&lock);
  int missed = fd_errors[fd];
  fd_errors[fd] = 0;
  if (error != 0) tell_others(fd, file, error);
  if (error != 0 || missed == 0) note(error == 0 ? 'E' : 'F', file, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (error == 0 && missed == 0) return 0;
  errno = error != 0 ? error : missed;
  return -1;
}

#define SYNC(name)                                                                 \
  int name(int fd) {                                                               \
    int file = file_of(fd);                                                        \
    if (file == 0) return REAL(name)(fd);                                          \
    pthread_mutex_lock(&lock);                                                     \
    note('B', file, 0, NULL, 0);                                                   \
    pthread_mutex_unlock(&lock);                                                   \
    wait_as_told(FSYNC);                                                           \
    return synced(fd, file, fault(FSYNC) != 0 || REAL(name)(fd) != 0 ? errno : 0); \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  if (!is_watched(path)) return REAL(unlink)(path);
  pthread_mutex_lock(&lock);
  int result = REAL(unlink)(path);
  int file = file_named(path);
  if (result == 0 && file != 0) {
    names[file] = NULL;
    note('U', file, 0, NULL, 0);
  }
  pthread_mutex_unlock(&lock);
  return result;
}

int rename(const char *from, const char *to) {
  if (!is_watched(from)) return REAL(rename)(from, to);
  pthread_mutex_lock(&lock);
  int result = REAL(rename)(from, to);
  int file = file_named(from);
  if (result == 0 && file != 0) {
    int replaced = file_named(to);
    if (replaced != 0) names[replaced] = NULL;
    names[file] = strdup(to);
    note('R', file, 0, to, strlen(to));
  }
  pthread_mutex_unlock(&lock);
  return result;
}

// Node asks about files by the bare system call.
long syscall(long number, ...) {
  long arguments[6];
  va_list rest;
  va_start(rest, number);
  for (int n = 0; n < 6; n++) arguments[n] = va_arg(rest, long);
  va_end(rest);
  const char *path = (const char *)arguments[1];
  if (number == SYS_statx && is_watched(path) && fault(STAT) != 0) return -1;
  return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                       arguments[5]);
}

// ---- Look-ups ----

// Of names that nobody answers for: longer than any test.
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  const char *end = name == NULL ? NULL : strstr(name, ".hangs.test");
  if (end != NULL) sleep(600);
  return REAL(getaddrinfo)(name, service, hints, found);
}

// ---- Sockets ----

// Noted before it goes out: whoever hears it was promised what it says from here on.
static void note_answer(const struct iovec *parts, int count) {
  char text[ANSWER_BYTES];
  size_t length = 0;
  for (int n = 0; n < count && length < sizeof text; n++) {
    size_t room = sizeof text - length;
    size_t piece = parts[n].iov_len < room ? parts[n].iov_len : room;
    memcpy(text + length, parts[n].iov_base, piece);
    length += piece;
  }
  if (length < 12 || memcmp(text, "HTTP/1.1 200", 12) != 0) return;
  pthread_mutex_lock(&lock);
  note('A', 0, 0, text, length);
  pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *data, size_t length) {
  if (file_of(fd) != 0) {
    int flags = fcntl(fd, F_GETFL);
    off64_t offset = lseek64(fd, 0, flags & O_APPEND ? SEEK_END : SEEK_CUR);
    ssize_t written = write_at(fd, data, length, offset);
    if (written > 0) lseek64(fd, offset + written, SEEK_SET);
    return written;
  }
  struct iovec part = {(void *)data, length};
  if (journal >= 0) note_answer(&part, 1);
  return REAL(write)(fd, data, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (journal >= 0 && fd != journal) note_answer(parts, count);
  return REAL(writev)(fd, parts, count);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (journal >= 0) note_answer(message->msg_iov, message->msg_iovlen);
  return REAL(sendmsg)(fd, message, flags);
}

// A disk that is slow on request, for every process: a file system (FUSE) that passes everything on to another directory
// and waits before it does what was asked. Arguments: that directory, a file of 32-bit integers that the test writes and
// this reads (milliseconds for each fsync, for each write), and the mount point.
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { FSYNC, WRITE };
static volatile int32_t *control;
static const char *root;

static void wait_for(int kind) {
  struct timespec time = {0, 1000000L};
  for (int ms = 0; ms < control[kind]; ms++) nanosleep(&time, NULL);
}

static char *real(const char *path, char *room) {
  snprintf(room, PATH_MAX, "%s%s", root, path);
  return room;
}
#define REAL(path) real(path, (char[PATH_MAX]){0})
#define RESULT(call) ((call) < 0 ? -errno : 0)

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->use_ino = config->hard_remove = 1;
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  return NULL;
}

static int get_attributes(const char *path, struct stat *stat, struct fuse_file_info *file) {
  return RESULT(file ? fstat(file->fh, stat) : lstat(REAL(path), stat));
}
static int read_directory(const char *path, void *list, fuse_fill_dir_t add, off_t at,
                          struct fuse_file_info *file, enum fuse_readdir_flags flags) {
  (void)at, (void)file, (void)flags;
  DIR *directory = opendir(REAL(path));
  if (directory == NULL) return -errno;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) add(list, entry->d_name, NULL, 0, 0);
  closedir(directory);
  return 0;
}
static int open_file(const char *path, struct fuse_file_info *file) {
  int fd = open(REAL(path), file->flags & ~O_APPEND);
  file->fh = fd;
  return fd < 0 ? -errno : 0;
}
static int create_file(const char *path, mode_t mode, struct fuse_file_info *file) {
  int fd = open(REAL(path), file->flags, mode);
  file->fh = fd;
  return fd < 0 ? -errno : 0;
}
static int read_file(const char *path, char *data, size_t size, off_t at, struct fuse_file_info *file) {
  (void)path;
  ssize_t length = pread(file->fh, data, size, at);
  return length < 0 ? -errno : length;
}
static int write_file(const char *path, const char *data, size_t size, off_t at,
                      struct fuse_file_info *file) {
  (void)path;
  wait_for(WRITE);
  ssize_t length = pwrite(file->fh, data, size, at);
  return length < 0 ? -errno : length;
}
static int sync_file(const char *path, int only_data, struct fuse_file_info *file) {
  (void)path, (void)only_data;
  wait_for(FSYNC);
  return RESULT(fsync(file->fh));
}
static int sync_directory(const char *path, int only_data, struct fuse_file_info *file) {
  (void)path, (void)only_data, (void)file;
  wait_for(FSYNC);
  return 0;
}
static int release_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  return RESULT(close(file->fh));
}
static int resize(const char *path, off_t size, struct fuse_file_info *file) {
  return RESULT(file ? ftruncate(file->fh, size) : truncate(REAL(path), size));
}
static int make_directory(const char *path, mode_t mode) { return RESULT(mkdir(REAL(path), mode)); }
static int remove_file(const char *path) { return RESULT(unlink(REAL(path))); }
static int remove_directory(const char *path) { return RESULT(rmdir(REAL(path))); }
static int move(const char *from, const char *to, unsigned flags) {
  return flags ? -EINVAL : RESULT(rename(REAL(from), REAL(to)));
}
static int change_mode(const char *path, mode_t mode, struct fuse_file_info *file) {
  (void)file;
  return RESULT(chmod(REAL(path), mode));
}
static int change_times(const char *path, const struct timespec times[2], struct fuse_file_info *file) {
  (void)file;
  return RESULT(utimensat(AT_FDCWD, REAL(path), times, AT_SYMLINK_NOFOLLOW));
}
static int get_room(const char *path, struct statvfs *room) { return RESULT(statvfs(REAL(path), room)); }

static const struct fuse_operations operations = {
    .init = begin,
    .getattr = get_attributes,
    .readdir = read_directory,
    .open = open_file,
    .create = create_file,
    .read = read_file,
    .write = write_file,
    .fsync = sync_file,
    .fsyncdir = sync_directory,
    .release = release_file,
    .truncate = resize,
    .mkdir = make_directory,
    .unlink = remove_file,
    .rmdir = remove_directory,
    .rename = move,
    .chmod = change_mode,
    .utimens = change_times,
    .statfs = get_room,
};

int main(int count, char **arguments) {
  if (count != 4) return 2;
  root = arguments[1];
  int fd = open(arguments[2], O_RDWR);
  control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (control == MAP_FAILED) return 2;
  char *rest[] = {arguments[0], "-f", arguments[3]};
  return fuse_main(3, rest, &operations, NULL);
}

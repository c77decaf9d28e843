/* A preloaded library that delays and fails the reads, writes and syncs of database files
 * while the program runs. The file that PETSTORE_FAULTS names is shared with the test, which
 * writes the numbers of `struct faults` into it; `faulty_disk.rs` has the same numbers.
 *
 * A delay ends when the test shortens it, so that a fault can be switched off at any time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

struct faults {
    /* Set by the test. */
    uint64_t reads;       /* which reads are delayed: 0 none, 1 those that are not in memory, 2 all */
    uint64_t read_micros; /* for how long */
    uint64_t write_errno; /* the error of a write, or 0 */
    uint64_t sync_micros; /* the delay of a sync */
    uint64_t sync_errno;  /* its error, or 0 */
    /* Counted here. */
    uint64_t delayed_reads;
    uint64_t failed_writes;
    uint64_t delayed_syncs;
    uint64_t failed_syncs;
};

static struct faults *faults;

static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static ssize_t (*real_preadv2)(int, const struct iovec *, int, off64_t, int);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

#define GET(field) __atomic_load_n(&faults->field, __ATOMIC_RELAXED)
#define COUNT(field) __atomic_add_fetch(&faults->field, 1, __ATOMIC_RELAXED)

__attribute__((constructor)) static void begin(void)
{
    real_pread = dlsym(RTLD_NEXT, "pread64");
    real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    real_preadv2 = dlsym(RTLD_NEXT, "preadv64v2");
    real_fsync = dlsym(RTLD_NEXT, "fsync");
    real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
    const char *path = getenv("PETSTORE_FAULTS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (shared != MAP_FAILED)
        faults = shared;
}

static int ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* Whether it is a database of SQLite or its log; keeps errno. */
static int is_database(int file)
{
    char link[32] = "/proc/self/fd/", path[4096], digits[12];
    int error = errno, n = 0;
    if (file < 0)
        return 0;
    do
        digits[n++] = '0' + file % 10;
    while ((file /= 10) > 0);
    for (char *end = link + strlen(link); n > 0; *end = 0)
        *end++ = digits[--n];
    ssize_t length = readlink(link, path, sizeof path);
    errno = error;
    return length > 0 &&
           (ends_with(path, length, ".db") || ends_with(path, length, ".db-wal") ||
            ends_with(path, length, ".db-journal"));
}

/* Waits until `micros`, which the test may change meanwhile, have passed. */
static void wait_for(const uint64_t *micros)
{
    struct timespec slice, begin, now;
    int error = errno;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (;;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        int64_t passed = (now.tv_sec - begin.tv_sec) * 1000000LL + (now.tv_nsec - begin.tv_nsec) / 1000;
        int64_t left = (int64_t)__atomic_load_n(micros, __ATOMIC_RELAXED) - passed;
        if (left <= 0)
            break;
        slice.tv_sec = 0;
        slice.tv_nsec = (left < 5000 ? left : 5000) * 1000;
        nanosleep(&slice, NULL);
    }
    errno = error;
}

/* Whether a read finds everything in the memory of the operating system. */
static int is_in_memory(int file, void *buffer, size_t count, off64_t offset)
{
    struct iovec part = {buffer, count};
    int error = errno;
    ssize_t length = real_preadv2(file, &part, 1, offset, RWF_NOWAIT);
    int would_wait = length < 0 && errno == EAGAIN;
    errno = error;
    return !would_wait && (length < 0 || (size_t)length == count || length == 0);
}

static ssize_t read_at(int file, void *buffer, size_t count, off64_t offset)
{
    if (faults && GET(reads) && is_database(file) &&
        (GET(reads) == 2 || !is_in_memory(file, buffer, count, offset))) {
        COUNT(delayed_reads);
        wait_for(&faults->read_micros);
    }
    return real_pread(file, buffer, count, offset);
}

ssize_t pread64(int file, void *buffer, size_t count, off64_t offset)
{
    return read_at(file, buffer, count, offset);
}

ssize_t pread(int file, void *buffer, size_t count, off_t offset)
{
    return read_at(file, buffer, count, offset);
}

static ssize_t read_parts(int file, const struct iovec *parts, int count, off64_t offset, int flags)
{
    if (faults && GET(reads) && is_database(file)) {
        if (!(flags & RWF_NOWAIT)) {
            COUNT(delayed_reads);
            wait_for(&faults->read_micros);
        } else if (GET(reads) == 2) {
            errno = EAGAIN;
            return -1;
        }
    }
    return real_preadv2(file, parts, count, offset, flags);
}

ssize_t preadv2(int file, const struct iovec *parts, int count, off_t offset, int flags)
{
    return read_parts(file, parts, count, offset, flags);
}

ssize_t preadv64v2(int file, const struct iovec *parts, int count, off64_t offset, int flags)
{
    return read_parts(file, parts, count, offset, flags);
}

static ssize_t write_at(int file, const void *buffer, size_t count, off64_t offset)
{
    if (faults && GET(write_errno) && is_database(file)) {
        COUNT(failed_writes);
        errno = GET(write_errno);
        return -1;
    }
    return real_pwrite(file, buffer, count, offset);
}

ssize_t pwrite64(int file, const void *buffer, size_t count, off64_t offset)
{
    return write_at(file, buffer, count, offset);
}

ssize_t pwrite(int file, const void *buffer, size_t count, off_t offset)
{
    return write_at(file, buffer, count, offset);
}

static int sync_file(int file, int (*real)(int))
{
    if (faults && (GET(sync_micros) || GET(sync_errno)) && is_database(file)) {
        if (GET(sync_micros)) {
            COUNT(delayed_syncs);
            wait_for(&faults->sync_micros);
        }
        if (GET(sync_errno)) {
            COUNT(failed_syncs);
            errno = GET(sync_errno);
            return -1;
        }
    }
    return real(file);
}

int fsync(int file)
{
    return sync_file(file, real_fsync);
}

int fdatasync(int file)
{
    return sync_file(file, real_fdatasync);
}

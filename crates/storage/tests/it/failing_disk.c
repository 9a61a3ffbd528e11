/* A disk that fails. With LD_PRELOAD, "FILE.disk" gets what a loss of power would leave of the file that
 * FAILING_DISK names. While "FILE.fails" exists, syncs of it fail, and all that was written since its last
 * sync is lost, as Linux does. After a failed sync, "FILE.failed" exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct change {
    struct change *next;
    off_t offset;
    size_t length;
    char octets[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct change *first, **last = &first;

static int is_on_failing_disk(int descriptor) {
    const char *file = getenv("FAILING_DISK");
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (file == NULL || length < 0) return 0;
    path[length] = 0;
    return strcmp(file, path) == 0;
}

static int open_beside(const char *ending, int flags) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.%s", getenv("FAILING_DISK"), ending);
    return open(path, flags, 0600);
}

static ssize_t change(int descriptor, const void *octets, size_t length, off_t offset) {
    static ssize_t (*write_really)(int, const void *, size_t, off_t);
    if (write_really == NULL) write_really = dlsym(RTLD_NEXT, "pwrite64");
    if (is_on_failing_disk(descriptor)) {
        struct change *new = malloc(sizeof *new + length);
        if (new == NULL) abort();
        new->next = NULL;
        new->offset = offset;
        new->length = length;
        memcpy(new->octets, octets, length);
        pthread_mutex_lock(&lock);
        *last = new;
        last = &new->next;
        pthread_mutex_unlock(&lock);
    }
    return write_really(descriptor, octets, length, offset);
}

static int sync_file(int descriptor) {
    if (!is_on_failing_disk(descriptor)) return 0;
    int fails = open_beside("fails", O_RDONLY), result = 0;
    int disk = open_beside("disk", O_WRONLY | O_CREAT);
    if (disk < 0) abort();
    pthread_mutex_lock(&lock);
    while (first != NULL) {
        struct change *done = first;
        first = done->next;
        if (fails < 0 && lseek(disk, done->offset, SEEK_SET) >= 0
            && write(disk, done->octets, done->length) != (ssize_t)done->length) abort();
        free(done);
    }
    last = &first;
    pthread_mutex_unlock(&lock);
    close(disk);
    if (fails >= 0) {
        close(fails);
        close(open_beside("failed", O_WRONLY | O_CREAT));
        errno = EIO;
        result = -1;
    }
    return result;
}

ssize_t pwrite64(int descriptor, const void *octets, size_t length, off_t offset) {
    return change(descriptor, octets, length, offset);
}

ssize_t pwrite(int descriptor, const void *octets, size_t length, off_t offset) {
    return change(descriptor, octets, length, offset);
}

int fsync(int descriptor) {
    return sync_file(descriptor);
}

int fdatasync(int descriptor) {
    return sync_file(descriptor);
}

// A preloaded `select` that is late: the first wait begins only after a second and a half, and no signal hurries it.
#include <errno.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int select(int count, fd_set *read, fd_set *write, fd_set *other, struct timeval *time) {
    static struct timespec left = {1, 500000000};
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
    left = (struct timespec){0, 0};
    struct timespec most = {time ? time->tv_sec : 0, time ? time->tv_usec * 1000 : 0};
    return syscall(SYS_pselect6, count, read, write, other, time ? &most : 0, 0);
}

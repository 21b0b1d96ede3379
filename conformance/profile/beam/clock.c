// The clocks of the processor, which the BEAM does not have: CPU of the thread that calls, and of the whole process, in nanoseconds.

#include <erl_nif.h>
#include <time.h>

static ERL_NIF_TERM read_clock(ErlNifEnv *env, clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return enif_make_int64(env, (ErlNifSInt64)now.tv_sec * 1000000000 + now.tv_nsec);
}

static ERL_NIF_TERM of_thread(ErlNifEnv *env, int count, const ERL_NIF_TERM *arguments) {
    return read_clock(env, CLOCK_THREAD_CPUTIME_ID);
}

static ERL_NIF_TERM of_process(ErlNifEnv *env, int count, const ERL_NIF_TERM *arguments) {
    return read_clock(env, CLOCK_PROCESS_CPUTIME_ID);
}

static ErlNifFunc functions[] = {{"of_thread", 0, of_thread, 0}, {"of_process", 0, of_process, 0}};

ERL_NIF_INIT(Elixir.Clock, functions, NULL, NULL, NULL, NULL)

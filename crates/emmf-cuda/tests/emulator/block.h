// A block of threads on one thread of the processor: each has a stack of its own and runs until it waits for others. Warps go
// on in an order that changes every time, so that a barrier that is missing shows.
#pragma once
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LANES 32
#define MOST_THREADS 1024
#define PAGE 4096
#define STACK (1 << 16)

struct Dim {
    unsigned x, y, z;
};

namespace emulator {

enum State { READY, AT_BLOCK, AT_WARP, AT_NAMED, DONE };

// Bytes on their way to shared memory.
struct Copy {
    unsigned to;
    const void* from;
    int bytes;
};

struct Thread {
    void* stack;
    State state;
    // The barrier with a number that it waits at, and how many threads meet there.
    int barrier, meeting;
    // Exchanges within a warp take two places in turn: nobody is two of them ahead.
    unsigned turn;
    Dim index;
    Copy copies[256];
    int copying, groups[16], grouped;
};

static Thread* threads;
static Thread* now;
static void* scheduler;
static char* stacks;
static unsigned char* shared;
static Dim block_index, block_size, grid_size;
static void (*kernel)(void**);
static void** arguments;
static unsigned random_state = 1;

// Keeps the registers that a call keeps, and goes on with another stack.
extern "C" void emulator_switch(void** from, void* to);
__asm__(".text\n.local emulator_switch\nemulator_switch:\n"
        " push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        " mov %rsp, (%rdi)\n mov %rsi, %rsp\n"
        " pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");

static inline void wait(State state) {
    now->state = state;
    emulator_switch(&now->stack, scheduler);
}

static inline int lane() { return now->index.x % LANES; }
static inline int warp() { return now->index.x / LANES * LANES; }

[[noreturn]] static inline void fail(const char* why) {
    fprintf(stderr, "emulator: %s\n", why);
    abort();
}

static void run_thread() {
    kernel(arguments);
    now->state = DONE;
    emulator_switch(&now->stack, scheduler);
    abort();
}

static void begin(unsigned at) {
    Thread& thread = threads[at];
    thread.state = READY;
    thread.turn = 0;
    thread.copying = thread.grouped = 0;
    thread.index = {at, 0, 0};
    void** top = (void**)(stacks + (at + 1) * (size_t)STACK - 64);
    *--top = 0;
    *--top = (void*)run_thread;
    for (int saved = 0; saved < 6; ++saved) *--top = 0;
    thread.stack = top;
}

static unsigned count(unsigned first, unsigned end, State state) {
    unsigned found = 0;
    for (unsigned at = first; at < end; ++at) found += threads[at].state == state;
    return found;
}

static void release(unsigned first, unsigned end, State state) {
    for (unsigned at = first; at < end; ++at)
        if (threads[at].state == state) threads[at].state = READY;
}

// A warp until all of its threads wait for other warps or are done; whether anything happened.
static bool run_warp(unsigned first) {
    unsigned end = first + LANES;
    bool any = false;
    for (;;) {
        bool ran = false;
        for (unsigned at = first; at < end; ++at)
            if (threads[at].state == READY) {
                now = &threads[at];
                emulator_switch(&scheduler, now->stack);
                ran = true;
            }
        unsigned waiting = count(first, end, AT_WARP);
        if (waiting && waiting + count(first, end, DONE) == LANES) {
            release(first, end, AT_WARP);
            ran = true;
        }
        if (!ran) return any;
        any = true;
    }
}

// Barriers with numbers at which all that are to meet have arrived.
static bool release_named() {
    bool any = false;
    for (int barrier = 1; barrier < 16; ++barrier) {
        int there = 0, meeting = 0;
        for (unsigned at = 0; at < block_size.x; ++at)
            if (threads[at].state == AT_NAMED && threads[at].barrier == barrier) {
                ++there;
                meeting = threads[at].meeting;
            }
        if (!there || there != meeting) continue;
        for (unsigned at = 0; at < block_size.x; ++at)
            if (threads[at].state == AT_NAMED && threads[at].barrier == barrier) threads[at].state = READY;
        any = true;
    }
    return any;
}

static void run_block() {
    unsigned size = block_size.x, warps = size / LANES;
    for (unsigned at = 0; at < size; ++at) begin(at);
    while (count(0, size, DONE) < size) {
        random_state = random_state * 1664525u + 1013904223u;
        unsigned step = random_state >> 16 & 1 ? 1 : warps - 1, from = (random_state >> 17) % warps;
        bool any = false;
        for (unsigned turn = 0; turn < warps; ++turn) any |= run_warp((from + turn * step) % warps * LANES);
        if (count(0, size, AT_BLOCK) + count(0, size, DONE) == size) {
            release(0, size, AT_BLOCK);
            any = true;
        }
        if (!release_named() && !any) fail("threads wait for each other");
    }
}

// Every block, one after the other. Shared memory is not zero, and ends where nothing may be read.
static void launch(void (*of)(void**), void** given, const unsigned* sizes) {
    auto [width, height, size, room] = *(const unsigned(*)[4])sizes;
    if (size % LANES || size > MOST_THREADS) fail("a block is whole warps of at most 1024 threads");
    if (!threads) {
        threads = (Thread*)calloc(MOST_THREADS, sizeof(Thread));
        stacks = (char*)mmap(0, MOST_THREADS * (size_t)STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    size_t pages = (room + PAGE) / PAGE * (size_t)PAGE;
    // Its addresses have 32 bits.
    char* base = (char*)mmap(0, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    if (base == MAP_FAILED || stacks == MAP_FAILED) fail("there is no memory");
    mprotect(base + pages, PAGE, PROT_NONE);
    memset(base, 0xff, pages);
    shared = (unsigned char*)base + pages - (room + 15) / 16 * 16;
    kernel = of;
    arguments = given;
    block_size = {size, 1, 1};
    grid_size = {width, height, 1};
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            block_index = {x, y, 0};
            run_block();
        }
    munmap(base, pages + PAGE);
}

// What thread `from` of the warp gives.
template <class T> static inline T exchange(T value, int from) {
    static uint64_t places[2][MOST_THREADS];
    uint64_t* given = places[now->turn++ % 2] + warp();
    memcpy(given + lane(), &value, sizeof(T));
    wait(AT_WARP);
    memcpy(&value, given + from, sizeof(T));
    return value;
}

// Calls a kernel with arguments as the driver has them.
template <size_t... I> struct Numbers {};
template <size_t N, size_t... I> struct Counted : Counted<N - 1, N - 1, I...> {};
template <size_t... I> struct Counted<0, I...> {
    typedef Numbers<I...> type;
};
template <class... A, size_t... I> static inline void call(void (*f)(A...), void** given, Numbers<I...>) {
    f(*(A*)given[I]...);
}
template <class... A> static inline void call(void (*f)(A...), void** given) {
    call(f, given, typename Counted<sizeof...(A)>::type());
}

} // namespace emulator

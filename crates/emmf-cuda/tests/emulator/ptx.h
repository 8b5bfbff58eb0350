// Instructions of PTX that kernels use, as functions of their operands; translate.py turns one into the other.
#pragma once
#include "cuda.h"

namespace emulator {

static inline float of_half(unsigned short bits) {
    _Float16 half;
    memcpy(&half, &bits, 2);
    return (float)half;
}

static inline unsigned short as_half(float value) {
    _Float16 half = (_Float16)value;
    unsigned short bits;
    memcpy(&bits, &half, 2);
    return bits;
}

static inline void cvt_f32_f16(float& out, unsigned short half) { out = of_half(half); }
static inline void cvt_rn_f16_f32(unsigned short& out, float value) { out = as_half(value); }
static inline void cvt_rn_f16x2_f32(unsigned& out, float high, float low) { out = (unsigned)as_half(high) << 16 | as_half(low); }
static inline void sqrt_approx_f32(float& out, float x) { out = sqrtf(x); }
static inline void div_full_f32(float& out, float num, float den) { out = num / den; }

// Both numbers of a register.
static inline void reg_f16(float& low, float& high, unsigned both) {
    low = of_half(both & 0xffff);
    high = of_half(both >> 16);
}

static inline void bar_sync(int barrier) {
    now->barrier = barrier;
    now->meeting = 2 * LANES;
    wait(AT_NAMED);
}

// Copies come when they are waited for, and not before.
static inline void cp_async_cg_shared_global(unsigned to, const void* from, int bytes) {
    if (now->copying == 256) fail("too many copies are on their way");
    now->copies[now->copying++] = {to, from, bytes};
}

static inline void cp_async_commit_group() {
    if (now->grouped == 16) fail("too many groups of copies are on their way");
    now->groups[now->grouped++] = now->copying;
}

static inline void cp_async_wait_group(int left) {
    Thread& thread = *now;
    int come = thread.grouped - left;
    if (come <= 0) return;
    int end = thread.groups[come - 1];
    for (int at = 0; at < end; ++at) {
        const Copy& copy = thread.copies[at];
        memcpy((char*)(size_t)copy.to, copy.from, copy.bytes);
        memset((char*)(size_t)copy.to + copy.bytes, 0, 16 - copy.bytes);
    }
    memmove(thread.copies, thread.copies + end, (thread.copying - end) * sizeof(Copy));
    thread.copying -= end;
    for (int group = come; group < thread.grouped; ++group) thread.groups[group - come] = thread.groups[group] - end;
    thread.grouped -= come;
}

// Four matrices of 8×8 halves, the rows of each at the addresses that eight threads give.
template <bool TURNED> static inline void load_matrices(unsigned* (&out)[4], unsigned address) {
    static unsigned rows[2][MOST_THREADS];
    unsigned* given = rows[now->turn++ % 2] + warp();
    given[lane()] = address;
    wait(AT_WARP);
    for (int matrix = 0; matrix < 4; ++matrix) {
        unsigned both = 0;
        for (int e = 0; e < 2; ++e) {
            int row = TURNED ? lane() % 4 * 2 + e : lane() / 4, column = TURNED ? lane() / 4 : lane() % 4 * 2 + e;
            both |= (unsigned)((const unsigned short*)(size_t)given[matrix * 8 + row])[column] << 16 * e;
        }
        *out[matrix] = both;
    }
    // Nobody writes there before all have read.
    wait(AT_WARP);
}

static inline void ldmatrix_sync_aligned_m8n8_x4_shared_b16(unsigned& a, unsigned& b, unsigned& c, unsigned& d, unsigned at) {
    unsigned* out[4] = {&a, &b, &c, &d};
    load_matrices<false>(out, at);
}

static inline void ldmatrix_sync_aligned_m8n8_x4_trans_shared_b16(unsigned& a, unsigned& b, unsigned& c, unsigned& d, unsigned at) {
    unsigned* out[4] = {&a, &b, &c, &d};
    load_matrices<true>(out, at);
}

// A sum as tensor cores make it: digits a little below those of the largest term are cut off, and so are those of the sum that a float
// does not hold.
static inline float tensor_sum(const double* terms, int many) {
    double most = 0.0, sum = 0.0;
    for (int at = 0; at < many; ++at) {
        if (!isfinite(terms[at])) return (float)terms[at];
        most = fmax(most, fabs(terms[at]));
    }
    if (most == 0.0) return 0.f;
    double last = exp2(floor(log2(most)) - 24.0);
    for (int at = 0; at < many; ++at) sum += trunc(terms[at] / last) * last;
    float nearest = (float)sum;
    return fabs((double)nearest) > fabs(sum) ? nextafterf(nearest, 0.f) : nearest;
}

struct Fragments {
    unsigned a[4], b[2];
};

static inline float half_of(unsigned both, int at) { return of_half(at ? both >> 16 : both & 0xffff); }
static inline float tf32(unsigned bits) { return __uint_as_float(bits & 0xffffe000u); }

// Sums of 16×DEPTH times DEPTH×8 numbers, which are in the registers of a warp in the order that PTX says.
template <int DEPTH> static inline void multiply(float* (&sums)[4], const Fragments& own, bool adds) {
    static Fragments fragments[2][MOST_THREADS];
    const Fragments* of = fragments[now->turn % 2] + warp();
    fragments[now->turn++ % 2][now->index.x] = own;
    wait(AT_WARP);
    for (int at = 0; at < 4; ++at) {
        int row = lane() / 4, column = lane() % 4 * 2 + at % 2;
        double terms[DEPTH + 1];
        for (int k = 0; k < DEPTH; ++k) {
            int quarter = DEPTH == 16 ? k % 8 / 2 : k % 4, half = k / (DEPTH / 2);
            unsigned a = of[row * 4 + quarter].a[at / 2 + half * 2], b = of[column * 4 + quarter].b[half];
            terms[k] = DEPTH == 16 ? (double)half_of(a, k % 2) * half_of(b, k % 2) : (double)tf32(a) * tf32(b);
        }
        terms[DEPTH] = adds ? *sums[at] : 0.0;
        *sums[at] = tensor_sum(terms, DEPTH + 1);
    }
}

#define MULTIPLICATION(name, depth)                                                                                             \
    static inline void name(float& s, float& t, float& u, float& v, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, \
                            unsigned f) {                                                                                       \
        float* sums[4] = {&s, &t, &u, &v};                                                                                      \
        multiply<depth>(sums, {{a, b, c, d}, {e, f}}, true);                                                                    \
    }                                                                                                                           \
    static inline void name(float& s, float& t, float& u, float& v, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, \
                            unsigned f, float) {                                                                                \
        float* sums[4] = {&s, &t, &u, &v};                                                                                      \
        multiply<depth>(sums, {{a, b, c, d}, {e, f}}, false);                                                                   \
    }

MULTIPLICATION(mma_sync_aligned_m16n8k16_row_col_f32_f16_f16_f32, 16)
MULTIPLICATION(mma_sync_aligned_m16n8k8_row_col_f32_tf32_tf32_f32, 8)

} // namespace emulator

// What CUDA C has beside C++: words, types and functions that kernels use.
#pragma once
#include "block.h"

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// Blocks run one after the other.
#define __shared__ static
#define threadIdx (emulator::now->index)
#define blockIdx emulator::block_index
#define blockDim emulator::block_size
#define gridDim emulator::grid_size

struct __align__(16) uint4 {
    unsigned x, y, z, w;
};
struct __align__(8) float2 {
    float x, y;
};
struct __align__(16) float4 {
    float x, y, z, w;
};

static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

static inline void __syncthreads() { emulator::wait(emulator::AT_BLOCK); }

template <class T> static inline T __shfl_xor_sync(unsigned, T value, int apart) {
    return emulator::exchange(value, emulator::lane() ^ apart);
}

template <class T> static inline T __shfl_sync(unsigned, T value, int from) { return emulator::exchange(value, from % LANES); }

static inline unsigned __ballot_sync(unsigned, bool value) {
    unsigned votes = 0;
    for (int apart = 0; apart < LANES; ++apart)
        votes |= (unsigned)emulator::exchange(value, emulator::lane() ^ apart) << (emulator::lane() ^ apart);
    return votes;
}

static inline int __popc(unsigned value) { return __builtin_popcount(value); }

static inline float __uint_as_float(unsigned value) {
    float number;
    memcpy(&number, &value, 4);
    return number;
}

static inline unsigned __float_as_uint(float number) {
    unsigned value;
    memcpy(&value, &number, 4);
    return value;
}

static inline unsigned atomicMax(unsigned* at, unsigned value) {
    unsigned before = *at;
    *at = value > before ? value : before;
    return before;
}

static inline size_t __cvta_generic_to_shared(const void* at) { return (size_t)at; }

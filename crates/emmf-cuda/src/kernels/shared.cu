// What does not depend on the number of centroids.

// The sample weight of each, times its factor, in the column of its cluster; rows are `ld` apart.
extern "C" __global__ void members(const int* labels, const double* s, const real* factor, real* out, count n, int ld) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x, i = at / ld;
    if (i >= n) return;
    real weight = (real)s[i] * factor[i];
    out[at] = labels[i] == at % ld ? weight : (real)0;
}

// The nearest of `many` points with these squared lengths, given P = X·points, whose rows are `ld` apart. A warp for each row.
extern "C" __global__ void nearest(const real* p, const real* factor, const double* norms_sq, const double* lengths_sq, count n,
                                   int many, int ld, int* labels, double* distances) {
    count i = (blockIdx.x * (count)blockDim.x + threadIdx.x) / WARP;
    if (i >= n) return;
    double least = 1.0 / 0.0;
    int at = many;
    for (int k = threadIdx.x % WARP; k < many; k += WARP) {
        real product = p[i * ld + k] * factor[i];
        double to = fmax(norms_sq[i] + lengths_sq[k] - 2.0 * (double)product, 0.0);
        if (to < least) {
            least = to;
            at = k;
        }
    }
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        double other = __shfl_xor_sync(ALL, least, apart);
        int place = __shfl_xor_sync(ALL, at, apart);
        if (other < least || (other == least && place < at)) {
            least = other;
            at = place;
        }
    }
    if (threadIdx.x % WARP == 0) {
        labels[i] = at < many ? at : 0;
        distances[i] = least;
    }
}

// Sums over the pieces of parts: those of a part in their order, then a tree over at most 16 parts.
__device__ __forceinline__ double tree_of_parts(const real* pieces, count apart, int per_part, int parts) {
    double sums[16];
    for (int part = 0; part < parts; ++part) {
        double sum = 0.0;
        for (int piece = 0; piece < per_part; ++piece) sum += (double)pieces[(part * per_part + piece) * apart];
        // What leaves a part is in the type of the data, as between shards.
        sums[part] = (double)(real)sum;
    }
    for (int left = parts; left > 1; left = (left + 1) / 2) {
        for (int at = 0; at < left / 2; ++at) sums[at] = (double)(real)(sums[2 * at] + sums[2 * at + 1]);
        if (left % 2) sums[left / 2] = sums[left - 1];
    }
    return sums[0];
}

// Sums of rows×columns of pieces whose rows are `ld` apart and which are `apart` from each other.
extern "C" __global__ void add_up(const real* pieces, count rows, int columns, int ld, count apart, int per_part, int parts, real* out) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at >= rows * columns) return;
    out[at] = (real)tree_of_parts(pieces + at / columns * ld + at % columns, apart, per_part, parts);
}

// Entries of n rows from `first` on, in double precision.
extern "C" __global__ void widen(const stored* x, count ldx, count first, count n, double* out) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at < n * ldx) out[at] = (double)entry_at(x, ldx, first + at / ldx, at % ldx);
}

// The same in the type of V.
extern "C" __global__ void as_reals(const stored* x, count ldx, count first, count n, real* out) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at < n * ldx) out[at] = entry_at(x, ldx, first + at / ldx, at % ldx);
}

#ifdef HALVES
// The power of two that brings a maximum to between 2^14 and 2^15.
__device__ __forceinline__ float raise(float most) {
    if (!(most > 0.f)) return 1.f;
    int exponent = 14 - ((int)(__float_as_uint(most) >> 23) - 127);
    exponent = exponent > 100 ? 100 : exponent < -100 ? -100 : exponent;
    return __uint_as_float((unsigned)(exponent + 127) << 23);
}

// n rows of d numbers, raised, as they are kept from row `first` on; their factors take that back. Columns from d on are zero. A warp for
// each row.
extern "C" __global__ void into_halves(const float* x, count first, count n, int d, bits* out, count ldx, float* factor) {
    count i = (blockIdx.x * (count)blockDim.x + threadIdx.x) / WARP;
    if (i >= n) return;
    int lane = threadIdx.x % WARP;
    float most = 0.f;
    for (int j = lane; j < d; j += WARP) most = fmaxf(most, x[i * d + j]);
    for (int apart = WARP / 2; apart > 0; apart /= 2) most = fmaxf(most, __shfl_xor_sync(ALL, most, apart));
    float up = raise(most);
    for (int j = lane; j < ldx; j += WARP) {
        float value = j < d ? x[i * d + j] * up : 0.f;
        bits whole, rest;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(whole) : "f"(value));
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rest) : "f"(value - half_value(whole)));
        bits* at = out + half_place(first + i, j, ldx);
        at[0] = whole;
#ifndef EXACT
        at[BESIDES] = rest;
#endif
    }
    if (lane == 0) factor[first + i] *= 1.f / up;
}
#endif

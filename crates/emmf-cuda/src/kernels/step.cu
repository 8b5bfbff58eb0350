// The V step and the residuals of samples, given P = X·U. `factor` is what each sample is multiplied by.

__device__ __forceinline__ real scaled(const real* p, const real* factor, count i, count at) {
    return p[at] * factor[i];
}

// V ∘ (P / VG)^exponent. A zero sample has no use for any centroid.
extern "C" __global__ void multiply(real* v, const real* p, const real* vg, const real* factor,
                                    const double* norms_sq, count n, real exponent) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x, i = at / LD;
    if (i >= n) return;
    real moved = times(v[at], power(ratio(scaled(p, factor, i, at), vg[at]), exponent));
    v[at] = norms_sq[i] == 0.0 ? (real)0 : moved;
}

// Exact minimisation in one coordinate after the other, a thread for each row.
extern "C" __global__ void descend(real* v, const real* p, const real* g, const real* factor,
                                   const double* norms_sq, count n, int sweeps) {
    extern __shared__ __align__(16) unsigned char lent[];
    real* a = (real*)lent;
    real* target = a + (count)C * blockDim.x;
    count first = blockIdx.x * (count)blockDim.x, rows = n - first < blockDim.x ? n - first : blockDim.x;
    for (count at = threadIdx.x; at < rows * LD; at += blockDim.x) {
        count row = at / LD, k = at % LD;
        if (k < C) {
            a[k * blockDim.x + row] = v[first * LD + at];
            target[k * blockDim.x + row] = scaled(p, factor, first + row, first * LD + at);
        }
    }
    __syncthreads();
    if (threadIdx.x < rows) {
        bool empty = norms_sq[first + threadIdx.x] == 0.0;
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            for (int k = 0; k < C; ++k) {
                real curvature = g[k * C + k];
                // The inverse of a smaller one is infinite.
                if (!(curvature >= (real)TINY)) continue;
                real goal = target[k * blockDim.x + threadIdx.x], slope = goal;
#pragma unroll 8
                for (int l = 0; l < C; ++l) slope -= a[l * blockDim.x + threadIdx.x] * g[k * C + l];
                real moved = a[k * blockDim.x + threadIdx.x] + slope * ((real)1 / curvature);
                // What the terms of the slope leave behind by rounding is nothing.
                real noise = (real)NOISE * (goal + goal - slope);
                a[k * blockDim.x + threadIdx.x] = moved * curvature <= noise ? (real)0 : moved;
            }
        }
        if (empty)
            for (int k = 0; k < C; ++k) a[k * blockDim.x + threadIdx.x] = (real)0;
    }
    __syncthreads();
    for (count at = threadIdx.x; at < rows * LD; at += blockDim.x)
        if (at % LD < C) v[first * LD + at] = a[at % LD * blockDim.x + at / LD];
}

// ‖x‖² − 2v·p + v·(Gv) of a sample, and -1 where cancellation has eaten its digits. NaN stays NaN.
__device__ __forceinline__ double gram_form(double norm_sq, double cross, double fitted, double smoothing) {
    double sum = norm_sq - 2.0 * cross + fitted;
    return sum < CANCELLATION * fmax(norm_sq, fitted) ? -1.0 : sqrt(sum + smoothing);
}

// A warp for each row.
extern "C" __global__ void residuals(const real* v, const real* p, const real* vg, const real* factor,
                                     const double* norms_sq, double* r, count n, double smoothing) {
    count i = (blockIdx.x * (count)blockDim.x + threadIdx.x) / WARP;
    if (i >= n) return;
    double cross = 0.0, fitted = 0.0;
    for (int k = threadIdx.x % WARP; k < C; k += WARP) {
        count at = i * LD + k;
        cross += (double)v[at] * (double)scaled(p, factor, i, at);
        fitted += (double)v[at] * (double)vg[at];
    }
    cross = warp_sum(cross);
    fitted = warp_sum(fitted);
    if (threadIdx.x % WARP == 0) r[i] = gram_form(norms_sq[i], cross, fitted, smoothing);
}

// Rows that a warp measures by the definition at a time.
#define TOGETHER 8

// Residuals by their definition, of the rows whose r is negative; `ut` is Uᵀ, c×d. A block of 256 threads for 64 rows.
extern "C" __global__ void by_definition(const stored* x, count ldx, const real* ut, const real* v,
                                         const real* factor, double* r, count n, int d, double smoothing) {
    __shared__ int rows[64];
    __shared__ unsigned marked[2];
    count first = blockIdx.x * (count)64, own = first + threadIdx.x;
    bool is_marked = threadIdx.x < 64 && own < n && r[own] < 0.0;
    unsigned mask = __ballot_sync(ALL, is_marked);
    if (threadIdx.x < 64 && threadIdx.x % WARP == 0) marked[threadIdx.x / WARP] = mask;
    __syncthreads();
    if (is_marked) {
        int before = __popc(mask & ((1u << threadIdx.x % WARP) - 1)) + (threadIdx.x < WARP ? 0 : __popc(marked[0]));
        rows[before] = threadIdx.x;
    }
    __syncthreads();
    int found = __popc(marked[0]) + __popc(marked[1]);
    int lane = threadIdx.x % WARP, from = threadIdx.x / WARP * TOGETHER;
    if (from >= found) return;
    double sums[TOGETHER];
    const real* coefficients[TOGETHER];
    count samples[TOGETHER];
#pragma unroll
    for (int t = 0; t < TOGETHER; ++t) {
        count i = first + rows[from + t < found ? from + t : from];
        sums[t] = 0.0;
        coefficients[t] = v + i * LD;
        samples[t] = i;
    }
    for (int j = lane; j < d; j += WARP) {
        double fitted[TOGETHER] = {};
        for (int k = 0; k < C; ++k) {
            double u = ut[(count)k * d + j];
#pragma unroll
            for (int t = 0; t < TOGETHER; ++t) fitted[t] += u * (double)coefficients[t][k];
        }
#pragma unroll
        for (int t = 0; t < TOGETHER; ++t) {
            double miss = (double)factor[samples[t]] * (double)entry_at(x, ldx, samples[t], j) - fitted[t];
            sums[t] += miss * miss;
        }
    }
#pragma unroll
    for (int t = 0; t < TOGETHER; ++t) {
        double sum = warp_sum(sums[t]);
        if (lane == 0 && from + t < found) r[first + rows[from + t]] = sqrt(sum + smoothing);
    }
}

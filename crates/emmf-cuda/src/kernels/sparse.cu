// Products with sparse X. A sum has two levels, a warp's entries and all: single precision keeps its digits over many of them.

// The warp's share of Σ value·b[index·ldb + k] over a list of entries: every `apart`-th group of WARP of them. Threads that have no column take
// part in what the warp does together.
template <class N>
__device__ __forceinline__ N sum_of_list(const int* indices, const real* values, count begin, count end, count apart, const N* b, int ldb,
                                         int k, bool there) {
    int lane = threadIdx.x % WARP;
    N sum = 0;
    for (count first = begin; first < end; first += apart) {
        int many = (int)(end - first < WARP ? end - first : WARP);
        int index = lane < many ? indices[first + lane] : 0;
        real value = lane < many ? values[first + lane] : (real)0;
        N group = 0;
#pragma unroll 8
        for (int e = 0; e < many; ++e) {
            int at = __shfl_sync(ALL, index, e);
            real by = __shfl_sync(ALL, value, e);
            if (there) group += (N)by * b[(count)at * ldb + k];
        }
        sum += group;
    }
    return sum;
}

// Rows of X·B, B having `wide` columns. A warp for each sample.
template <class N>
__device__ __forceinline__ void project_rows(const stored* x, count first, count n, const N* b, int wide, N* out, int ldo) {
    count row = (blockIdx.x * (count)blockDim.x + threadIdx.x) / WARP;
    if (row >= n) return;
    count begin = x->starts[first + row], end = x->starts[first + row + 1];
    for (int base = 0; base < wide; base += WARP) {
        int k = base + threadIdx.x % WARP;
        N sum = sum_of_list<N>(x->columns, x->values, begin, end, WARP, b, wide, k, k < wide);
        if (k < wide) out[row * ldo + k] = sum;
    }
}

extern "C" __global__ void project_sparse(const stored* x, count first, count n, const real* b, int wide, real* out, int ldo) {
    project_rows<real>(x, first, n, b, wide, out, ldo);
}

extern "C" __global__ void project_sparse_exactly(const stored* x, count first, count n, const double* b, int wide, double* out, int ldo) {
    project_rows<double>(x, first, n, b, wide, out, ldo);
}

// Entries of a feature in a part from which on a whole block adds them up.
#define LONG 4096

// XᵀW of every part, rows of W being `ld` apart: a warp for each feature of each part, whose entries are a list; long ones are left out.
extern "C" __global__ void pull_sparse(const count* starts, const int* samples, const real* values, count lists, count features, count part,
                                       const real* w, int ld, real* out) {
    count list = (blockIdx.x * (count)blockDim.x + threadIdx.x) / WARP;
    if (list >= lists) return;
    count begin = starts[list], end = starts[list + 1];
    if (end - begin >= LONG) return;
    const real* from = w + list / features * part * ld;
    for (int base = 0; base < ld; base += WARP) {
        int k = base + threadIdx.x % WARP;
        real sum = sum_of_list<real>(samples, values, begin, end, WARP, from, ld, k, k < ld);
        if (k < ld) out[list * ld + k] = sum;
    }
}

// The same of the long ones, whose numbers are listed. A block of 1024 threads for each.
extern "C" __global__ void pull_long(const count* starts, const int* samples, const real* values, const count* listed, count features,
                                     count part, const real* w, int ld, real* out) {
    __shared__ real sums[WARP][WARP];
    count list = listed[blockIdx.x];
    int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    count begin = starts[list] + warp * WARP, end = starts[list + 1];
    const real* from = w + list / features * part * ld;
    for (int base = 0; base < ld; base += WARP) {
        int k = base + lane;
        sums[warp][lane] = sum_of_list<real>(samples, values, begin, end, WARP * WARP, from, ld, k, k < ld);
        __syncthreads();
        if (warp == 0 && k < ld) {
            real sum = 0;
            for (int other = 0; other < WARP; ++other) sum += sums[other][lane];
            out[list * ld + k] = sum;
        }
        __syncthreads();
    }
}

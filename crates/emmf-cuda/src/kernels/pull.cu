// XᵀQV on tensor cores.

// The largest of w·V in every column, as bits, which are in the order of the numbers; `most` is zero before.
extern "C" __global__ void largest_of_columns(const float* v, const float* w, count n, unsigned* most) {
    __shared__ unsigned found[LD];
    for (int k = threadIdx.x; k < LD; k += blockDim.x) found[k] = 0;
    __syncthreads();
    // A thread keeps to four columns.
    int each = blockDim.x / (LD / 4), k = threadIdx.x % (LD / 4) * 4;
    float4 largest = make_float4(0.f, 0.f, 0.f, 0.f);
    if (threadIdx.x < each * (LD / 4))
        for (count i = blockIdx.x * (count)each + threadIdx.x / (LD / 4); i < n; i += gridDim.x * (count)each) {
            float4 value = *(const float4*)(v + i * LD + k);
            float weight = w[i];
            largest.x = fmaxf(largest.x, weight * value.x);
            largest.y = fmaxf(largest.y, weight * value.y);
            largest.z = fmaxf(largest.z, weight * value.z);
            largest.w = fmaxf(largest.w, weight * value.w);
        }
    atomicMax(found + k, __float_as_uint(largest.x));
    atomicMax(found + k + 1, __float_as_uint(largest.y));
    atomicMax(found + k + 2, __float_as_uint(largest.z));
    atomicMax(found + k + 3, __float_as_uint(largest.w));
    __syncthreads();
    for (int at = threadIdx.x; at < LD; at += blockDim.x) atomicMax(most + at, found[at]);
}

// diag(w)·V, raised, in the order in which threads need it: sixteen samples of a part at a time, zeros where it ends.
extern "C" __global__ void pack_weighted(const float* v, const float* w, const unsigned* most, count n, count part, uint4* out, count many) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at >= many) return;
    count groups = (part + STEP - 1) / STEP * (STEP / 16), group = at / WARP / TILES;
    int lane = at % WARP, column = at / WARP % TILES * 8 + lane / 4;
    count begin = group / groups * part, end = begin + part < n ? begin + part : n;
    count first = begin + group % groups * 16 + lane % 4 * 2;
    float by = raise(__uint_as_float(most[column])), x[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
        count i = first + e % 2 + e / 2 * 8;
        x[e] = i < end ? w[i] * v[i * LD + column] * by : 0.f;
    }
    uint4 b;
    halve(x[0], x[1], b.x, b.z);
    halve(x[2], x[3], b.y, b.w);
    out[at] = b;
}

// XᵀQV of every piece, ROWS features in a block. Pieces are whole steps, but for the end of a part.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    pull_tiles(const bits* x, count ldx, const uint4* packed, const unsigned* most, count n, count part,
               count piece, float* out) {
    extern __shared__ __align__(16) unsigned char room[];
    count begin, end, column = blockIdx.x * (count)ROWS;
    piece_rows(n, part, piece, blockIdx.y, &begin, &end);
    Entries from = {x, ldx};
    count of = begin / part, steps_of_part = (part + STEP - 1) / STEP;
    packed += (of * steps_of_part + (begin - of * part) / STEP) * (PACKED_BYTES / 16);
    float sums[HALF][2][4];
    multiply_steps<true>(sums, end > begin ? (int)((end - begin + STEP - 1) / STEP) : 0, room, [&](int at, unsigned char* stage) {
        fetch_left<true>(from, begin + (count)at * STEP, n, column, stage);
        fetch_packed(packed + (count)at * (PACKED_BYTES / 16), stage);
    });
    out += blockIdx.y * ldx * LD;
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int k = 0; k < HALF; ++k) {
        int at = (half() * HALF + k) * 8 + 2 * t;
        float2 up = make_float2(raise(__uint_as_float(most[at])), raise(__uint_as_float(most[at + 1])));
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            count j = column + group() * 32 + e / 2 * 16 + g + 8 * (e % 2);
            if (j < ldx)
                *(float2*)(out + j * LD + at) = make_float2(sums[k][e / 2][e % 2 * 2] / up.x, sums[k][e / 2][e % 2 * 2 + 1] / up.y);
        }
    }
}

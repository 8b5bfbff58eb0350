// Everything else with a row per sample.

// n, Σ sr, Σ sr² of a chunk, and how many residuals are marked as to be measured by their definition.
extern "C" __global__ void stats(const double* r, const double* s, count n, count part, double* out) {
    count begin, end;
    chunk_rows(n, part, &begin, &end);
    double weight = 0.0, sum = 0.0, square = 0.0, marked = 0.0;
    for (count i = begin + threadIdx.x; i < end; i += blockDim.x) {
        weight += s[i];
        sum += s[i] * r[i];
        square += s[i] * r[i] * r[i];
        marked += r[i] < 0.0;
    }
    weight = block_sum(weight);
    sum = block_sum(sum);
    square = block_sum(square);
    marked = block_sum(marked);
    if (threadIdx.x == 0) {
        out[blockIdx.x * 4] = weight;
        out[blockIdx.x * 4 + 1] = sum;
        out[blockIdx.x * 4 + 2] = square;
        out[blockIdx.x * 4 + 3] = marked;
    }
}

// The sample's share of the objective and its weight, for a sample weight of 1: see the losses of the library.
__device__ __forceinline__ void loss_at(int loss, double scale, double r, double* share, double* weight) {
    switch (loss) {
    case LOSS_ENTROPY: {
        double part = scale / r, log_part = isinf(part) ? part : log(part);
        *share = r * log_part;
        *weight = log_part / r;
        break;
    }
    case LOSS_FROBENIUS:
        *share = r * r;
        *weight = 2.0;
        break;
    case LOSS_L21:
        *share = r;
        *weight = 1.0 / r;
        break;
    case LOSS_LOG:
        *share = scale * log1p(r / scale);
        *weight = 1.0 / (r * (1.0 + r / scale));
        break;
    case LOSS_CAPPED:
        *share = r > scale ? scale : r;
        *weight = r > scale ? 0.0 : 1.0 / r;
        break;
    default: {
        double square = r * r / scale;
        *share = -expm1(-square);
        *weight = 2.0 / scale * exp(-square);
    }
    }
}

// diag(Q), the objective and the largest weight of a chunk.
extern "C" __global__ void weigh(const double* r, const double* s, count n, count part, int loss, double scale,
                                 double* weights, double* out) {
    count begin, end;
    chunk_rows(n, part, &begin, &end);
    double objective = 0.0, largest = 0.0;
    for (count i = begin + threadIdx.x; i < end; i += blockDim.x) {
        double share, weight;
        loss_at(loss, scale, r[i], &share, &weight);
        weight *= s[i];
        objective += s[i] * share;
        largest = weight > largest ? weight : largest;
        weights[i] = weight;
    }
    objective = block_sum(objective);
    largest = block_max(largest);
    if (threadIdx.x == 0) {
        out[blockIdx.x * 2] = objective;
        out[blockIdx.x * 2 + 1] = largest;
    }
}

// q = scale·weight in the type of V.
extern "C" __global__ void rescale(const double* weights, double scale, real* q, count n) {
    count i = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (i < n) q[i] = (real)(scale * weights[i]);
}

// q times the factor of each sample.
extern "C" __global__ void with_factor(const real* q, const real* factor, real* out, count n) {
    count i = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (i < n) out[i] = q[i] * factor[i];
}

// diag(q)·V.
extern "C" __global__ void weighted(const real* v, const real* q, real* out, count n) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at < n * LD) out[at] = q[at / LD] * v[at];
}

// V goes on by a share of its movement since `ahead`, which becomes that.
extern "C" __global__ void go_on(const real* v, real* ahead, real share, count n) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (at >= n * LD) return;
    real next = v[at] + share * (v[at] - ahead[at]);
    ahead[at] = next < (real)TINY ? (real)0 : next;
}

// ‖V − V'‖² and ‖V‖² of a chunk; V' becomes V.
extern "C" __global__ void movement(const real* v, real* before, count n, count part, double* out) {
    count begin, end;
    chunk_rows(n, part, &begin, &end);
    double moved = 0.0, length = 0.0;
    for (count at = begin * LD + threadIdx.x; at < end * LD; at += blockDim.x) {
        double by = (double)v[at] - (double)before[at];
        moved += by * by;
        length += (double)v[at] * (double)v[at];
        before[at] = v[at];
    }
    moved = block_sum(moved);
    length = block_sum(length);
    if (threadIdx.x == 0) {
        out[blockIdx.x * 2] = moved;
        out[blockIdx.x * 2 + 1] = length;
    }
}

// The largest coefficient of each sample times the length of its centroid, the first of equal ones.
extern "C" __global__ void largest(const real* v, const double* lengths, int* labels, count n) {
    count i = blockIdx.x * (count)blockDim.x + threadIdx.x;
    if (i >= n) return;
    int best = 0;
    double most = (double)v[i * LD] * lengths[0];
    for (int k = 1; k < C; ++k) {
        double value = (double)v[i * LD + k] * lengths[k];
        if (value > most) {
            best = k;
            most = value;
        }
    }
    labels[i] = best;
}

// V of samples in these clusters.
extern "C" __global__ void membership(const int* labels, real* v, count n) {
    count at = blockIdx.x * (count)blockDim.x + threadIdx.x, i = at / LD;
    if (i >= n) return;
    int k = at % LD;
    v[at] = k >= C ? (real)0 : labels[i] == k ? (real)1.2 : (real)0.2;
}

"""torch on the CPU with MKL: the two products, and a multiplicative update by hand."""

import torch
from problem import load
from serve import repeated, serve


def tensors(threads, problem):
    torch.set_num_threads(threads)
    x, u, v = load(**problem)
    u, v = torch.from_numpy(u), torch.from_numpy(v)
    if not hasattr(x, "tocsr"):
        x = torch.from_numpy(x)
        return x, x.T, u, v
    # MKL multiplies by rows, so the transpose is kept as well.
    return csr(x), csr(x.T.tocsr()), u, v


def csr(x):
    parts = [torch.from_numpy(part) for part in (x.indptr, x.indices, x.data)]
    return torch.sparse_csr_tensor(*parts, size=x.shape)


def products(iterations=10, threads=2, **problem):
    x, t, u, v = tensors(threads, problem)

    def both():
        x @ u
        t @ v

    return lambda: {"ms": repeated(both, iterations)}


def update(iterations=10, threads=2, **problem):
    x, t, u0, v0 = tensors(threads, problem)
    tiny = torch.finfo(u0.dtype).eps

    def answer():
        u, v = u0.clone(), v0.clone()

        def step():
            u.mul_((t @ v).div_((u @ (v.T @ v)).add_(tiny)))
            v.mul_((x @ u).div_((v @ (u.T @ u)).add_(tiny)))

        return {"ms": repeated(step, iterations)}

    return answer


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    serve({"products": products, "update": update})

"""What is measured. Every section has TITLE, measure(env, options) and render(found) → (text, [(target, met)])."""

from sections import growth, iteration, kmeans, memory, peers, small, solution, sparse, streaming, transform

ALL = {
    "iteration": iteration,
    "small": small,
    "peers": peers,
    "solution": solution,
    "sparse": sparse,
    "memory": memory,
    "kmeans": kmeans,
    "transform": transform,
    "growth": growth,
    "streaming": streaming,
}

"""Downpour SGD: devices train alone, push what they have moved, and fetch weights now and then.

Dean et al., "Large scale distributed deep networks", NeurIPS 2012, section 4.1.
Worker k has weights w_k and what it has not pushed yet, a_k; the server has w:

    s_k = lr g_k(w_k);  w_k = w_k - s_k;  a_k = a_k + s_k
    w = w - a_k;  a_k = 0      after every `push` iterations of k
    w_k = w                    after every `fetch` iterations of k

The updates of all workers add up, so N of them move w as N times the rate does in S-SGD. The paper
has one rate per weight (AdaGrad), kept by the server; here s_k is the step of torch's SGD, with a
momentum of each worker. An epoch ends, for its evaluation, with a push and a fetch.
"""

from baselines.served_training import ServedTraining, spread
from bench import runner


class Downpour(ServedTraining):
    """One worker."""

    def meet(self) -> None:
        """Push and fetch, each in its period."""
        method = self.spec.method
        push, fetch = (self.iterations % method[period] == 0 for period in ("push", "fetch"))
        if push or fetch:
            self.exchange(push, clock=0 if fetch else None)


if __name__ == "__main__":
    runner.main(Downpour, spread)

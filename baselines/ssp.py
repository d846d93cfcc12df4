"""Stale-synchronous parallel SGD: nobody is more than so many iterations ahead of the slowest.

Ho et al., "More effective distributed ML via a stale synchronous parallel parameter server",
NeurIPS 2013, section 2. Worker k pushes in every iteration, which is its clock c_k; s is `slack`:

    w = w - lr g_k(w_k);  w_k = w_k - lr g_k(w_k);  c_k = c_k + 1
    w_k = w, once every worker's clock is c_k - s, where w_k is older than that

so that w_k has all updates of the first c_k - s iterations, those of its own, and of others what
was there when it fetched. With a slack of 0 all wait for each other, and take the step of S-SGD at
N times the rate: updates of N workers add up. Here a step is torch's SGD, with a momentum of each
worker. An epoch ends with all updates.
"""

from baselines.served_training import ServedTraining, spread
from bench import runner


class StaleSynchronous(ServedTraining):
    """One worker. `seen` is the slowest worker's clock, as of the last fetch."""

    def begin(self, epoch: int) -> list[float]:
        """Clocks begin anew, as the server does."""
        self.clock = self.seen = 0
        return super().begin(epoch)

    def meet(self) -> None:
        """Push, and fetch where the weights here would be too old for the next iteration."""
        self.clock += 1
        needed = self.clock - self.spec.method["slack"]
        if self.seen < needed:
            self.seen = self.exchange(push=True, clock=needed)
        else:
            self.exchange(push=True, clock=None)


if __name__ == "__main__":
    runner.main(StaleSynchronous, spread)

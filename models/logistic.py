"""Multinomial logistic regression: one linear layer over the pixels."""

from models._layers import Dense, Flatten
from models._network import Network

NETWORKS = [
    Network(
        "logistic",
        lambda shape, classes: [Flatten(), Dense(classes)],
        sizes=(((28, 28, 1), 10),),
    )
]

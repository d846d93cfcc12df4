"""Multinomial logistic regression: one linear layer over the pixels."""


def torch_model(shape: tuple[int, int, int], classes: int):
    """The network as a torch module on NCHW images."""
    from torch import nn

    height, width, channels = shape
    return nn.Sequential(nn.Flatten(), nn.Linear(height * width * channels, classes))


def keras_model(shape: tuple[int, int, int], classes: int):
    """The network as a Keras model on NHWC images."""
    from keras import Sequential, layers

    # torch flattens channels first
    flatten = [layers.Input(shape), layers.Permute((3, 1, 2)), layers.Flatten()]
    return Sequential([*flatten, layers.Dense(classes)])

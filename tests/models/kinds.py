"""One network of each kind, and images that it can take: (height, width, channels)."""

KINDS = {
    "logistic": (8, 8, 1),
    "mlp": (8, 8, 1),
    "lenet": (8, 8, 1),
    "convnet": (32, 32, 3),
    "alexnet": (63, 63, 3),
    "vgg11": (32, 32, 3),
    "vgg_a": (32, 32, 3),
    "resnet20": (8, 8, 1),
    "resnet20_v2": (8, 8, 1),
    "resnet18": (32, 32, 3),
    "resnet50_v2": (32, 32, 3),
    "googlenet": (32, 32, 3),
    "googlenet_bn": (32, 32, 3),
    "inception_v3": (75, 75, 3),
    "overfeat": (71, 71, 3),
}

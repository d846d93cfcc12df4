"""torchvision, which the pipelines here are compared with."""

import torch


def transforms():
    """Its transforms, also beside a torch that its compiled operators were not built for."""
    try:
        import torchvision
    except RuntimeError:  # operator torchvision::nms does not exist: only its declaration is missed
        library = torch.library.Library("torchvision", "DEF")
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        _KEPT.append(library)
        import torchvision
    return torchvision.transforms


_KEPT = []  # a library's declarations go with it

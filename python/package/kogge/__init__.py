"""Arrays of chess positions in, answers out, on any device."""

import os as _os
import sys as _sys
from enum import IntEnum as _IntEnum

from ._kogge import (
    START,
    Device,
    DeviceError,
    MoveError,
    PositionError,
    Positions,
    Rules,
    __version__,
    devices,
    pack_bulletformat,
    pack_marlinformat,
    perft,
    unpack_bulletformat,
    unpack_marlinformat,
)

__all__ = [
    "START",
    "Device",
    "DeviceError",
    "MoveError",
    "PositionError",
    "Positions",
    "Rules",
    "Status",
    "__version__",
    "devices",
    "pack_bulletformat",
    "pack_marlinformat",
    "perft",
    "playouts",
    "unpack_bulletformat",
    "unpack_marlinformat",
]


# Without a display server, a layer of Mesa prints an error whenever Vulkan devices are listed.
if _sys.platform == "linux" and not {"XDG_RUNTIME_DIR", "MESA_VK_DEVICE_SELECT"} & _os.environ.keys():
    _os.environ.setdefault("NODEVICE_SELECT", "1")


class Status(_IntEnum):
    """The numbers that `Positions.status` returns."""

    ONGOING = 0
    CHECKMATE = 1
    STALEMATE = 2
    INSUFFICIENT_MATERIAL = 3
    FIFTY_MOVES = 4


def playouts(n: int, plies: int, seed: int = 0) -> Positions:
    """Play `n` random games of `plies` plies from the start position."""
    return Positions.start(n).playouts(plies, seed)

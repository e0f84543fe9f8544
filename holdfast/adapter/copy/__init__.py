"""COPY: the formats in which rows come and go, each way."""

from holdfast.adapter.copy.decode import Decoder, decoded, decoder
from holdfast.adapter.copy.encode import encoded
from holdfast.adapter.copy.options import CopyOptions, copy_options

__all__ = ["CopyOptions", "Decoder", "copy_options", "decoded", "decoder", "encoded"]

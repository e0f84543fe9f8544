"""Views maintained: `Compute.maintain_view` keeps one up to date for as long as someone may read it."""

from holdfast.compute.maintain.collection import Collection, Collections, Ending, Erring, Progress, Reader
from holdfast.compute.maintain.compute import Compute
from holdfast.compute.maintain.followed import Followed
from holdfast.compute.maintain.outside import ErrorCodes, Runtime, Timeline
from holdfast.compute.maintain.read_capability import Holders, ReadCapability
from holdfast.compute.maintain.status import DataflowStatus
from holdfast.compute.maintain.steps import ArrangementEntry, StageEntry, StepEntry
from holdfast.compute.maintain.stored import StoredView
from holdfast.compute.maintain.surroundings import Counts
from holdfast.compute.maintain.view import Schedule, ViewDescription
from holdfast.compute.maintain.write_capability import WriteCapability

__all__ = [
    "ArrangementEntry",
    "Collection",
    "Collections",
    "Compute",
    "Counts",
    "DataflowStatus",
    "Ending",
    "Erring",
    "ErrorCodes",
    "Followed",
    "Holders",
    "Progress",
    "ReadCapability",
    "Reader",
    "Runtime",
    "Schedule",
    "StageEntry",
    "StepEntry",
    "StoredView",
    "Timeline",
    "ViewDescription",
    "WriteCapability",
]

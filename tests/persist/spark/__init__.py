"""Persist on Spark. Each example is a job of a second or so: failing ones are shown as found, not shrunk."""

from hypothesis import Phase

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)

"""The pipeline: stages that fill planned chunks, one file each."""

from __future__ import annotations

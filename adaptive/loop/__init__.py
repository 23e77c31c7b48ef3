"""The adaptive loop: what was seen of a running pipeline becomes its next variant."""

"""The numbers that the adaptive loop goes by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """When the loop looks, how it judges, and how long it waits after it was wrong.

    Waiting is counted in units: `base_rows`, or `base_morsels` of the size that morsels
    have on average, where that is more. A trial takes a number of morsels, not of rows,
    so with a wait in rows alone large morsels would be mostly trials.
    """

    # The first profile: after so many rows, or after so many morsels.
    first_profile_rows: int = 2_000_000
    first_profile_morsels: int = 8

    base_rows: int = 4_000_000
    base_morsels: int = 64
    max_doublings: int = 10  # of any wait
    clear_rise: float = 1.25  # of the time of a row, to be taken for a change of the data
    idle_units: int = 8  # to the next profile where nothing was won and nothing changes
    again_units: int = 2  # to the next profile while a bet runs: not every change is felt
    profile_units: int = 1  # until a profile that does not come is given up
    settled_units: int = 1  # a bet that holds for so long has not failed when it ends
    max_strikes: int = 6  # failures after which a bet is made no more
    other_groups: float = 4.0  # times as many, or as few: a bet that was too slow is tried again

    # A trial: the variants take turns, each with the first morsel of a thread left out.
    min_gain: float = 0.04  # of the time of a row, for a variant to be worth a swap
    min_samples: int = 4  # of each variant before one is dropped
    max_samples: int = 12  # of each variant, then the medians decide
    clear_sigmas: float = 3.0  # standard errors by which a variant must be ahead to win early
    doubtful_sigmas: float = 2.0  # the same for it to leave, where it is behind
    least_noise: float = 0.02  # of a median, however alike few samples are
    hopeless: float = 1.5  # times generic's time: two morsels are enough, and it counts twice
    outclassed: float = 1.3  # times the slowest morsel of another: two of each are enough
    # Afterwards: the winner must be as fast as in the trial it won, or nearly.
    proof_morsels: int = 16
    proof_at_least: int = 4  # morsels after which one that is far too slow is dropped
    far_too_slow: float = 1.1  # times generic's time in the trial

    # Guards: how much of what ran lately may leave a variant before it is dropped.
    exit_share: float = 0.05  # of the morsels, or of the rows
    exit_morsels: int = 2  # fewer do not suffice
    flood_exits: int = 8  # but in a morsel of which generic did most, so many do
    exit_window: int = 32  # morsels that count in full; what came before counts half, and so on

    # A variant that was watched for so many reports is told of in larger ones. By then every
    # signal has its baseline (`learn` of `profiler.drift`).
    calm_reports: int = 40

    remembered: int = 64  # variants that are known to be compiled

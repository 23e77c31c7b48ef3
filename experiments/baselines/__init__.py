"""Programs to compare with that are not Kodiak."""

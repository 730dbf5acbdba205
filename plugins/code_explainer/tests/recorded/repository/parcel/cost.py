"""What a parcel costs."""

from parcel.zones import Zone

BASE = 400
PER_KILO = 120
HEAVIEST = 25.0


def cost(weight: float, zone: Zone) -> int:
    """Yen, rounded up to ten."""
    if not 0 < weight <= HEAVIEST:
        raise ValueError(f"a parcel weighs more than 0 and at most {HEAVIEST} kg")
    exact = (BASE + PER_KILO * weight) * zone.factor
    return -int(-exact // 10) * 10

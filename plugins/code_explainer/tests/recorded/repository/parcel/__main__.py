"""The command line."""

import sys

from parcel.cost import cost
from parcel.zones import zone_of


def main() -> int:
    try:
        weight, city = float(sys.argv[1]), sys.argv[2]
        print(cost(weight, zone_of(city)))
    except (IndexError, ValueError) as err:
        print(f"parcel: {err}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

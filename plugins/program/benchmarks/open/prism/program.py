"""Which processor each model is placed on."""

MEMORY = 80

# EVOLVE-BLOCK-START
RATE = 1.0
LIMIT = 1.0
SIZE = 0.0


def place_models(processors, models):
    """Return the number of a processor for each model (size, rate, limit): the one under least pressure so far."""
    room, needs = [MEMORY] * processors, [0.0] * processors
    places = [0] * len(models)
    for model in sorted(range(len(models)), key=lambda model: -_rank(*models[model])):
        size, rate, limit = models[model]
        fitting = [place for place in range(processors) if room[place] >= size]
        chosen = min(fitting, key=lambda place: needs[place] / room[place])
        places[model] = chosen
        room[chosen] -= size
        needs[chosen] += rate / limit
    return places


def _rank(size, rate, limit):
    return rate**RATE / limit**LIMIT * size**SIZE


# EVOLVE-BLOCK-END

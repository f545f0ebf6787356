"""All positions of a deck solved by the rules alone: retrograde analysis of the whole game graph.

Nothing of `solver` is used, no theorem, and no knowledge that the table is cleared now and then.
As a program it prints the sample of positions of 3 ranks that is kept in `SAMPLE_FILE`; with the
project on the path, that takes a few minutes and 2 GB.
"""

import random
from collections import defaultdict
from pathlib import Path

from engine.cards import deck_cards
from engine.position import Position

SAMPLE_FILE = Path(__file__).parents[1] / "data" / "brute_force_3_ranks.tsv"
SAMPLE_SIZE = 3000


def base_positions(ranks):
    """Every position with an empty table, with spades and diamonds as trumps."""
    cards = sorted(deck_cards(ranks))
    hands = [
        frozenset(card for i, card in enumerate(cards) if bits >> i & 1)
        for bits in range(1 << len(cards))
    ]
    return [
        Position(ranks, (hand, other), (0, 2), turn, None)
        for hand, other in zip(hands, hands[::-1], strict=True)
        if hand and other
        for turn in (1, 2)
    ]


def solve_all(starts):
    """The results of all positions that can come up after `starts`.

    A dictionary to (winner, distance), or to None where neither player can force the end. Results
    are entered in the order of their distances, each when it follows from those that have been:
    the least fixpoint. The distance counts the tricks to the end, the current one too, but not one
    that is no more than the lead of an only card; so it grows by one at every pickup.
    """
    before = defaultdict(list)
    moves_left = {}
    by_distance = defaultdict(list)
    known, waiting = set(starts), list(starts)
    while waiting:
        position = waiting.pop()
        if position.winner:
            by_distance[int(len(position.table) > 1)].append((position, position.winner))
        actions = position.legal_actions()
        moves_left[position] = len(actions)
        for action in actions:
            after = position.apply(action)
            before[after].append(position)
            if after not in known:
                known.add(after)
                waiting.append(after)

    results = dict.fromkeys(known)
    distance = 0
    while distance in by_distance:
        for position, winner in by_distance[distance]:  # grows meanwhile
            if results[position]:
                continue
            results[position] = winner, distance
            for earlier in before[position]:
                moves_left[earlier] -= 1
                if earlier.turn == winner:
                    at = distance + position.is_base
                elif moves_left[earlier] == 0:
                    after = map(earlier.apply, earlier.legal_actions())
                    at = max(results[p][1] + p.is_base for p in after)
                else:
                    continue
                by_distance[at].append((earlier, winner))
        distance += 1
    return results


def sample(results):
    """The lines of a file of random positions with their winners and distances."""
    lines = [
        f"{position}\t{result[0]}\t{result[1]}"
        for position, result in results.items()
        if result and not position.winner
    ]
    return sorted(random.Random(1).sample(sorted(lines), SAMPLE_SIZE))


if __name__ == "__main__":
    print("# position\twinner\tdistance", *sample(solve_all(base_positions(3))), sep="\n")

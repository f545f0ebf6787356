"""Kozel with shokha: every rule of the specification, one by one."""

import random
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import playthrough
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import Card, deck_cards, in_order
from engine.errors import GameError
from engine.game import load_game
from engine.games.kozel_tricks import (
    ORDER,
    SHOKHA,
    Group,
    Trick,
    beats,
    declaration,
    leads,
    penalties,
    takes_over,
)
from engine.notation import parse_card

DATA = Path(__file__).parents[1] / "data" / "playthroughs"
GAME = load_game("kozel")
SEEDS = range(40)
S, H, D, C = range(4)


def cards(text):
    return in_order(map(parse_card, text.split()))


def deal(hands, turned="9C", first=(), dealer=4):
    """The state after a deal with these hands, these first cards of the stock, and this trump."""
    held = [cards(hand) for hand in hands]
    named = [card for hand in held for card in hand] + [*cards(turned), *map(parse_card, first)]
    others = iter(sorted(deck_cards(9).difference(named)))
    held = [in_order([*hand, *(next(others) for _ in range(4 - len(hand)))]) for hand in held]
    stock = (*map(parse_card, first), *others, *cards(turned))
    leader = dealer % 4 + 1
    state = GAME.initial(0)._replace(
        hands=tuple(held), stock=stock, turned=stock[-1], trick=Trick(leader, ()), turn=leader
    )
    assert GAME.parse(str(state)) == state
    return state


def play(state, *actions):
    for action in actions:
        state = state.apply(state.parse_action(action))
    return state


def legal(state):
    return [state.action_to_string(action) for action in state.legal_actions()]


def random_states(seed):
    """The states of a random deal."""
    state, rng = GAME.initial(seed), random.Random(seed)
    while not state.is_terminal:
        yield state
        state = state.apply(rng.choice(state.legal_actions()))
    yield state


# Cards


def test_order_and_worth_of_the_ranks():
    order = [Card(H, rank) for rank in (14, 10, 13, 12, 11, 9, 8, 7, 6)]
    assert [card.rank for card in reversed(order)] == list(ORDER)
    for i, card in enumerate(order):
        assert [beats(card, other, C) for other in order] == [j > i for j in range(9)]
    worth = []
    for card in order:
        trick = Trick(1, (Group((card,), True),))
        worth.append(GAME.initial(0)._replace(tricks=(trick,)).points()[0])
    assert worth == [11, 10, 4, 3, 2, 0, 0, 0, 0]


def test_shokha_beats_every_other_card_and_is_worth_nothing():
    for trump in range(4):
        for card in deck_cards(9) - {SHOKHA}:
            assert beats(SHOKHA, card, trump)
            assert not beats(card, SHOKHA, trump)
    trick = Trick(1, (Group((SHOKHA,), True),))
    assert GAME.initial(0)._replace(tricks=(trick,)).points() == (0, 0)


def test_a_trump_beats_any_card_that_is_not_a_trump():
    for card in deck_cards(9) - {SHOKHA}:
        assert beats(Card(H, 6), card, H) == (card.suit != H)
        assert not beats(Card(D, 14), card, H) or card.suit == D


# The deal


def test_the_deal():
    for seed in SEEDS:
        state = GAME.initial(seed)
        assert [len(hand) for hand in state.hands] == [4] * 4
        assert len(state.stock) == 20
        assert state.stock[-1] == state.turned
        assert {card for part in (*state.hands, state.stock) for card in part} == deck_cards(9)


def test_one_by_one_from_the_dealers_left_who_leads():
    first, second = (load_game("kozel", dealer=dealer).initial(1) for dealer in (1, 2))
    assert first.hands[1] == second.hands[2]
    assert (first.current_player, second.current_player) == (2, 3)
    assert {GAME.initial(seed).current_player for seed in SEEDS} == {1, 2, 3, 4}


def test_four_cards_each_one_by_one_clockwise_then_one_is_turned_up(monkeypatch):
    monkeypatch.setattr(random.Random, "shuffle", lambda self, cards: None)
    deck = sorted(deck_cards(9))
    state = load_game("kozel", dealer=2).initial(0)
    assert [set(state.hands[player - 1]) for player in (3, 4, 1, 2)] == [
        set(deck[place:16:4]) for place in range(4)
    ]
    assert (state.turned, state.stock) == (deck[16], (*deck[17:], deck[16]))


def test_if_shokha_is_turned_up_spades_are_trumps():
    state = deal(["AS", "AH", "", ""], turned="6S")
    assert legal(play(state, "AS"))[0] != "AH"
    state = deal(["AH", "7S", "", ""], turned="6S")
    assert "7S" in legal(play(state, "AH"))


# The lead


def test_leads_are_groups_of_one_suit_which_shokha_may_join():
    assert [" ".join(map(str, group)) for group in leads(cards("6S KH 8H 7D"))] == [
        *("6S", "KH", "8H", "7D"),
        *("6S KH", "6S 8H", "6S 7D", "KH 8H"),
        "6S KH 8H",
    ]
    assert len(leads(cards("AC KC QC JC"))) == 15
    assert len(leads(cards("AS KS QS 6S"))) == 15
    assert [len(group) for group in leads(cards("AS KH QD JC"))] == [1, 1, 1, 1]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.sets(st.sampled_from(sorted(deck_cards(9))), min_size=1, max_size=4))
def test_leads_and_no_others_once_each(hand):
    found = leads(in_order(hand))
    assert len(set(found)) == len(found)
    for size in range(1, 5):
        for group in combinations(in_order(hand), size):
            suits = {card.suit for card in set(group) - {SHOKHA}}
            assert (group in found) == (len(suits) < 2)


# Answers


def test_answers_have_as_many_cards_as_the_lead():
    state = play(deal(["KH 8H", "7S 8S 9S TS", "", ""]), "KH 8H")
    assert legal(state) == [
        "down TS 9S",
        "down TS 8S",
        "down TS 7S",
        "down 9S 8S",
        "down 9S 7S",
        "down 8S 7S",
    ]


def test_no_duty_to_follow_suit_to_trump_or_to_overtake():
    state = play(deal(["KH", "AH 7C 7S 8S", "", ""], turned="9C"), "KH")
    assert legal(state) == ["down 8S", "down 7S", "AH", "down AH", "7C", "down 7C"]


def test_worked_example_of_taking_over():
    state = play(deal(["JH 8H", "QH 6S 7H", "", ""], turned="9H"), "JH 8H")
    assert [name for name in legal(state) if "down" not in name] == ["6S QH"]
    assert "down QH 7H" in legal(state)


@pytest.mark.parametrize(
    ("answer", "winning", "expected"),
    [
        ("TH", "KH", True),
        ("KH", "TH", False),
        ("7D", "6C", False),
        ("6H", "AD", True),
        ("6S", "AH", True),
        ("AH", "6S", False),
        ("AH KH", "6S 6H", False),
        ("7H AD", "AC KD", True),
        ("AD 7C", "KD 6C", True),
        ("KD 7C", "AD 6C", False),
        ("6H 7H", "9H AC", False),
        ("6H TH", "9H AC", True),
        ("AS KS QS", "TS JS 9S", True),
        ("AS KS 7S", "TS JS 9S", False),
        ("6S 7H 8H 9H", "AD TD KD QD", True),
        ("6S 7H AD 9D", "KD TD 8D 7D", True),
        ("6S AD 9D 8D", "KD TD QD 7D", False),
        ("9H KH 7D", "8H QH 6D", True),
    ],
)
def test_taking_over(answer, winning, expected):
    assert takes_over(cards(answer), cards(winning), H) == expected


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    st.permutations(sorted(deck_cards(9))).map(lambda deck: deck[:8]),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_taking_over_is_a_matching(deck, size, trump):
    """Like Hall's theorem: no set of the winning cards has too few cards that beat one of them."""
    answer, winning = deck[:size], deck[4 : 4 + size]
    if size > 1 and SHOKHA not in deck:
        answer[0] = SHOKHA
    beaters = {w: {a for a in answer if beats(a, w, trump)} for w in winning}
    matched = all(
        len(set().union(*(beaters[w] for w in some))) >= len(some)
        for count in range(1, size + 1)
        for some in combinations(winning, count)
    )
    assert takes_over(in_order(answer), in_order(winning), trump) == matched


def test_a_group_that_takes_over_may_be_played_face_down_and_wins_nothing():
    state = deal(["KH", "AH", "QH", "JH"])
    assert play(state, "KH", "AH", "down QH", "down JH").tricks[0].winner == 2
    assert play(state, "KH", "down AH", "down QH", "down JH").tricks[0].winner == 1


def test_the_last_taker_over_collects_the_trick_and_leads():
    state = play(deal(["KH", "TH", "AH", "7C"], turned="9C"), "KH", "TH", "AH", "7C")
    assert state.tricks[0].winner == 4
    assert state.points() == (0, 4 + 10 + 11)
    assert (state.trick.leader, state.trick.groups) == (4, ())


def test_the_answer_must_beat_the_group_that_is_winning_so_far():
    state = play(deal(["KH", "AH", "TH 7C", ""], turned="9C"), "KH", "AH")
    assert "TH" not in legal(state)
    assert {"7C", "down TH"} <= set(legal(state))


def test_an_answer_may_be_of_more_than_one_suit():
    state = play(deal(["KH QH", "TH 7C", "", ""], turned="9C"), "KH QH")
    assert "TH 7C" in legal(state)


@pytest.mark.parametrize("seed", range(10))
def test_actions_are_enumerated_without_duplicates(seed):
    for state in random_states(seed):
        actions = state.legal_actions()
        assert len(set(actions)) == len(actions)
        names = legal(state)
        assert [state.parse_action(name) for name in names] == list(actions)
        for action in actions:
            if isinstance(action, Group):
                assert len(set(action.cards)) == len(action.cards)
                assert action.cards == in_order(action.cards)


# Drawing


def test_all_refill_one_at_a_time_clockwise_from_the_winner():
    first = ["TS", "TD", "TC", "KS", "KD", "KC", "QS", "QD"]
    hands = ["7H 8H", "JH QH", "7S 8S", "7D 8D"]
    state = play(
        deal(hands, turned="9C", first=first), "7H 8H", "JH QH", "down 7S 8S", "down 7D 8D"
    )
    assert state.tricks[0].winner == 2
    for player, drawn in ((2, "TS KD"), (3, "TD KC"), (4, "TC QS"), (1, "KS QD")):
        assert set(cards(drawn)) <= set(state.hands[player - 1])
    assert [len(hand) for hand in state.hands] == [4] * 4


def test_the_turned_up_trump_is_drawn_last_by_the_player_right_of_the_winner():
    for seed in SEEDS:
        before = None
        for state in random_states(seed):
            if before and before.stock and not state.stock:
                winner = state.tricks[-1].winner
                assert state.turned in state.hands[(winner - 2) % 4]
            before = state


def test_without_stock_play_goes_on_until_all_hands_are_empty():
    for seed in SEEDS:
        *_, before, end = random_states(seed)
        assert not end.stock
        assert end.hands == ((),) * 4
        assert not before.is_terminal
        assert sum(end.points()) == 120


# Declarations


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("AS AH TD TC", "moskva"),
        ("AS AH AD AC", "moskva"),
        ("AS TH TD TC", "moskva"),
        ("AH TH TD 6S", "moskva"),
        ("AH AD AC 6S", "moskva"),
        ("TS TH TD TC", None),
        ("TH TD TC 6S", None),
        ("AS AH TD KC", None),
        ("7H 9H KH AH", "molodka"),
        ("7H 9H KH 6S", "molodka"),
        ("7S 9S KS 6S", "molodka"),
        ("AH TH KH 6S", "molodka"),
        ("7H 9H KD 6S", None),
        ("7H 9H KH", None),
        ("AH AD TC", None),
    ],
)
def test_moskva_and_molodka(hand, expected):
    assert declaration(cards(hand)) == expected


MOSKVA, MOLODKA, SPADES = "AS AH TD TC", "8H JH TH KH", "7S 9S TS KS"
OTHERS = {1: "6C 6D 7C 8S", 2: "8C 7H QS JD", 3: "JC KD 9H JS", 4: "9C 6H KC QD"}


def declaring(hands, winner=1):
    """The state after a trick that player 1 led or another won, when hands have been refilled."""
    held = [hand.split() for _, hand in sorted((OTHERS | hands).items())]
    answers = ["6S" if p == winner else f"{5 + p}D" for p in (2, 3, 4)]
    dealt = [" ".join([*hand[:3], card]) for hand, card in zip(held, ["QH", *answers], strict=True)]
    first = [hand[3] for hand in (*held[winner - 1 :], *held[: winner - 1])]
    state = deal(dealt, turned="QC", first=first)
    state = play(state, "QH", *(card if card == "6S" else f"down {card}" for card in answers))
    assert [*state.hands] == [cards(" ".join(hand)) for hand in held]
    return state


def asked(state):
    """Who is asked when all pass, with what he can declare; and who then leads."""
    players = []
    while state.phase == "declare":
        *can, last = legal(state)
        assert last == "pass"
        players.append((state.current_player, *can))
        state = play(state, "pass")
    assert state.phase == "lead"
    return players, state.current_player


def passes(state, count):
    """The state after so many players have passed."""
    return play(state, *["pass"] * count)


def test_everybody_is_asked_in_turn_whether_he_can_declare_or_not():
    assert asked(declaring({})) == ([(1,), (2,), (3,), (4,)], 1)
    assert asked(declaring({}, winner=3)) == ([(3,), (4,), (1,), (2,)], 3)
    assert asked(declaring({2: MOLODKA, 4: MOSKVA})) == (
        [(1,), (2, "molodka"), (3,), (4, "moskva")],
        1,
    )


def test_a_declarer_shows_his_hand_and_makes_an_ordinary_lead():
    state = passes(declaring({3: MOSKVA}), 2)
    assert (state.current_player, state.phase) == (3, "declare")
    state = play(state, "moskva")
    assert (state.current_player, state.phase) == (3, "lead")
    assert legal(state) == ["AS", "AH", "TD", "TC"]
    for player in range(1, 5):
        assert " shown=1.3:AS+AH+TD+TC " in state.information_state_string(player)
    state = play(state, "AH")
    assert state.trick.leader == 3


def test_who_passes_shows_nothing():
    """The others see the same whether he can declare or not."""
    for hands in ({}, {2: MOLODKA}, {2: MOSKVA}):
        state, other = declaring(hands), declaring({})
        for _ in range(5):
            for player in (1, 3, 4):
                seen = state.information_state_string(player)
                assert seen == other.information_state_string(player)
                mine, his = (s.observation(player).numbers() for s in (state, other))
                assert mine == his
            if state.phase == "declare":
                state, other = play(state, "pass"), play(other, "pass")
    assert state.phase == "lead"


def test_moskva_goes_before_molodka():
    state = play(passes(declaring({2: MOLODKA, 4: MOSKVA}), 1), "molodka")
    assert asked(state) == ([(3,), (4, "moskva")], 2)
    state = play(passes(state, 1), "moskva")
    assert (state.current_player, state.phase) == (4, "lead")
    assert " shown=1.2:KH+JH+TH+8H;1.4:AS+AH+TD+TC " in str(state)
    assert GAME.parse(str(state)) == state


def test_after_moskva_nobody_is_asked():
    state = play(declaring({1: MOSKVA, 4: MOLODKA}), "moskva")
    assert (state.current_player, state.phase) == (1, "lead")


def test_of_two_alike_the_nearer_clockwise_from_who_would_normally_lead():
    state = play(passes(declaring({4: SPADES, 2: MOLODKA}), 1), "molodka")
    assert asked(state) == ([(3,), (4,)], 2)
    state = play(passes(declaring({4: SPADES, 2: MOLODKA}, winner=3), 1), "molodka")
    assert asked(state) == ([(1,), (2,)], 4)


def test_a_declaration_that_cannot_be_made_is_refused():
    text = str(play(declaring({3: MOSKVA}), "pass", "pass", "moskva"))
    for shown in ("1.2:8C+7H+QS+JD", "1.3:AS+AH+TD+TC;1.4:9C+6H+KC+QD"):
        with pytest.raises(GameError):
            GAME.parse(text.replace("1.3:AS+AH+TD+TC", shown))


def test_a_declaration_scores_nothing():
    state = passes(declaring({3: MOSKVA}), 2)
    assert play(state, "moskva").points() == play(state, "pass").points()


def test_a_declaration_after_the_last_drawing_but_not_later():
    states = [state for seed in range(300) for state in random_states(seed)]
    sizes = {(len(s.stock), len(s.hands[0])) for s in states if s.phase == "declare"}
    assert min(sizes) == (0, 4)
    assert {size for _, size in sizes} == {4}


def test_no_declaration_before_the_first_lead():
    state = deal([MOSKVA, MOLODKA, "", ""])
    assert state.phase == "lead"


# The score


@pytest.mark.parametrize(
    ("points", "tricks", "expected"),
    [
        ((60, 60), (4, 4), (2, 2)),
        ((61, 59), (4, 4), (0, 2)),
        ((31, 89), (3, 5), (2, 0)),  # the worked example
        ((30, 90), (3, 5), (4, 0)),  # the other one
        ((90, 30), (5, 3), (0, 4)),
        ((0, 120), (1, 7), (4, 0)),
        ((120, 0), (8, 0), (0, 6)),
        ((0, 120), (0, 8), (6, 0)),
    ],
)
def test_penalties(points, tricks, expected):
    assert penalties(points, tricks) == expected


def test_returns_are_the_penalties_of_the_others_less_the_own():
    seen = set()
    for seed in range(150):
        *_, end = random_states(seed)
        first, second = end.penalties()
        seen.add((first, second))
        assert end.returns() == (second - first, first - second, second - first, first - second)
    assert {(0, 2), (2, 0), (0, 4), (4, 0)} <= seen


def test_no_result_before_the_end():
    with pytest.raises(GameError, match="not over"):
        GAME.initial(0).returns()


# What a player knows


def test_face_down_cards_stay_hidden_until_the_count():
    state = play(deal(["KH", "AH", "9D", "JH"]), "KH", "AH", "down 9D")
    assert " trick=1:KH,AH,(1) " in state.information_state_string(2)
    assert " trick=1:KH,AH,(9D) " in state.information_state_string(3)
    state = play(state, "down JH")
    assert " tricks=1:KH,AH,(1),(JH) " in state.information_state_string(4)
    *_, before, end = random_states(0)
    assert "(1)" in before.information_state_string(before.current_player)
    for player in range(1, 5):
        assert "(1)" not in end.information_state_string(player)


def test_the_order_of_the_stock_is_hidden():
    state = GAME.initial(0)
    text = state.information_state_string(1)
    assert f" stock=20 turned={state.turned} " in text
    stock = (*state.stock[18::-1], state.stock[19])
    assert state._replace(stock=stock).information_state_string(1) == text


def placings(state, player):
    """Every state, by brute force, in which `player` has seen the same."""
    other = [p for p in range(1, 5) if p != player]
    hidden = [card for p in other for card in state.hands[p - 1]]
    groups = []
    for n, trick in enumerate((*state.tricks, state.trick)):
        for p, group in trick.by_player():
            if p != player and not group.up:
                groups.append((n, p, len(group.cards)))
                hidden += group.cards
    found = set()
    for order in permutations(hidden):
        left = iter(order)
        hands = list(state.hands)
        for p in other:
            hands[p - 1] = in_order(next(left) for _ in state.hands[p - 1])
        tricks = [[*trick.groups] for trick in (*state.tricks, state.trick)]
        for n, p, size in groups:
            leader = (*state.tricks, state.trick)[n].leader
            tricks[n][(p - leader) % 4] = Group(in_order(next(left) for _ in range(size)), False)
        made = [
            Trick(trick.leader, tuple(new))
            for trick, new in zip((*state.tricks, state.trick), tricks, strict=True)
        ]
        found.add(state._replace(hands=tuple(hands), tricks=tuple(made[:-1]), trick=made[-1]))
    return {made for made in found if _is_possible(made)}


def _is_possible(state):
    try:
        return GAME.parse(str(state)) == state
    except GameError:
        return False


def few_hidden():
    lines = (DATA.parent / "kozel_hidden.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("text", few_hidden())
def test_samples_are_all_that_can_be_and_equally_likely(text):
    state = GAME.parse(text)
    player = state.current_player
    possible = placings(state, player)
    assert state in possible
    rng = random.Random(5)
    draws = 30 * len(possible)
    counts = Counter(state.sample(player, rng) for _ in range(draws))
    assert set(counts) == possible
    chi_square = sum((count - 30) ** 2 / 30 for count in counts.values())
    freedom = len(possible) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5 + 4


# Options and text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dealer": "7"}, "random, 1, 2, 3 or 4"),
        ({"limit": "many"}, "a number from 1"),
        ({"shokha": "no"}, "expected one of: dealer, limit"),
    ],
)
def test_illegal_options(options, message):
    with pytest.raises(GameError, match=message):
        load_game("kozel", **options)


def test_limit_is_never_reached():
    longest = max(sum(1 for _ in random_states(seed)) - 1 for seed in range(100))
    assert longest <= 56 < GAME.limit, "nine tricks, and five times four players asked at most"


def some_state():
    return play(deal(["KH 8H", "AH 9H", "", ""], turned="9C"), "KH 8H", "AH 9H")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("phase=answer", "phase=lead", "lead to the state"),
        ("phase=answer", "phase=think", "declare, lead, answer"),
        ("turn=3", "turn=0", "from 1 to 4"),
        ("turned=9C", "turned=9D", "9D was turned up"),
        ("shown=-", "shown=1.2:AS", "a player has had|lead to the state"),
        ("shown=-", "shown=x.2:AS", "a number of tricks=X is wrong"),
        ("tricks=-", "tricks=1:(AH)", "there twice"),
        ("trick=1:", "trick=2:", "a player has had"),
        ("KH+8H", "(KH+8H)", "not a legal action"),
        ("KH+8H,AH+9H", "KH+8H,KH+8H", "there twice"),
        ("9H", "5H", "5H is not in this deck"),
        ("AH+9H", "AH", "9H missing"),
    ],
)
def test_impossible_states_are_refused(old, new, message):
    text = str(some_state())
    assert old in text
    with pytest.raises(GameError, match=message):
        GAME.parse(text.replace(old, new))


def test_read_liberally():
    state = some_state()
    text = str(state).lower().replace("kh", "k♥").replace(" ", "   ").replace("-", "–")
    assert GAME.parse(f"\ufeff{text}\r\n") == state
    names = legal(state)
    assert (
        state.parse_action(" DOWN " + " ".join(reversed(names[0].split()[1:])))
        == (state.legal_actions()[0])
    )


def test_illegal_actions_are_refused():
    state = some_state()
    for action in ("pass", "moskva", Group(cards("KH 8H"), True), Group((), False)):
        with pytest.raises(GameError, match="not a legal action"):
            state.apply(action)


@pytest.mark.parametrize("path", sorted(DATA.glob("kozel*.playthrough")), ids=lambda p: p.stem)
def test_playthrough(path):
    playthrough.check(path.read_text(encoding="utf-8"))

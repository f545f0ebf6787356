"""The commands `play`, `replay`, `games` and `tournament`."""

import json
import random
import re
from itertools import pairwise

import click
import pytest
from command import challenge
from sample_games import games, states

from cli.board import Board
from cli.human import Human, Quit
from engine.arena.play import Play
from engine.game import GAMES as ALL
from engine.game import load_game
from engine.observation import Pen
from engine.position import Position

FOUR = "greedy,greedy,greedy,random"


def run(line, *more, answers=()):
    """The command with the arguments in a line, and what a person types."""
    return challenge(*line.split(), *more, stdin="".join(f"{answer}\n" for answer in answers))


def test_games_lists_games_options_and_players():
    status, output, _ = challenge("games")
    assert status == 0
    for name in ALL:
        assert f"  {name}: " in output
        for option in load_game(name).option_help():
            assert re.search(rf"^    {option} ", output, re.MULTILINE)
    assert re.findall(r"^  (\w+):", output.partition("Players")[2], re.MULTILINE) == [
        "random",
        "greedy",
        "pimc",
        "perfect",
        "search",
        "human",
    ]


def test_a_game_without_people_is_printed_move_by_move():
    command = "play challenge --option ranks=2 --players greedy,random --seed 3"
    status, output, _ = run(command)
    assert status == 0
    assert output == run(command)[1]
    lines = output.splitlines()
    assert lines[1] == "challenge, seed 3: player 1 (greedy) deals"
    start = load_game("challenge", ranks=2).initial(3)
    assert lines[2 : 2 + 5] == [click.unstyle(line) for line in Board().state(start, None)]
    moves = lines[7:-1]
    assert [int(line.split(".")[0]) for line in moves] == list(range(1, len(moves) + 1))
    assert moves[0].startswith("   1. player 1 (greedy) leads ")
    assert lines[-1].startswith("Seed 3: player 1 (greedy) ")


def test_quiet_prints_results_only():
    arguments = ["play", "hund", "--players", FOUR, "--seed", "1"]
    _, output, _ = challenge(*arguments, "--deals", "3", "--quiet")
    first, second, third = output.splitlines()
    assert [first[:7], second[:7], third[:7]] == ["Seed 1:", "Seed 2:", "Seed 3:"]
    assert first in challenge(*arguments)[1].splitlines()


def test_a_seed_is_drawn_and_said():
    seeds = {challenge("play", "kozel", "--players", FOUR, "--quiet")[1] for _ in range(3)}
    assert len(seeds) == 3


@games
def test_record_and_replay(name, options, tmp_path):
    seats = load_game(name, **options).players
    file = tmp_path / "games"
    arguments = [
        "play",
        name,
        "--players",
        ",".join(["greedy", "random", "greedy", "greedy"][:seats]),
    ]
    for key, value in options.items():
        arguments += ["--option", f"{key}={value}"]
    _, output, _ = challenge(*arguments, "--seed", "4", "--deals", "2", "--record", str(file))
    assert challenge("replay", str(file)) == (0, output, "")
    first = file.read_bytes()
    again = [*arguments, "--seed", "4", "--deals", "2", "--record", str(file), "--quiet"]
    assert challenge(*again)[::2] == (
        2,
        f"Error: {file} is there already, expected --force or another name\n",
    )
    assert challenge(*again, "--force")[0] == 0
    assert file.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["games"]


def test_replay_refuses_an_altered_record(tmp_path):
    file = tmp_path / "game"
    challenge("play", "kozel", "--players", FOUR, "--seed", "1", "--record", str(file))
    lines = file.read_text(encoding="utf-8").splitlines()
    number = next(i for i, line in enumerate(lines) if line.startswith("player: "))
    lines[number] = "player: 9"
    file.write_text("\n".join(lines), encoding="utf-8")
    status, output, error = challenge("replay", str(file))
    assert (status, output) == (2, "")
    assert error.startswith(f"Error: line {number + 1} is 'player: 9', expected 'player: ")
    file.write_bytes(b"\xff\xfe\x00")
    assert challenge("replay", str(file))[0] == 2


def test_replay_reads_no_endless_input(tmp_path, monkeypatch):
    monkeypatch.setattr("cli.replay.MOST_BYTES", 99)
    (tmp_path / "game").write_bytes(b"\n" * 100)
    for arguments in ([str(tmp_path / "game")], ["-"]):
        status, output, error = challenge("replay", *arguments, stdin="\n" * 100)
        assert (status, output) == (2, "")
        assert error.endswith(" has more than 99 bytes, expected recorded games\n")


def test_a_match(tmp_path):
    file = tmp_path / "match"
    command = "play challenge --option ranks=3 --players perfect,greedy --match --target 3"
    status, output, _ = run(command, "--seed", "2", "--quiet", "--record", str(file))
    assert status == 0
    *lines, last = output.splitlines()
    scores = [line for line in lines if line.startswith("Scores: ")]
    deals = [re.fullmatch(r"Deal (\d+): seat \d \((\w+)\) deals\.", line) for line in lines]
    dealers = [deal[2] for deal in deals if deal]
    assert [int(deal[1]) for deal in deals if deal] == [*range(1, len(scores) + 1)]
    assert len(scores) == len(dealers) >= 3
    results = [line for line in lines if line.startswith("Seed ")]
    assert [re.search(r"player 1 \((\w+)\)", line)[1] for line in results] == dealers
    assert all(one != other for one, other in pairwise(dealers))
    won = re.fullmatch(r"The match is won by seat \d \((\w+)\), lost by seat \d \((\w+)\)\.", last)
    assert re.search(rf"\({won[1]}\) 3\b", scores[-1])
    assert re.fullmatch(r"seat 1 \(perfect\) cuts \S+, seat 2 \(greedy\) cuts \S+\.", lines[0])
    assert challenge("replay", str(file), "--quiet") == (0, output, "")


@pytest.mark.parametrize(
    "line",
    [
        "svoyi_kozyri --players greedy,greedy,random --option players=3 --option trumps=session",
        "svoyi_kozyri --players greedy,random --option players=2 --option score=first_out",
        f"hund --players {FOUR}",
        f"kozel --players {FOUR} --option dealer=3",
    ],
)
def test_replay_shows_a_match_as_it_was_played(line, tmp_path):
    file = tmp_path / "match"
    status, output, _ = run(f"play {line} --match --seed 4 --record", str(file))
    assert status == 0
    assert "Deal 2: seat " in output
    assert challenge("replay", str(file)) == (0, output, "")


def test_replay_refuses_a_match_with_a_deal_left_out(tmp_path):
    file = tmp_path / "match"
    run(f"play kozel --players {FOUR} --match --seed 4 --quiet --record", str(file))
    text = file.read_text(encoding="utf-8")
    first, _, rest = text.partition("\n\ngame: ")
    second, _, rest = rest.partition("\n\ngame: ")
    file.write_text(f"{first}\n\ngame: {rest}", encoding="utf-8")
    status, _, error = challenge("replay", str(file), "--quiet")
    assert status == 2
    assert "deal 3 does not follow in its match, expected the next one" in error
    assert "deal: 2" in second
    file.write_text(text.replace("seats: 1,2,3,4", "seats: x", 1), encoding="utf-8")
    assert "must say which it is, and its seats" in challenge("replay", str(file))[2]


def test_a_match_in_which_every_deal_is_drawn_ends():
    command = "play challenge --option limit=1 --players greedy,greedy --match --quiet"
    status, output, _ = run(command, "--seed", "1")
    *_, scores, last = output.splitlines()
    assert status == 0
    assert output.count("Scores: ") == 100
    assert scores.endswith("(greedy) 0")
    assert last == "The match is drawn: no points in 100 deals in a row."


def test_a_match_of_kozel_records_who_deals(tmp_path):
    file = tmp_path / "match"
    arguments = ["play", "kozel", "--players", FOUR, "--match", "--seed", "2", "--quiet"]
    _, output, _ = challenge(*arguments, "--record", str(file))
    assert "won by seat" in output.splitlines()[-1]
    assert challenge("replay", str(file))[0] == 0
    text = file.read_text(encoding="utf-8")
    dealers = [
        int(json.loads(line)["dealer"]) for line in re.findall("^options: (.*)$", text, re.M)
    ]
    assert all(b == a % 4 + 1 for a, b in pairwise(dealers))


def test_a_person_plays_a_whole_game():
    """Always the first move, each turn confirmed by Enter."""
    command = "play challenge --option ranks=2 --option suits=SHDC --seed 10"
    status, output, _ = run(command, answers=["1", "", "1", ""] * 40)
    assert status == 0
    assert output.startswith("seat 1 (human) cuts A♠, seat 2 (greedy) cuts K♥.\n")
    assert "Player 1, lead: " in output
    assert "player 1 (human) leads " in output
    assert re.search(r"^Seed 10: player 1 \(human\) [+-]1", output, re.MULTILINE)


def test_people_cut_for_the_deal_and_choose_suits():
    command = "play challenge --option ranks=2 --deals 2 --seed 5"
    output = run(command, answers=["h", "♠", "", "1", "", "1", ""] * 40)[1]
    first, second = output.split("\nchallenge, seed ")[1:]
    assert "5: player 1 (human) deals" in first
    assert "Player 1, choose your trumps: " in first
    assert "1. player 1 (human) chooses hearts as trumps\n" in first
    assert "2. player 1 (human) chooses spades as second suit\n" in first
    assert "3. player 2 (greedy) chooses diamonds as trumps\n" in first
    assert "6: player 1 (greedy) deals" in second  # the deal alternates
    assert "1. player 1 (greedy) chooses spades as trumps\n" in second


def test_replay_shows_the_cards_cut_and_the_suits_chosen(tmp_path):
    file = tmp_path / "games"
    command = f"play challenge --option ranks=2 --deals 2 --seed 3 --record {file}"
    output = run(command, answers=["1", "", "1", "", "1", ""] * 60)[1]
    cut = "seat 1 (human) cuts K♥, seat 2 (greedy) cuts A♦."
    assert output.startswith(f"{cut}\n\nchallenge, seed 3: player 1 (greedy) deals\n")
    status, replayed, _ = challenge("replay", str(file))
    assert status == 0
    assert replayed.startswith(f"{cut}\n\nchallenge, seed 3: player 1 (greedy) deals\n")
    assert replayed.count("cuts") == 2
    for line in output.splitlines():
        if re.search(r"^ +\d+\. player .* as (trumps|second suit)$|^Seed ", line):
            assert line in replayed.splitlines()


@pytest.mark.parametrize(
    ("seats", "cut"),
    [
        ("2,1", "AH KD"),
        ("1,2", "KH AD"),
        ("2,1", "AH AD"),
        ("2,1", "AD AD, KH AD"),
        ("2,1", "QH KD, KH AD"),
        ("2,1", "KH AD QS"),
        ("2,1", "KH"),
        ("2,1", "KH 17"),
        ("2,1", "-"),
        ("2,2", "KH AD"),
        ("2", "KH AD"),
        ("x", "KH AD"),
    ],
)
def test_replay_refuses_a_cut_that_does_not_choose_the_dealer(tmp_path, seats, cut):
    file = tmp_path / "games"
    run(f"play challenge --option ranks=2 --players greedy,random --seed 3 --record {file}")
    text = file.read_text().replace("\n\n", "\nseats: 2,1\ncut: KH KD, KH AD\n\n", 1)
    file.write_text(text)
    assert challenge("replay", str(file))[1].startswith("seat 1 (random) cuts K♥, seat 2 (greedy)")
    file.write_text(text.replace("2,1", seats).replace("KH KD, KH AD", cut))
    status, _, error = challenge("replay", str(file))
    assert (status, error.count("\n")) == (2, 1)
    assert "is wrong, expected a card of each, the highest of the dealer" in error


def test_suits_are_fixed_by_option_and_where_nobody_chooses():
    assert "choose" not in run("play challenge --option suits=drawn --seed 4", answers=["q"])[1]
    output = run("play challenge --players greedy,random --option ranks=2 --seed 4")[1]
    assert "choose" not in output
    assert "cuts" not in output


def test_two_people_choose_suits_in_the_open():
    output = run("play challenge --players human,human --seed 4", answers=["1", "1", "", "q"])[1]
    assert "Player 2, choose your trumps: q" in output
    assert "nobody else" not in output


def test_quit_undo_hint_and_help(tmp_path):
    file = tmp_path / "game"
    status, output, _ = run(
        "play challenge --option ranks=3 --option suits=SHDC --seed 2",
        "--record",
        str(file),
        answers=["?", "hint", "undo", "XX", "", "99", "1", "nonsense", "undo", "q"],
    )
    assert status == 0
    assert "  undo        take back" in output
    assert re.search(r"lead: hint\n\w\w (wins|loses|draws)", output)
    assert "There is nothing to take back in this turn." in output
    assert "'xx' is not a legal action here" in output
    assert "Type a move (? for help)" in output
    assert "'99' is not a legal action here" in output
    assert output.count("Enter to go on, or undo: ") == 2
    assert "player 1 (human) leads" not in output
    assert output.endswith("Stopped; nothing is recorded.\n")
    assert not file.exists()


def test_the_end_of_the_input_stops_the_game():
    status, output, _ = run("play kozel --seed 1")
    assert (status, output.splitlines()[-1][-8:]) == (0, "Stopped.")


def human(name, monkeypatch, answers, **options):
    """A person who gives these answers, and what he is asked."""
    asked, given = [], iter(answers)

    def prompt(question, **_):
        asked.append(question)
        return next(given)

    monkeypatch.setattr(click, "prompt", prompt)
    return Human(load_game(name, **options)), asked


def test_beat_and_lead_are_taken_back_together(monkeypatch, capsys):
    position = Position.parse("3 KQ.A.-.AK A.KQ.AKQ.- SD 2 QC")
    answers = ["KD", "AS", "undo", "undo", "QD", "AD", "?", ""]
    person, asked = human("challenge", monkeypatch, answers, ranks=3)
    assert str(person.choose(position, random.Random(0))) == "QD"
    after = position.apply(position.parse_action("QD"))
    assert str(person.choose(after, random.Random(0))) == "AD"
    confirming = ["Enter" in question for question in asked]
    assert confirming == [False, False, True, False, False, False, True, True]
    output = click.unstyle(capsys.readouterr().out)
    assert re.findall("You play .*", output.replace("♦", "D").replace("♠", "S")) == [
        "You play KD, then AS.",
        "You play QD, then AD.",
    ]


def test_nothing_new_is_seen_before_a_turn_is_confirmed(monkeypatch):
    """Who takes a trick of Kozel draws cards: his next lead is another turn."""
    game = load_game("kozel")
    for seed in range(100):
        for state in states(game, seed):
            ups = [a for a in state.legal_actions() if getattr(a, "up", False)]
            if state.phase == "answer" and len(state.trick.groups) == 3 and ups and state.stock:
                person, asked = human("kozel", monkeypatch, [str(ups[0]), ""])
                assert person.choose(state, random.Random(0)) == ups[0]
                assert state.apply(ups[0]).current_player == state.current_player
                assert asked[-1].endswith("Enter to go on, or undo: ")
                return
    pytest.fail("no such state")


@games
def test_a_picture_shows_what_a_player_may_see(name, options):
    """Other hidden cards, the same picture."""
    board, game = Board(), load_game(name, **options)
    for number, state in enumerate(states(game, 3)):
        player = number % game.players + 1
        other = state.sample(player, random.Random(number))
        assert list(board.state(state, player)) == list(board.state(other, player))
        if number > 150:
            break


@pytest.mark.parametrize("name", ["svoyi_kozyri", "hund", "kozel"])
def test_what_is_printed_with_a_person_at_the_table_is_public(name, capsys):
    """Others' cards played face down and declarations passed are not told."""
    game, board = load_game(name), Board()
    state = game.initial(5)
    played = []

    def choose(state):
        played.append(state)
        actions = state.legal_actions()
        down = [a for a in actions if getattr(a, "up", True) is False]
        return (down or actions)[-1 if len(played) % 3 else 0]

    board.show(Play(game, state), choose, 5, ["N", "E", "S", "W"], public=True)
    output = click.unstyle(capsys.readouterr().out)
    assert "Player 1" not in output
    assert "(" not in output
    if name == "kozel":
        assert " face down" in output


@pytest.mark.parametrize("name", ALL)
def test_help_is_of_the_game_that_is_played(name, monkeypatch, capsys):
    """A summary of the rules and its own actions, on narrow terminals too."""
    person, _ = human(name, monkeypatch, ["?", "q"])
    with pytest.raises(Quit):
        person.choose(load_game(name).initial(1), random.Random(0))
    help = capsys.readouterr().out.partition("\n\n")[2]
    rules = help[help.index(load_game(name).rules) :]
    assert all(len(line) < 80 for line in rules.splitlines())
    for text in load_game(name).examples:
        assert re.search(rf"^  {re.escape(text)} ", rules, re.MULTILINE)
    assert ("\n  down " in rules) == ("\n  moskva " in rules) == (name == "kozel")
    assert ("\n  pickup " in rules) == (name != "kozel")


def test_help_names_other_options(monkeypatch, capsys):
    person, _ = human("svoyi_kozyri", monkeypatch, ["?", "q"], pickup="fixed", players=2)
    with pytest.raises(Quit):
        person.choose(person.game.initial(1), random.Random(0))
    assert "Played with other options: players=2, pickup=fixed." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("svoyi_kozyri", {}),
        ("hund", {}),
        ("kozel", {}),
        ("challenge", {"ranks": 10, "suits": "chosen"}),
    ],
)
def test_hints_where_nothing_is_solved(name, options, monkeypatch, capsys):
    game = load_game(name, **options)
    state = game.initial(1)
    person, _ = human(name, monkeypatch, ["hint", "q"], **options)
    with pytest.raises(Quit):
        person.choose(state, random.Random(0))
    output = click.unstyle(capsys.readouterr().out)
    hint = re.search(r"The player pimc would play (.*)\.", output)[1]
    assert state.parse_action(hint) in state.legal_actions()


@pytest.mark.parametrize("answer", ["h", "♥", "hearts", "Heart", "2"])
def test_a_suit_by_name_letter_or_symbol(answer, monkeypatch):
    state = load_game("svoyi_kozyri").initial(1)
    person, _ = human("svoyi_kozyri", monkeypatch, [answer, ""])
    assert person.choose(state, random.Random(0)) == "hearts"


PILE = (
    "hands=9876.-.-.-/-.9876.-.-/-.-.9876.-/-.-.-.KQJ known=-/-/-/- "
    "pile=AS,KS,QS,JS,TS,AH,KH,QH,JH,TH,AD,KD,QD,JD,TD,9C,8C,7C,6C,AC,TC "
    "trumps=S/H/D/C dealer=4 turn=4 phase=beat out=-"
)


@pytest.mark.parametrize(
    ("name", "text", "task"),
    [
        ("challenge", "3 KQ.A.-.AK A.KQ.AKQ.- SD 2 QC", "beat QC or pick up 1"),
        ("challenge", "3 KQ.A.-.AK A.KQ.AKQ.- SH 2 QC", "beat QC or pick up 1"),
        ("challenge", "3 KQ.A.-.AK A.KQ.AKQ.- SC 2 QC", "pick up 1, you cannot beat QC"),
        ("svoyi_kozyri", PILE, "beat TC or pick up 5"),
        ("svoyi_kozyri", PILE.replace("phase=beat", "phase=second"), "now lead"),
        ("svoyi_kozyri", PILE.replace("phase=beat", "phase=lead"), "lead"),
        ("svoyi_kozyri", PILE.replace("turn=4", "turn=1"), "beat TC or pick up 3"),
    ],
)
def test_what_a_player_is_asked(name, text, task):
    game = load_game(name, **({"ranks": 3} if name == "challenge" else {}))
    assert game.parse(text).task(Pen()) == task


def test_what_a_player_of_kozel_or_hund_is_asked():
    tasks = set()
    for name in ("kozel", "hund", "svoyi_kozyri"):
        for seed in range(5):
            for state in states(load_game(name), seed):
                tasks.add(re.sub(r"[AKQJT2-9][SHDC]|\d+", "#", state.task(Pen())))
    assert {
        "start with #",
        "declare or pass",
        "pass, you cannot declare",
        "take over # or put down # card",
        "put down # cards, you cannot take over # #",
        "choose a trump suit",
    } <= tasks


def test_a_secret_pass_leaves_no_gap_in_the_numbers(capsys):
    game, board = load_game("kozel"), Board()
    passed = []

    def choose(state):
        passed.append(state.phase == "declare")
        return state.legal_actions()[-1 if passed[-1] else 0]

    for seed in range(50):
        passed.clear()
        board.show(Play(game, game.initial(seed)), choose, seed, ["N", "E", "S", "W"], public=True)
        output = click.unstyle(capsys.readouterr().out)
        numbers = [int(number) for number in re.findall(r"^ +(\d+)\. ", output, re.MULTILINE)]
        assert numbers == list(range(1, len(passed) - sum(passed) + 1))
        if any(passed):
            return
    pytest.fail("nobody could declare")


def test_who_cannot_declare_is_asked_only_if_others_are_at_the_terminal(monkeypatch):
    game = load_game("kozel")
    state = game.initial(1)
    while state.phase != "declare":
        state = state.apply(state.legal_actions()[-1])
    assert [*map(str, state.legal_actions())] == ["pass"]
    person, asked = human("kozel", monkeypatch, [])
    assert person.choose(state, random.Random(0)) == "pass"
    assert asked == []
    person, asked = human("kozel", monkeypatch, ["", "pass", ""])
    person.alone = False
    assert person.choose(state, random.Random(0)) == "pass"
    assert [question.partition(",")[0] for question in asked] == [
        f"Player {state.turn}",
        f"Player {state.turn}",
        "Enter to go on",
    ]


def test_people_at_one_terminal_do_not_see_each_others_hands():
    command = "play kozel --players human,greedy,human,greedy --seed 1"
    assert run(command, answers=["Q"])[1].endswith("nobody else is looking: Q\nStopped.\n")
    output = run(command, answers=["", "1", "", ""])[1]
    assert re.search(r"Player [13], press Enter when nobody else is looking", output)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("play whist", "unknown game 'whist', expected one of: challenge, hund, kozel,"),
        ("play kozel --players greedy", "1 player in 'greedy', expected 4 for kozel"),
        ("play kozel --option speed=3", "unknown option 'speed' of kozel, expected one of: dealer"),
        (
            "play kozel --option dealer",
            "option 'dealer' is wrong, expected KEY=VALUE, each key once",
        ),
        (
            "play challenge --option ranks=4 --option RANKS=3",
            "is wrong, expected KEY=VALUE, each key",
        ),
        ("play kozel --players perfect,greedy,greedy,greedy", "the player perfect plays challenge"),
        (
            "play challenge --players greedy,grandma",
            "unknown player 'grandma' (did you mean random?), expected one of",
        ),
        ("play challenge --deals 2 --match", "--deals and --match cannot be used together"),
        ("play challenge --target 2", "--target needs --match"),
        ("play kozel --match --target 7", "a match of kozel cannot end at '7', expected 12"),
        ("tournament challenge --players human,greedy", "a tournament is for programs"),
        ("tournament challenge --players greedy,greedy --deals 0", "--deals"),
        ("replay nosuchfile", "nosuchfile"),
    ],
)
def test_bad_input(arguments, message):
    status, output, error = run(arguments)
    assert (status, output) == (2, "")
    assert message in error
    assert "Traceback" not in error


def test_a_record_that_cannot_be_written(tmp_path):
    file = tmp_path / "missing" / "game"
    command = "play challenge --option ranks=1 --players greedy,greedy --record"
    status, output, _ = run(command, str(file))
    assert (status, output) == (2, "")  # before anything is played


def test_perfect_needs_a_table():
    status, _, error = run("play challenge --option ranks=10 --players perfect,greedy --quiet")
    assert status == 3
    assert "table" in error


def test_tournament():
    command = "tournament kozel --players greedy,random,greedy,random --deals 6 --seed 2"
    status, output, error = run(command)
    assert (status, error) == (0, "")
    assert output == run(command)[1]
    heading, *rows = output.splitlines()
    assert heading.split() == ["player", "games", "won", "drawn", "lost", "mean", "95%", "interval"]
    assert [row.split()[:2] for row in rows] == [["greedy", "24"], ["random", "24"]] * 2
    data = json.loads(run(command, "--json")[1])
    assert (data["game"], data["deals"], data["seed"]) == ("kozel", 6, 2)
    for row, result in zip(rows, data["results"], strict=True):
        assert result["won"] + result["drawn"] + result["lost"] == result["games"] == 24
        low, high = result["interval"]
        assert low < result["mean"] < high
        assert row.endswith(f"{result['mean']:+.3f}  {low:+.3f} to {high:+.3f}")


def test_the_interval_of_one_deal_is_wide_but_possible():
    command = "tournament challenge --players greedy,random --deals 1 --json"
    for result in json.loads(run(command)[1])["results"]:
        low, high = result["interval"]
        assert -1 <= low <= high - 1
        assert low <= result["mean"] <= high <= 1

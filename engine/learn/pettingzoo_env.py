"""Every game as a PettingZoo environment (AEC); needs the extra `pettingzoo`.

    env = make_env("kozel")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        ...

An observation is a dictionary: `observation`, the numbers of what the agent has seen (each game
says what they are: see `engine.observation`), and `action_mask`, 1 for each legal action, all 0 for
an agent whose turn it is not. A game that a driver calls drawn, for its length or a repetition,
ends by truncation.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from engine.arena.play import FINISHED, Play
from engine.errors import GameError
from engine.game import load_game
from engine.text import quoted

RENDER_MODES = ("ansi",)


class GameEnv(AECEnv):  # type: ignore[misc]
    """One game; every `reset` deals again."""

    def __init__(self, name: str, render_mode: str | None = None, **options: Any) -> None:
        """Raises GameError for an unknown game, option or mode."""
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise GameError(
                f"unknown render_mode {quoted(render_mode)}, "
                f"expected None or one of: {', '.join(RENDER_MODES)}"
            )
        self.game = load_game(name, **options)
        self.metadata = {
            "name": f"{name}_v0",
            "render_modes": [*RENDER_MODES],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(1, self.game.players + 1)]
        self._seeds = random.Random()
        self._play = Play(self.game, self.game.initial(0))
        size = len(self._play.state.observation(1).numbers())
        actions = self.game.action_count
        self._observation_spaces = {
            agent: Dict(
                observation=Box(0, 255, (size,), np.uint8),
                action_mask=Box(0, 1, (actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        """The same for every agent."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """The same for every agent."""
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal; the same seed gives the same deal, and the same deals after it."""
        if seed is not None:
            self._seeds = random.Random(seed)
        self._play = Play(self.game, self.game.initial(self._seeds.getrandbits(32)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[self._play.state.current_player - 1]

    def _legal(self) -> dict[int, Any]:
        state = self._play.state
        return {state.action_number(action): action for action in state.legal_actions()}

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent has seen, and what it may do."""
        player = self.possible_agents.index(agent) + 1
        mask = np.zeros(self.game.action_count, np.int8)
        if not self._play.end and player == self._play.state.current_player:
            mask[list(self._legal())] = 1
        numbers = self._play.state.observation(player).numbers()
        return {"observation": np.array(numbers, np.uint8), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Take an action of the agent selected. Raises GameError if it is not legal."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        legal = self._legal()
        if action is None or int(action) not in legal:
            raise GameError(f"action {action} is not legal, expected one of {sorted(legal)}")
        self._cumulative_rewards[agent] = 0.0
        self._play.act(legal[int(action)])
        self._clear_rewards()
        if end := self._play.end:
            self.rewards = dict(zip(self.agents, self._play.returns(), strict=True))
            ended = dict.fromkeys(self.agents, True)
            if end == FINISHED:
                self.terminations = ended
            else:
                self.truncations = ended
            self.agent_selection = self.agents[0]
        else:
            self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """With the mode `ansi` the text form of the state, all hands open."""
        return str(self._play.state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


def make_env(name: str, render_mode: str | None = None, **options: Any) -> Any:
    """The environment of a game with these options, which also watches the order of the calls."""
    return OrderEnforcingWrapper(GameEnv(name, render_mode, **options))

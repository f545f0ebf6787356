"""The connection to a Dask cluster: one way for all work that is handed to one.

Dask is imported when it is needed: it is an extra.
"""

from __future__ import annotations

import importlib
import logging
import re
import threading
import time
from asyncio import CancelledError as CancelledTask
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import BrokenExecutor, CancelledError
from contextlib import contextmanager, suppress
from typing import Any

from engine.errors import GameError
from solver.core.machine import cores

SCHEDULER_PATIENCE = 10
"""Seconds to wait for a scheduler."""
WORKER_PATIENCE = 60.0
"""Seconds to wait for workers when a cluster has none."""


class Cluster:
    """A connection; `client` is that of Dask. Belongs to one thread."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._some_done = threading.Event()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Hand out a task; its future, for `wait`."""
        future = self.client.submit(function, *arguments, pure=False)
        future.add_done_callback(lambda done: self._some_done.set())
        return future

    def workers(self) -> list[str]:
        """The addresses of the workers. Raises BrokenExecutor if the scheduler has gone."""
        self.check()
        try:
            return list(self.client.scheduler_info(n_workers=-1)["workers"])
        except OSError:
            raise _gone() from None

    def wait(self, futures: Collection[Any]) -> list[Any]:
        """Those that are done of some futures of `submit`, as soon as there is one.

        Raises BrokenExecutor if the scheduler goes away, or there are no workers for
        WORKER_PATIENCE seconds.
        """
        last = time.monotonic()
        while True:
            self._some_done.clear()
            if done := [future for future in futures if future.done()]:
                return done
            if self._some_done.wait(timeout=1):
                continue
            if self.workers():
                last = time.monotonic()
            elif time.monotonic() - last > WORKER_PATIENCE:
                raise BrokenExecutor(f"the cluster has had no workers for {WORKER_PATIENCE:.0f} s")

    def check(self) -> None:
        """Raise BrokenExecutor if the scheduler has gone."""
        if self.client.status != "running":
            raise _gone()

    def result(self, future: Any) -> Any:
        """What came of a task that is done.

        Raises what the task did, GameError if the workers lack a module, BrokenExecutor if they
        died of the task, again and again, or the scheduler has gone.
        """
        try:
            return future.result()
        except importlib.import_module("distributed").KilledWorker:
            raise BrokenExecutor("workers of the cluster have died again and again") from None
        except ImportError as error:
            raise GameError(f"the workers of the cluster lack something: {error}") from None
        except (CancelledError, CancelledTask):
            raise _gone() from None
        except OSError:
            self.check()
            raise


def _gone() -> BrokenExecutor:
    return BrokenExecutor("the scheduler of the cluster has gone")


@contextmanager
def connected(address: str, *, local: bool = False) -> Iterator[Cluster]:
    """The cluster whose scheduler has this address.

    `local`: the address may also be `local:K`, for K processes of this machine, which share its
    cores and end with the block. Raises ImportError without the extra `cluster`, GameError if the
    address is none or no scheduler answers there.
    """
    distributed: Any = importlib.import_module("distributed")
    count = re.fullmatch(r"local:([1-9]\d{0,2})", address) if local else None
    if not count and not re.fullmatch(r"(tcp|tls|wss?)://.+:\d{1,5}", address):
        example = "tcp://localhost:8786" + " or local:2" * local
        raise GameError(f"{address!r} is no address, expected one such as {example}")
    secure = distributed.Security().get_connection_args("client").get("ssl_context")
    if address.startswith(("tls", "wss")) and secure is None:
        raise GameError(f"{address} takes certificates, expected them in the configuration of Dask")
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.startswith(("asyncio", "distributed")):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what goes wrong is said here
    processes = None
    try:
        if count:
            processes = distributed.LocalCluster(
                int(count[1]),
                threads_per_worker=max(1, cores() // int(count[1])),
                dashboard_address=None,
                memory_limit=0,
            )
        client = distributed.Client(
            processes or address, timeout=SCHEDULER_PATIENCE, set_as_default=False
        )
    except OSError:
        raise GameError(f"no Dask scheduler answers at {address}") from None
    try:
        yield Cluster(client)
    finally:
        for each in (client, processes):
            if each is not None:
                with suppress(Exception):
                    each.close(timeout=SCHEDULER_PATIENCE / 2)

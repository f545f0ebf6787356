"""The server of `challenge explore` on loopback: table answers a second, and whether memory grows.

Clients in threads of this process ask for random positions, each on a connection of its own, one
after the other. Memory is that of the server's process: when all is loaded and a tenth of the
requests is answered, and at the end.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import click

from benchmarks.command_line import random_position
from benchmarks.report import json_option, print_report
from cli.bench import COMMAND

WARMING = 200
"""Requests before the clock runs."""


def megabytes(process: int) -> float | None:
    """The resident memory of a process, where /proc tells it."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return None
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def ask(place: tuple[str, int], paths: list[str]) -> list[float]:
    """The seconds that each of these requests takes, one after the other."""
    connection = HTTPConnection(*place, timeout=60)
    times = []
    for path in paths:
        started = time.perf_counter()
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - started)
        if answer.status != 200:
            raise click.ClickException(f"{path} has the status {answer.status}")
    connection.close()
    return times


@click.command(help=__doc__)
@click.option("--requests", type=click.IntRange(10), default=100_000)
@click.option("--clients", type=click.IntRange(1), default=8)
@json_option
def main(requests: int, clients: int, as_json: bool) -> None:
    rng = random.Random(1)
    positions = [random_position(rng) for _ in range(min(requests, 10_000))]
    paths = [f"/api/v1/solve?position={quote(str(position))}" for position in positions]
    command = [sys.executable, "-c", COMMAND, "explore", "--no-browser", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = urlsplit(server.stdout.readline().strip())
        place = str(address.hostname), int(address.port or 0)
        for _ in range(2):
            ask(place, paths[:WARMING])
        part, rest = requests // 10, requests - requests // 10
        everything: list[float] = []
        memory = []
        started = time.perf_counter()
        for count in (part, rest):
            each = [
                [paths[(k + client * 997) % len(paths)] for k in range(count // clients)]
                for client in range(clients)
            ]
            with ThreadPoolExecutor(clients) as pool:
                for times in pool.map(ask, [place] * clients, each):
                    everything += times
            memory.append(megabytes(server.pid))
        seconds = time.perf_counter() - started
    finally:
        server.terminate()
        server.wait(20)
    everything.sort()
    row = {
        "clients": clients,
        "requests": len(everything),
        "requests/s": len(everything) / seconds,
        "median ms": 1000 * statistics.median(everything),
        "99th percentile ms": 1000 * everything[len(everything) * 99 // 100],
        "MB": memory[0],
        "MB at the end": memory[1],
    }
    print_report([row], as_json)


if __name__ == "__main__":
    main()

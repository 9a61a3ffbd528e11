"""Failovers: the primary of a highly available PostgreSQL is killed under writers and deliveries.

scripts/test-failover starts the servers, and gives the commands that lose a primary and mend it."""

import collections
import os
import pathlib
import time

import story
from proof import kills, service, writer

UNIT_SECONDS = 90
# A unit counts when it is over, and a failover takes up to a minute.
UNIT_SECONDS_LONG = 200
SITE = service.Site
CALM_SECONDS = 4


# Onward takes each variable ONWARD_… for a setting.
COMMANDS = pathlib.Path(os.environ.pop("ONWARD_FAILOVER", ""))


def prove_unit(site, choices, seconds, _evidence):
    """Loses the primary, waits until the nodes serve again, and mends the lost server, again and again."""
    end = time.monotonic() + seconds
    under_test = kills.Service(site, choices, "postgres", 2)
    tried = collections.Counter()
    try:
        while not tried or time.monotonic() < end:
            threads = writer.start(under_test.writers, pause_seconds=kills.WRITE_PAUSE_SECONDS)
            time.sleep(CALM_SECONDS * choices.random())
            story.run(COMMANDS / "lose-primary")
            under_test.stops += 1
            if choices.random() < 0.5:
                under_test.kill_nodes()
            under_test.wait_until_ready()
            time.sleep(CALM_SECONDS * choices.random())
            writer.end(under_test.writers, threads)
            story.run(COMMANDS / "mend")
            tried["failovers"] += 1
        under_test.settle()
    finally:
        under_test.end()
    tried.update(under_test.tried)
    return dict(tried), under_test.wrong


def prove_control(site, choices):
    """The same triggers as in `kills`, in PostgreSQL."""
    return kills.prove_control(site, choices, "postgres")

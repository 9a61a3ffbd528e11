"""Kills: nodes, imports, backups and migrations are killed at random, and PostgreSQL stops at once.

Writers and a receiver go on meanwhile, on SQLite and on PostgreSQL, with one node and with two. At
the end of a unit everything acknowledged is in the store, and each event came to the receiver."""

import collections
import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time
import urllib.parse

import story
from proof import account, companions, power, service, state_log, writer
from story import Failed, run_sql, wait_until

UNIT_SECONDS = 30
UNIT_SECONDS_LONG = 400
SITE = service.Site
WRITERS = 4
WRITE_PAUSE_SECONDS = 0.05
ROUND_SECONDS_MAX = 0.6
# A killed node's lease ends after 30 s where another node may hold it.
LEASE_SECONDS = 45
DELIVERED_SECONDS_MAX = 120
# `callback_concurrency`: a killed node repeats at most the attempts that were under way.
REPEATS_OF_KILL_MAX = 8
START_SECONDS_MAX = 120
START_PAUSE_SECONDS = 0.5
CONTROLS = {
    "a trigger that drops deliveries": {
        "sqlite": "create trigger proof_drop after insert on delivery when new.id % 5 = 0 "
        "begin delete from delivery where id = new.id; end",
        "postgres": "create function proof_drop() returns trigger language plpgsql as "
        "'begin return case when new.id % 5 = 0 then null else new end; end'; "
        "create trigger proof_drop before insert on delivery for each row execute function proof_drop()",
    },
    "a trigger that takes back milestones": {
        "sqlite": "create trigger proof_keep after update on milestone when new.id % 3 = 0 "
        "begin update milestone set date = old.date where id = new.id; end",
        "postgres": "create function proof_keep() returns trigger language plpgsql as "
        "'begin if new.id % 3 = 0 then new.date = old.date; end if; return new; end'; "
        "create trigger proof_keep before update on milestone for each row execute function proof_keep()",
    },
    "a trigger that moves places in the log of states": {
        "sqlite": "create trigger proof_place after update of log_index on sealed when new.log_index % 3 = 0 "
        "begin update sealed set log_index = new.log_index + 1 "
        "where chain_id = new.chain_id and version = new.version; end",
        "postgres": "create function proof_place() returns trigger language plpgsql as "
        "'begin if new.log_index % 3 = 0 then new.log_index = new.log_index + 1; end if; return new; end'; "
        "create trigger proof_place before update on sealed for each row execute function proof_place()",
    },
}
CONTROL_WRITES = 200


class Service:
    """Nodes on one store, with writers and a receiver, while they are killed."""

    def __init__(self, site, choices, engine, count):
        self.site, self.choices, self.engine = site, choices, engine
        self.nodes = site.make_service(engine, count)
        self.store = self.nodes[0].store
        self.journal, self.tried, self.wrong = writer.Journal(), collections.Counter(), []
        self.receiver = service.Receiver(self.nodes[0])
        self.base = power.prepare(site, self.nodes, self.store, self.receiver)
        self.witness = state_log.Witness(self.nodes, self.nodes[0].checkpoint_file)
        self.stops = 0
        for node in self.nodes:
            node.start()
        self.wait_until_ready()
        self.writers = writer.make_writers(self.nodes, self.journal, choices, WRITERS)

    def wait_until_ready(self):
        for node in self.nodes:
            self.wait_for(node)

    def wait_for(self, node):
        """Waits until a node is ready. A node that starts while PostgreSQL is away ends, and is started again."""
        end = time.monotonic() + START_SECONDS_MAX
        while True:
            try:
                node.wait_until_ready()
                return
            except Failed:
                may_again = self.engine == "postgres" and node.process.poll() is not None
                if not may_again or time.monotonic() > end:
                    raise
            time.sleep(START_PAUSE_SECONDS)
            self.site.running.remove(node.process)
            node.start()

    def kill_until(self, end):
        """Kills until this time. In each round, one node or all nodes are killed and started again."""
        companion = companions.choose(self)
        threads = writer.start(self.writers, pause_seconds=WRITE_PAUSE_SECONDS)
        try:
            while time.monotonic() < end:
                time.sleep(self.choices.random() * ROUND_SECONDS_MAX)
                companion.go_on()
                if self.engine == "postgres" and self.choices.random() < 0.25:
                    self.stop_postgres()
                else:
                    self.kill_nodes()
            self.wait_until_ready()
            companion.finish()
        finally:
            writer.end(self.writers, threads)
        self.tried.update(companion.tried)
        self.wrong += companion.wrong

    def kill_nodes(self):
        victims = self.nodes if self.choices.random() < 0.3 else [self.choices.choice(self.nodes)]
        for node in victims:
            self.site.kill(node.process)
            node.start()
        self.stops += len(victims)
        self.tried["kills of nodes"] += len(victims)
        # Sometimes a node is killed again before it serves.
        if self.choices.random() < 0.8:
            for node in victims:
                self.wait_for(node)
        else:
            time.sleep(self.choices.random() / 10)

    def stop_postgres(self):
        if stop_postgres_at_once():
            self.stops += 1
            self.tried["immediate stops of PostgreSQL"] += 1
            self.wait_until_ready()

    def settle(self):
        """Waits until all events are delivered, and checks everything."""
        self.wait_until_ready()
        began = time.monotonic()
        is_delivered = holds_within(lambda: not self.read().waiting(), LEASE_SECONDS)
        if not is_delivered:
            # On a busy machine attempts may have failed, and the next ones would come minutes later.
            self.retry()
            is_delivered = holds_within(lambda: not self.read().waiting(), DELIVERED_SECONDS_MAX)
        if not is_delivered:
            self.wrong.append("events wait, although the receiver answers")
        self.tried["seconds until all was delivered"] += round(time.monotonic() - began)
        received, memory = self.receiver.events, self.witness.at(self.nodes[0].checkpoint_file)
        if not holds_within(lambda: account.Account(self.store, self.base, memory).log.is_complete(), LEASE_SECONDS):
            self.wrong.append("sealed versions wait, although the nodes serve")
        self.tried["checkpoints of the log seen"] += len(memory.seen)
        self.wrong += account.examine(self.store, self.base, self.journal.writes, received, memory=memory)
        events = [row[1] for row in self.read().table["event"]]
        missing = [event for event in events if event not in received]
        if missing:
            self.wrong.append(f"lost: {len(missing)} events never came, such as {missing[0]}")
        repeats = sum(count - 1 for count in received.values())
        if repeats > REPEATS_OF_KILL_MAX * self.stops:
            self.wrong.append(f"{repeats} events came again after {self.stops} kills")
        self.tried["events received"] += len(events) - len(missing)
        self.tried["events that came again"] += repeats
        self.tried["acknowledged writes"] += self.journal.count("acknowledged")
        self.tried["writes without an outcome"] += self.journal.count("unknown")
        self.wrong += self.journal.wrong

    def retry(self):
        """Asks for all pending deliveries at once, as a subscriber does after an outage."""
        caller = self.writers[0].caller
        listed = caller.ask("base_url", "GET", "/api/v1/webhook/subscriptions", None, caller.api_key())
        for one in listed.content["data"]:
            path = f"/api/v1/webhook/subscriptions/{one['subscriptionId']}/retry"
            caller.ask("base_url", "POST", path, None, caller.api_key())
        self.tried["times that the subscriber asked for a retry"] += 1

    def read(self):
        return account.Account(self.store, self.base)

    def end(self):
        for node in self.nodes:
            if node.process in self.site.running:
                self.site.kill(node.process)
        self.witness.end()
        self.receiver.shutdown()
        self.receiver.server_close()
        for node in self.nodes:
            shutil.rmtree(node.folder, ignore_errors=True)
        if self.engine == "postgres":
            self.site.drop_database(urllib.parse.urlsplit(self.store).path[1:])


def holds_within(holds, seconds):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def stop_postgres_at_once():
    """Restarts the private server of scripts/test, without an orderly end. Another server is left alone."""
    folder = run_sql("show data_directory").strip()
    if "/onward-test." not in folder:
        return False
    programs = run_sql("select setting from pg_config where name = 'BINDIR'").strip()
    command = [f"{programs}/pg_ctl", "restart", f"--pgdata={folder}", "--mode=immediate", "--wait", "--silent"]
    command.append(f"--log={folder}/../log")
    owner = str(pathlib.Path(folder).stat().st_uid)
    if owner != str(os.getuid()):
        command = ["setpriv", f"--reuid={owner}", "--clear-groups", *command]
    # The server outlives the command, and must not keep its output open.
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # The server's options name its folder as one below the present folder.
    if subprocess.run(command, cwd=pathlib.Path(folder).parent, check=False, **options).returncode != 0:
        raise Failed("PostgreSQL did not start again")
    wait_until("PostgreSQL answers", answers)
    return True


def answers():
    try:
        return run_sql("select 1").strip() == "1"
    except Failed:
        return False


def prove_unit(site, choices, seconds, _evidence):
    """Half of the time for each engine, and then migrations of an older store on both."""
    tried, wrong = collections.Counter(), []
    for engine in choices.sample(["sqlite", "postgres"], 2):
        count = choices.choice([1, 2])
        under_test = Service(site, choices, engine, count)
        try:
            under_test.kill_until(time.monotonic() + seconds / 2)
            under_test.settle()
            migration = companions.Migration(under_test)
            migration.run()
            tried.update(migration.tried)
        finally:
            under_test.end()
        tried.update(under_test.tried)
        tried[f"runs of {count} node{'s' * (count - 1)} on {engine}"] += 1
        found = under_test.wrong + migration.wrong
        if found:
            found += [line for node in under_test.nodes for line in site.last_lines(node, " ERROR ")]
        wrong += [f"{engine}, {count} nodes: {text}" for text in found]
    return dict(tried), wrong


def prove_control(site, choices, engine="sqlite"):
    """Triggers in the store drop deliveries, and take back milestones."""
    found, shown = [], []
    for fault, statements in CONTROLS.items():
        under_test = Service(site, choices, engine, 1)
        try:
            run_statements(under_test.store, statements[engine])
            for one in under_test.writers:
                for _write in range(CONTROL_WRITES // WRITERS):
                    one.send(one.plan())
            if engine == "sqlite":
                under_test.kill_nodes()
            under_test.settle()
        finally:
            under_test.end()
        found.append(len(under_test.wrong))
        shown += under_test.wrong[:1]
    return {"fault": ", ".join(CONTROLS), "found": min(found), "shown": shown}


def run_statements(store, text):
    """Changes a store as no part of the program would."""
    if store.startswith("postgres"):
        story.run("psql", "-XqAt", "--set=ON_ERROR_STOP=1", f"--command={text}", store)
        return
    with contextlib.closing(sqlite3.connect(store, timeout=30)) as connection:
        connection.executescript(text)

"""The account of a store: everything acknowledged is there, each event once, and nothing that was refused."""

import collections
import dataclasses
import json
import sqlite3

import story
from proof import state_log
from proof.writer import LABELS

SAID_MAX = 20
# The columns and the rest of each query. `{base}` is the newest id of the table before the proof.
QUERIES = {
    # Imports write events of their own, and no writer knows of their lines.
    "history": (
        "id, listing_id, action, detail",
        "from history where id > {base} and actor <> 'import' order by id",
    ),
    "event": ("id, event_id, event_type, listing_id, label, date, detail", "from event where id > {base}"),
    "delivery": ("event_row, subscription_id, state", "from delivery where id > {base}"),
    "subscription": ("id, callback_url", "from subscription where id > {base}"),
    "listing": ("id, external_id, price, deleted_at", "from listing where id > {base}"),
}
WHOLE_QUERIES = {
    "link": ("seller_listing_id, buyer_listing_id", "from link"),
    "end_check": ("listing_id, chain_end", "from end_check"),
    "watched": ("uprn, subscription_id", "from watched"),
    "idempotency": ("request_key, status", "from idempotency"),
}
DATES = "l.id, m.type_id, m.date, m.deleted_at"
DATES_FROM = "from milestone m join listing l on l.id = m.listing_id"


class Store:
    """Reads the rows of an SQLite file or a PostgreSQL database."""

    def __init__(self, name):
        self.name, self.is_file = str(name), not str(name).startswith("postgres")
        self.connection = None

    def __enter__(self):
        if self.is_file:
            self.connection = sqlite3.connect(self.name, timeout=30)
            # One state for all queries.
            self.connection.execute("begin")
        return self

    def __exit__(self, *_error):
        if self.connection:
            self.connection.close()

    def rows(self, columns, rest):
        if self.is_file:
            return self.connection.execute(f"select {columns} {rest}").fetchall()
        # The order of a whole query is that of the rows that it encodes.
        sql = f"select json_build_array({columns}) {rest}"
        text = story.run("psql", "-XqAt", "--set=ON_ERROR_STOP=1", f"--command={sql}", self.name)
        return [tuple(json.loads(line)) for line in text.splitlines()]

    def all_rows(self, queries):
        """The rows of each query in one state of the store."""
        if self.is_file:
            return {name: self.rows(*query) for name, query in queries.items()}
        lists = [
            f"(select coalesce(json_agg(json_build_array({columns})), '[]') {rest})"
            for columns, rest in queries.values()
        ]
        (found,) = self.rows(", ".join(lists), "")
        return {name: [tuple(row) for row in rows] for name, rows in zip(queries, found, strict=True)}

    def damage(self):
        if not self.is_file:
            return []
        # The faults that the pages show, and rows without the rows that they need.
        said = [row[0] for row in self.connection.execute("pragma integrity_check") if row[0] != "ok"]
        return said + [f"foreign key {row}" for row in self.connection.execute("pragma foreign_key_check")]


@dataclasses.dataclass
class Base:
    """The store before the proof: the newest id of each table, the milestone types, the subscription."""

    ids: dict
    keys: dict
    subscription: int

    @classmethod
    def read(cls, store, types, callback_url):
        with Store(store) as opened:
            ids = {name: opened.rows("coalesce(max(id), 0)", f"from {name}")[0][0] for name in QUERIES}
            subscriptions = opened.rows("id, callback_url", "from subscription")
        (subscription,) = [number for number, url in subscriptions if url == callback_url]
        return cls(ids, types, subscription)


class Account:
    """What the rows of a store say, compared with a journal."""

    def __init__(self, store, base, memory=None):
        """With the memory of a witness, the account has the public log, too."""
        self.base, self.wrong, self.memory = base, [], memory
        self.file = memory and state_log.read_file(memory)
        with Store(store) as opened:
            self.wrong += opened.damage()
            self.table = {
                name: opened.rows(columns, rest.format(base=base.ids[name]))
                for name, (columns, rest) in QUERIES.items()
            }
            self.table |= {name: opened.rows(*query) for name, query in WHOLE_QUERIES.items()}
            listed = f"{DATES_FROM} where m.type_id in ({', '.join(map(str, base.keys))})"
            self.table["milestone"] = opened.rows(DATES, listed)
            if memory:
                self.log = state_log.Log(opened.all_rows(state_log.QUERIES))
        self.facts = collections.Counter(self.read_facts())

    def read_facts(self):
        for _id, listing, action, detail in self.table["history"]:
            told = json.loads(detail)
            if action == "milestone.recorded":
                yield "milestone", listing, told["key"], told.get("date")
            elif action == "milestone.withdrawn":
                yield "withdrawn", listing, told["key"]
            elif action == "listing.updated" and "price" in told:
                yield "price", listing, told["price"]
            elif action == "listing.created":
                yield "created", told.get("external_id")
            elif action == "listing.withdrawn":
                yield "deleted", listing
            elif action in ("link.added", "link.broken") and told["seller"] == listing:
                yield "linked" if action == "link.added" else "broken", listing, told["buyer"]
            elif action in ("end.checked", "end.unchecked"):
                yield action.partition(".")[2], listing, told["end"]
        for _id, url in self.table["subscription"]:
            yield "subscribed", url
        for uprn, _subscription in self.table["watched"]:
            yield "watched", uprn
        for key, _status in self.table["idempotency"]:
            yield "kept", key

    def compare(self, writes, before_ns=None):
        """`before_ns`: only what was acknowledged before this time has to be there."""
        for write in writes:
            count = self.facts[write.fact]
            is_due = before_ns is None or write.answered_ns < before_ns
            if write.outcome == "acknowledged" and is_due and count == 0:
                self.wrong.append(f"lost: {write.fact}, acknowledged at {write.answered_ns}")
            if write.outcome == "acknowledged" and is_due and write.key and not self.facts["kept", write.key]:
                self.wrong.append(f"lost: the kept answer of {write.key}")
            if write.outcome == "refused" and count:
                self.wrong.append(f"stored although refused: {write.fact}, {write.answers}")
        self.wrong += [f"{count} times: {fact}" for fact, count in self.facts.items() if count > 1]

    def check_events(self):
        """Each recorded milestone has one event, and each event one delivery to the subscription."""
        labelled = collections.Counter()
        for fact, count in self.facts.items():
            if fact[0] == "milestone" and fact[2] in LABELS:
                labelled[fact[1], LABELS[fact[2]], fact[3]] += count
        found = collections.Counter()
        for _row, _id, kind, listing, label, date, _detail in self.table["event"]:
            if kind == "milestone.updated":
                found[listing, label, date] += 1
        for key in labelled.keys() | found.keys():
            if labelled[key] != found[key]:
                self.wrong.append(f"{labelled[key]} recordings and {found[key]} events of {key}")
        self.compare_changes("link.added", "linked", 2)
        own = self.base.subscription
        delivered = collections.Counter(row for row, number, _state in self.table["delivery"] if number == own)
        for row in [event[0] for event in self.table["event"]]:
            if delivered[row] != 1:
                self.wrong.append(f"event {row} has {delivered[row]} deliveries")

    def compare_changes(self, action, change, lines):
        """Each change of a chain wrote so many lines of history, and one event."""
        written = sum(row[2] == action for row in self.table["history"])
        changed = [json.loads(row[6] or "{}") for row in self.table["event"] if row[2] == "chain.changed"]
        announced = sum(detail.get("change") == change for detail in changed)
        if written != lines * announced:
            self.wrong.append(f"{written} lines {action}, {announced} events {change}")

    def check_states(self):
        """The state is the one that the history tells."""
        dates, prices, linked, checked = {}, {}, {}, {}
        for _id, listing, action, detail in self.table["history"]:
            told = json.loads(detail)
            if action.startswith("milestone."):
                dates[listing, told["key"]] = told.get("date")
            elif action.startswith("link."):
                linked[told["seller"], told["buyer"]] = action == "link.added"
            elif action.startswith("end."):
                checked[listing, told["end"]] = action == "end.checked"
            elif action in ("listing.created", "listing.updated"):
                prices[listing] = told.get("price", prices.get(listing))
        stored = {
            (listing, self.base.keys[kind]): date if deleted is None else None
            for listing, kind, date, deleted in self.table["milestone"]
        }
        for key, date in dates.items():
            if stored.get(key) != date:
                self.wrong.append(f"the milestone {key} is {stored.get(key)}, and its history says {date}")
        for name, told in (("link", linked), ("end_check", checked)):
            found = {tuple(row) for row in self.table[name]}
            differing = [row for row, is_there in told.items() if (row in found) != is_there]
            self.wrong += [f"the {name} {row} contradicts its history" for row in differing]
        for listing, external, price, _deleted in self.table["listing"]:
            if external and external.startswith("proof-") and prices.get(listing) != price:
                self.wrong.append(f"the price of {listing} is {price}, and its history says {prices.get(listing)}")

    def check_log(self, before_ns):
        if self.memory:
            self.log.compare(self.memory, self.file, before_ns)
            self.wrong += self.log.wrong

    def check_delivered(self, received):
        """Nothing counts as delivered that the receiver has not got."""
        event_ids = {row[0]: row[1] for row in self.table["event"]}
        for row, number, state in self.table["delivery"]:
            if number == self.base.subscription and state == "delivered" and event_ids.get(row) not in received:
                self.wrong.append(f"event {row} counts as delivered, and never came")

    def waiting(self):
        own = self.base.subscription
        return sum(number == own and state != "delivered" for _row, number, state in self.table["delivery"])


def examine(store, base, writes, received=(), before_ns=None, memory=None):
    """All that is wrong with a store."""
    try:
        account = Account(store, base, memory)
        account.compare(writes, before_ns)
        account.check_events()
        account.check_states()
        account.check_delivered(received)
        account.check_log(before_ns)
    except (sqlite3.DatabaseError, TypeError, ValueError) as error:
        return [f"damaged: {error}"]
    return account.wrong[:SAID_MAX]

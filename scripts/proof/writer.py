"""Writers over HTTPS, and the journal of all that they sent and were answered."""

import dataclasses
import datetime
import threading
import time

import story
from proof.service import AGENT, LENDER, Caller

FIRST_DATE = datetime.date(1990, 1, 1)
DATES = 13_000
# The milestones that writers record, with the labels of their events. None of them changes which
# listing of a property is current.
LABELS = {
    "searches_ordered": "Searches Ordered",
    "la_search_delivered": "Search Delivered",
    "environmental_search_delivered": "Environmental Search Delivered",
    "water_search_delivered": "Water Search Delivered",
    "funding_applied": "Mortgage Applied",
    "mortgage_offered": "Mortgage Offered",
}
FIRST_UPRN = 700_000_000_000
# With these codes a 503 says that nothing was changed.
UNCHANGED = {"unavailable", "not_ready", "leaving"}
RETRY_SECONDS = 0.02


@dataclasses.dataclass
class Write:
    """A write, the fact that the store has once it is acknowledged, and its outcome."""

    kind: str
    method: str
    path: str
    body: dict | None
    fact: tuple
    key: str | None = None
    address: str = "listing_base_url"
    # acknowledged, refused (nothing was changed), or unknown
    outcome: str = "unknown"
    answered_ns: int = 0
    answers: list = dataclasses.field(default_factory=list)


class Journal:
    """All writes of a run, in the order of their ends, and the answers that are wrong in any case."""

    def __init__(self):
        self.writes, self.wrong, self.lock = [], [], threading.Lock()
        # Whether the store is unreadable at the moment, which is a 500.
        self.is_damaged = False
        self.uprns = iter(range(FIRST_UPRN, FIRST_UPRN + 10**9))

    def note(self, write):
        with self.lock:
            self.writes.append(write)

    def accuse(self, text):
        with self.lock:
            self.wrong.append(text)

    def count(self, outcome):
        with self.lock:
            return sum(write.outcome == outcome for write in self.writes)


class Writer:
    """Writes as an agent does. No two writers write to one listing, and no write is planned twice."""

    def __init__(self, service, journal, choices, number, places, keyed_share=0.4):
        self.service, self.journal, self.choices, self.number = service, journal, choices, number
        self.caller = Caller(service, AGENT, number)
        self.places, self.keyed_share = places, keyed_share
        self.recorded, self.written, self.sales = 0, 0, []
        self.is_over = threading.Event()

    def run(self, pause_seconds=0.0, count_max=None):
        try:
            while not self.is_over.is_set() and (count_max is None or self.written < count_max):
                self.send(self.plan())
                if pause_seconds:
                    self.is_over.wait(pause_seconds * self.choices.random())
        except Exception as error:
            self.journal.accuse(f"writer {self.number} ended: {error!r}")

    def plan(self):
        """The next write: a milestone of a given listing, or the next step of one of two own sales."""
        luck = self.choices.random()
        if luck < 0.02:
            return self.plan_subscription()
        if luck < 0.5:
            return self.plan_milestone()
        if len(self.sales) < 2:
            self.sales.append(Sale(self))
        sale = self.choices.choice(self.sales)
        return sale.plan()

    def plan_milestone(self):
        listing, key = self.places[self.recorded % len(self.places)]
        date = FIRST_DATE + datetime.timedelta(days=self.recorded // len(self.places) % DATES)
        self.recorded += 1
        return self.record(listing, key, date)

    def plan_subscription(self):
        """A subscription to events that no writer causes."""
        # Nothing is ever sent there.
        url = f"https://{story.HOST}:9/{self.number}/{self.written}"
        body = {"participantName": LENDER, "callbackUrl": url, "events": ["fallthrough"]}
        path = "/api/v1/webhook/subscribe"
        return Write("subscribe", "POST", path, body, ("subscribed", url), address="base_url")

    def record(self, listing, key, date):
        path = f"/api/v1/listing/{listing}/milestone/{key}"
        fact = ("milestone", listing, key, str(date))
        return Write("milestone", "PUT", path, {"date": str(date)}, fact)

    def send(self, write):
        """Sends a write until its outcome is known if it has a key, and else once."""
        if write.key is None and write.address == "listing_base_url" and self.choices.random() < self.keyed_share:
            write.key = f"proof-{self.number}-{self.written}-{self.choices.getrandbits(40)}"
        self.written += 1
        while True:
            self.caller.need_token(self.is_over.is_set)
            answer = self.try_once(write)
            again = write.key and write.outcome == "unknown" or answer.status == 401
            if not again or self.is_over.is_set():
                break
            time.sleep(RETRY_SECONDS)
        self.journal.note(write)
        # Only a node that answers is worth the next write.
        if write.outcome == "unknown":
            time.sleep(RETRY_SECONDS)
        return write

    def try_once(self, write):
        header = self.caller.own_header(write.key)
        if write.address == "base_url":
            header = self.caller.api_key()
        answer = self.caller.ask(write.address, write.method, write.path, write.body, header)
        write.answers.append((answer.status, answer.code()))
        write.answer = answer
        write.answered_ns = answer.ended_ns
        write.outcome = self.judge(write, answer)
        if answer.status == 401:
            self.caller.token_ends = 0
        return answer

    def judge(self, write, answer):
        if answer.status // 100 == 2:
            return "acknowledged"
        if answer.status in (0, 401):
            # A repeated write may have been stored by an earlier attempt.
            return "unknown" if answer.status == 0 or len(write.answers) > 1 else "refused"
        if answer.status == 503 and answer.code() in UNCHANGED:
            tried_before = any(status != 503 or code == "unconfirmed" for status, code in write.answers[:-1])
            return "unknown" if tried_before else "refused"
        if answer.status == 503 and answer.code() == "unconfirmed":
            return "unknown"
        if answer.status != 500 or not self.journal.is_damaged:
            self.journal.accuse(f"{write.method} {write.path} {write.body} got {answer.status}: {answer.content}")
        # The store must not have it, even if callers may not rely on that.
        return "unknown" if len(write.answers) > 1 else "refused"

    def next_uprn(self):
        with self.journal.lock:
            return next(self.journal.uprns)


class Sale:
    """Two new listings of a writer: they are linked, checked and written, and at last broken apart.

    Each step needs the answer of the step before, so a step without an answer ends the sale."""

    STEPS = ["create", "create", "price", "link", "record", "check", "withdraw", "uncheck", "unlink", "delete"]

    def __init__(self, writer):
        self.writer, self.listings, self.left = writer, [], list(self.STEPS)
        self.last = None

    def plan(self):
        if self.last is not None and self.last.outcome != "acknowledged":
            self.left = []
        if self.last is not None and self.last.kind == "create" and self.left:
            self.listings.append(int(self.last.answer.content["data"]["id"]))
        if not self.left:
            self.writer.sales.remove(self)
            return self.writer.plan_milestone()
        self.last = getattr(self, self.left.pop(0))()
        return self.last

    def create(self):
        uprn = self.writer.next_uprn()
        external = f"proof-{uprn}"
        branch = self.writer.caller.client["branches"][0]
        address = {"line1": f"{uprn - FIRST_UPRN + 1} Proof Lane", "postTown": "Leeds", "postcode": "LS1 4AP"}
        body = {"address": address | {"uprn": uprn}, "branch_id": branch, "price": 1, "external_id": external}
        return Write("create", "POST", "/api/v1/listing", body, ("created", external))

    def price(self):
        price = 100_000 + self.writer.choices.randrange(10**6)
        body = {"price": price}
        return Write("price", "PATCH", f"/api/v1/listing/{self.listings[0]}", body, ("price", self.listings[0], price))

    def link(self):
        return self.pair("link", "linked", "/api/v1/chain/add/link")

    def unlink(self):
        return self.pair("unlink", "broken", "/api/v1/chain/remove/link")

    def pair(self, kind, fact, path):
        seller, buyer = self.listings
        return Write(kind, "POST", path, {"seller": seller, "buyer": buyer}, (fact, seller, buyer))

    def record(self):
        return self.writer.record(self.listings[0], "searches_ordered", FIRST_DATE)

    def withdraw(self):
        path = f"/api/v1/listing/{self.listings[0]}/milestone/searches_ordered"
        return Write("withdraw", "DELETE", path, None, ("withdrawn", self.listings[0], "searches_ordered"))

    def check(self):
        return self.mark("check", "checked")

    def uncheck(self):
        return self.mark("uncheck", "unchecked")

    def mark(self, kind, fact):
        path = f"/api/v1/listing/chain/{self.listings[0]}/{kind}/top"
        return Write(kind, "POST", path, {}, (fact, self.listings[0], "top"))

    def delete(self):
        path = f"/api/v1/listing/{self.listings[1]}"
        return Write("delete", "DELETE", path, None, ("deleted", self.listings[1]))


def make_writers(service, journal, choices, count, **options):
    """Writers that share the given current listings of the agent."""
    caller = Caller(service, AGENT)
    caller.need_token()
    answer = caller.ask("listing_base_url", "GET", "/api/v1/listing?per_page=100", None, caller.own_header())
    listings = [int(one["id"]) for one in answer.content["data"]]
    places = [(listing, key) for key in LABELS for listing in listings]
    choices.shuffle(places)
    return [
        Writer(service, journal, type(choices)(choices.random()), number, places[number::count], **options)
        for number in range(count)
    ]


def start(writers, **options):
    threads = [threading.Thread(target=writer.run, kwargs=options, daemon=True) for writer in writers]
    for thread in threads:
        thread.start()
    return threads


def end(writers, threads):
    for writer in writers:
        writer.is_over.set()
    for thread in threads:
        thread.join()

"""Client of Onward: signed property chains, listings and events (England and Wales)."""

from .catalogue import (
    Branch,
    Catalogue,
    KnownAddress,
    MilestoneGroup,
    MilestoneType,
    WorkflowStep,
)
from .chain_calls import Chains, LinkResult
from .chains import (
    Address,
    Chain,
    ChainAnswer,
    Milestones,
    Pagination,
    Participants,
    Property,
    Provenance,
    Searches,
)
from .client import Client
from .errors import (
    Conflict,
    ConnectionFailed,
    EventRefused,
    Explanation,
    Fault,
    Forbidden,
    Invalid,
    KeysUnavailable,
    NotFound,
    OnwardError,
    Problem,
    ProblemError,
    RateLimited,
    TokenError,
    Unauthorised,
    Unavailable,
    UnexpectedAnswer,
    UsageError,
    VerificationError,
)
from .events import Event, EventVerifier
from .keys import Keys, KeySet
from .listing_bodies import (
    UNCHANGED,
    ListingChanges,
    MilestoneRecord,
    NewAddress,
    NewListing,
)
from .listing_document import ListingDocument
from .listing_model import (
    ChainPlace,
    HistoryEntry,
    LinkProposal,
    Listing,
    ListingDetails,
    Milestone,
    Page,
    Parties,
)
from .listings import Listings
from .progress import Bottleneck, Forecast
from .queries import AddressSuggestion
from .receiver import Receiver, Reply
from .remote_keys import RemoteKeySet
from .seen import (
    Freshness,
    MemorySeenEvents,
    SeenEvents,
    SeenUnavailable,
    SqliteSeenEvents,
)
from .settings import Settings, settings_of_sandbox
from .subscription_model import (
    Attempt,
    Delivery,
    Replay,
    SimulatedEvent,
    Subscription,
)
from .subscriptions import Simulation, Subscriptions
from .transport import RetryRules
from .verification import verify_answer

__all__ = [
    "UNCHANGED",
    "Address",
    "AddressSuggestion",
    "Attempt",
    "Bottleneck",
    "Branch",
    "Catalogue",
    "Chain",
    "ChainAnswer",
    "ChainPlace",
    "Chains",
    "Client",
    "Conflict",
    "ConnectionFailed",
    "Delivery",
    "Event",
    "EventRefused",
    "EventVerifier",
    "Explanation",
    "Fault",
    "Forbidden",
    "Forecast",
    "Freshness",
    "HistoryEntry",
    "Invalid",
    "KeySet",
    "Keys",
    "KeysUnavailable",
    "KnownAddress",
    "LinkProposal",
    "LinkResult",
    "Listing",
    "ListingChanges",
    "ListingDetails",
    "ListingDocument",
    "Listings",
    "MemorySeenEvents",
    "Milestone",
    "MilestoneGroup",
    "MilestoneRecord",
    "MilestoneType",
    "Milestones",
    "NewAddress",
    "NewListing",
    "NotFound",
    "OnwardError",
    "Page",
    "Pagination",
    "Participants",
    "Parties",
    "Problem",
    "ProblemError",
    "Property",
    "Provenance",
    "RateLimited",
    "Receiver",
    "RemoteKeySet",
    "Replay",
    "Reply",
    "RetryRules",
    "Searches",
    "SeenEvents",
    "SeenUnavailable",
    "Settings",
    "SimulatedEvent",
    "Simulation",
    "SqliteSeenEvents",
    "Subscription",
    "Subscriptions",
    "TokenError",
    "Unauthorised",
    "Unavailable",
    "UnexpectedAnswer",
    "UsageError",
    "VerificationError",
    "WorkflowStep",
    "settings_of_sandbox",
    "verify_answer",
]

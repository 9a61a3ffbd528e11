//! Clients and keys in memory, valid for one revision of the registry.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use bytes::Bytes;
use chain::ids::BranchId;
use chain::words;
use outbound::callback::CallbackUrl;
use quick_cache::sync::Cache;
use signing::access_token::AccessTokenClaims;
use signing::algorithm::Algorithm;
use signing::assertion::Profile;
use signing::certificate::AcceptedCertificate;
use signing::jwk::JwkSet;
use signing::keyring::{Keyring, Purpose};
use storage::clients::StoredClient;
use storage::keys::StoredKey;
use storage::revoked_tokens::RevokedToken;
use storage::{Storage, StorageError};

use crate::key_error::KeyError;
use crate::key_source::KeySafe;
use crate::keys;
use crate::limits;
use crate::revoked_tokens::RevokedTokens;

words! {
    /// A scope of S-23, by its name in requests and tokens.
    pub enum Scope {
        /// Allows the chain query.
        TransactionStatus = "transaction-status",
        /// Allows, beside the scope of the chain query, to ask for past states (S-60).
        TransactionHistory = "transaction-history",
        /// Allows listing and chain management.
        Listing = "listing",
    }
}

/// A registered client, parsed.
#[derive(Debug)]
pub struct Client {
    /// The client id.
    pub id: Arc<str>,
    /// The rules that its assertions must follow.
    pub profile: Profile,
    /// The keys that verify its assertions.
    pub keys: ClientKeys,
    /// The one algorithm of its assertions, if it registered one.
    pub assertion_algorithm: Option<Algorithm>,
    /// Whether all its tokens are bound to a certificate.
    pub certificate_bound: bool,
    /// The certificates with which it may call.
    pub accepted_certificate: AcceptedCertificate,
    /// The scopes that are assigned to it.
    pub scopes: Vec<Scope>,
    /// The scopes of the tokens of others that it may introspect (S-75).
    pub introspects: Vec<Scope>,
    /// The branches that it acts for.
    pub branches: Vec<BranchId>,
    /// Whether the client is enabled.
    pub is_active: bool,
    /// The generation of its valid tokens.
    pub token_generation: i64,
    /// Whether the framework issues its tokens (S-71).
    pub of_framework: bool,
    /// The id of its participant's organisation. `None`: the store has no row of the client, which only clients of
    /// the framework may lack.
    pub organisation_id: Option<Box<str>>,
}

/// The source of a client's keys.
#[derive(Debug)]
pub enum ClientKeys {
    /// The registry holds the keys.
    Inline(Arc<JwkSet>),
    /// The client publishes the keys at this address.
    Published(CallbackUrl),
}

impl ClientKeys {
    /// Reads the keys of a stored client. The error names the part that cannot be read.
    fn parse(stored: &StoredClient) -> Result<Self, &'static str> {
        if let Some(uri) = &stored.jwks_uri {
            let url = CallbackUrl::parse_stored(uri).map_err(|_| "its jwks_uri")?;
            return Ok(Self::Published(url));
        }
        if stored.of_framework {
            return Ok(Self::Inline(Arc::new(JwkSet::default())));
        }
        let keys = JwkSet::parse(stored.jwks.as_bytes()).map_err(|_| "its key set")?;
        Ok(Self::Inline(Arc::new(keys)))
    }
}

/// The registry at one revision.
#[derive(Debug)]
pub struct Snapshot {
    /// The revision of the registry.
    pub revision: i64,
    /// Clients and keys. Revisions that only revoke tokens share them.
    registered: Arc<Registered>,
    /// The revoked tokens of this revision, and perhaps of later ones: a revoked token never
    /// becomes valid again.
    pub revoked: Arc<RevokedTokens>,
}

/// Clients and keys.
#[derive(Debug)]
pub struct Registered {
    revision: i64,
    /// All keys that sign or verify.
    pub keyring: Keyring,
    /// The published key set, as the body of `/jwks`.
    pub published_jwks: Bytes,
    clients: Cache<String, Arc<Client>>,
    /// Access tokens that these keys verified, by their text: to compute a digest of the text for each
    /// query would take 4 % of its time. Changed keys verify them again, so that the tokens of a
    /// revoked key become invalid.
    pub verified_tokens: Cache<Box<str>, Arc<AccessTokenClaims>>,
}

/// The registry of this node.
#[derive(Debug)]
pub struct Registry {
    storage: Storage,
    safe: Arc<KeySafe>,
    /// The address that must have shown a key of answers or events before it signs (S-76). Empty: none.
    published_jwks_url: Arc<str>,
    current: RwLock<Arc<Snapshot>>,
}

impl Registry {
    /// Loads keys and revoked tokens. Keys of answers and events sign only if `published_jwks_url` showed
    /// them; if it is empty, all do. Blocks.
    pub fn open(
        storage: Storage,
        safe: KeySafe,
        published_jwks_url: &str,
    ) -> Result<Self, KeyError> {
        let published_jwks_url: Arc<str> = published_jwks_url.into();
        let address = Arc::clone(&published_jwks_url);
        let changes = storage.read_blocking(move |read| read_changes(read, None, &address))?;
        let keyring = changes.keys.unwrap_or_default().unseal(&safe)?;
        let revoked = RevokedTokens::default();
        revoked.add(changes.revoked);
        let snapshot = Snapshot {
            revision: changes.revision,
            registered: Arc::new(Registered::new(changes.registered, keyring)),
            revoked: Arc::new(revoked),
        };
        Ok(Self {
            storage,
            safe: Arc::new(safe),
            published_jwks_url,
            current: RwLock::new(Arc::new(snapshot)),
        })
    }

    /// The fingerprints of this node's key-encryption keys.
    pub fn key_fingerprints(&self) -> Vec<String> {
        self.safe.sealing.fingerprints()
    }

    /// Opens private keys of this store.
    pub fn safe(&self) -> &KeySafe {
        &self.safe
    }

    /// The store that it reads.
    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The registry as this node last read it. It is current only if the stored revision is still
    /// the same.
    pub fn known(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The current registry, with the changes of all nodes. Costs one small read if nothing
    /// changed.
    pub async fn snapshot(&self) -> Result<Arc<Snapshot>, StorageError> {
        let revision = self
            .storage
            .lookup(storage::registry::find_revision)
            .await?;
        let known = self.known();
        if known.revision == revision {
            return Ok(known);
        }
        let seen = Some((known.revision, known.registered.revision));
        let address = Arc::clone(&self.published_jwks_url);
        let changes = self
            .storage
            .read(move |read| read_changes(read, seen, &address))
            .await?;
        // This node must know the revoked tokens before it shows their revision.
        known.revoked.add(changes.revoked);
        let registered = match changes.keys {
            None => Arc::clone(&known.registered),
            Some(stored) => {
                let safe = Arc::clone(&self.safe);
                // A token that keeps keys blocks.
                let opening = tokio::task::spawn_blocking(move || stored.unseal(&safe));
                let opened = opening.await.map_err(|_ended| StorageError::Stopped)?;
                let keyring = opened.map_err(|error| {
                    // A token may come back.
                    if matches!(error, KeyError::Token(_)) {
                        StorageError::Unavailable(error.to_string())
                    } else {
                        StorageError::Corrupt(error.to_string())
                    }
                })?;
                Arc::new(Registered::new(changes.registered, keyring))
            }
        };
        let revision = changes.revision;
        let fresh = Arc::new(Snapshot {
            revision,
            registered,
            revoked: Arc::clone(&known.revoked),
        });
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if current.revision < revision {
            *current = Arc::clone(&fresh);
        }
        Ok(fresh)
    }

    /// Finds a client in the state of `snapshot`.
    pub async fn find_client(
        &self,
        snapshot: &Snapshot,
        id: &str,
    ) -> Result<Option<Arc<Client>>, StorageError> {
        if let Some(client) = snapshot.clients.get(id) {
            return Ok(Some(client));
        }
        let key = id.to_owned();
        let found = self
            .storage
            .read(move |read| {
                let revision = storage::registry::find_revision(read)?;
                Ok::<_, StorageError>((revision, storage::clients::find_client(read, &key)?))
            })
            .await?;
        let (revision, Some(stored)) = found else {
            return Ok(None);
        };
        let client = Arc::new(Client::parse(stored)?);
        // A client of a newer revision must not be cached under an older one.
        if revision == snapshot.revision {
            snapshot.clients.insert(id.to_owned(), Arc::clone(&client));
        }
        Ok(Some(client))
    }
}

impl Deref for Snapshot {
    type Target = Registered;

    fn deref(&self) -> &Registered {
        &self.registered
    }
}

impl Registered {
    fn new(revision: i64, keyring: Keyring) -> Self {
        Self {
            revision,
            published_jwks: keyring
                .published_jwks(&[Purpose::Provenance, Purpose::Event])
                .into(),
            keyring,
            clients: Cache::new(limits::CLIENTS_CACHED_MAX),
            verified_tokens: Cache::new(limits::TOKENS_CACHED_MAX),
        }
    }
}

impl Client {
    /// Whether a scope is assigned to it.
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    /// A client of the framework without a row: it has no branches (S-71).
    pub(crate) fn of_framework(id: &str, scopes: Vec<Scope>) -> Self {
        Self {
            id: id.into(),
            profile: Profile::Sector,
            keys: ClientKeys::Inline(Arc::new(JwkSet::default())),
            assertion_algorithm: None,
            certificate_bound: true,
            accepted_certificate: AcceptedCertificate::Any,
            scopes,
            introspects: Vec::new(),
            branches: Vec::new(),
            is_active: true,
            token_generation: 0,
            of_framework: true,
            organisation_id: None,
        }
    }

    fn parse(stored: StoredClient) -> Result<Self, StorageError> {
        let corrupt = |what: &str| {
            StorageError::Corrupt(format!("client {}: {what} cannot be read", stored.id))
        };
        let assertion_algorithm = stored
            .assertion_algorithm
            .as_deref()
            .map(|name| Algorithm::parse(name).ok_or_else(|| corrupt("its algorithm")))
            .transpose()?;
        Ok(Self {
            profile: Profile::parse(&stored.profile).ok_or_else(|| corrupt("its profile"))?,
            keys: ClientKeys::parse(&stored).map_err(corrupt)?,
            assertion_algorithm,
            certificate_bound: stored.certificate_bound,
            accepted_certificate: AcceptedCertificate::parse(&stored.accepted_certificate)
                .map_err(|_| corrupt("its accepted certificate"))?,
            scopes: parse_scopes(&stored.scopes),
            introspects: parse_scopes(&stored.introspects),
            branches: stored.branches,
            is_active: stored.is_active,
            token_generation: stored.token_generation,
            of_framework: stored.of_framework,
            organisation_id: Some(stored.organisation_id.into()),
            id: stored.id.into(),
        })
    }
}

fn parse_scopes(names: &[String]) -> Vec<Scope> {
    names.iter().filter_map(|name| Scope::parse(name)).collect()
}

/// The changes of the registry since a node last read it.
struct Changes {
    revision: i64,
    registered: i64,
    /// All keys; `None`: unchanged.
    keys: Option<StoredKeys>,
    revoked: Vec<RevokedToken>,
}

/// All keys as the store has them.
#[derive(Debug, Default)]
struct StoredKeys {
    rows: Vec<StoredKey>,
    /// The ids of those that the published address showed (S-76); `None`: there is no such address.
    shown: Option<Vec<String>>,
}

impl StoredKeys {
    fn read(read: &mut storage::Read<'_>, address: &str) -> Result<Self, StorageError> {
        let shown = if address.is_empty() {
            None
        } else {
            let shown = storage::keys::list_shown(read, address)?;
            Some(shown.into_iter().map(|(kid, _since)| kid).collect())
        };
        let rows = storage::keys::list_keys(read)?;
        Ok(Self { rows, shown })
    }

    fn unseal(self, safe: &KeySafe) -> Result<Keyring, KeyError> {
        let keyring = keys::unseal(&self.rows, safe)?;
        Ok(match self.shown {
            Some(shown) => keyring.only_shown(shown),
            None => keyring,
        })
    }
}

/// `seen` holds the revisions that the node knows: of the registry, and of clients and keys. `address` is the
/// one that must have shown keys before they sign; it may be empty.
fn read_changes(
    read: &mut storage::Read<'_>,
    seen: Option<(i64, i64)>,
    address: &str,
) -> Result<Changes, StorageError> {
    let registered = storage::registry::find_registered_revision(read)?;
    let is_known = seen.is_some_and(|seen| seen.1 == registered);
    Ok(Changes {
        revision: storage::registry::find_revision(read)?,
        registered,
        keys: (!is_known)
            .then(|| StoredKeys::read(read, address))
            .transpose()?,
        revoked: storage::revoked_tokens::list_revoked_tokens(read, seen.map_or(0, |seen| seen.0))?,
    })
}

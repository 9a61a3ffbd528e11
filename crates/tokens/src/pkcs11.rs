//! RSA keys that a PKCS#11 token keeps, such as a hardware security module. They never leave it.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::error::{Error, RvError};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, AttributeType, ObjectClass, ObjectHandle};
use cryptoki::session::{Session, UserType};
use cryptoki::slot::Slot;
use cryptoki::types::AuthPin;
use signing::key::{RsaKeyElsewhere, RsaSize, SigningKey, SignsElsewhere};
use thiserror::Error;
use uuid::Uuid;

/// The label of each key in the token.
const LABEL: &[u8] = b"onward";
/// The public exponent 65,537.
const EXPONENT: [u8; 3] = [1, 0, 1];

/// Modules of this process. Each is initialised once and never finalised, because sessions of several
/// tokens may use it.
static MODULES: Mutex<Option<HashMap<PathBuf, Pkcs11>>> = Mutex::new(None);

/// Why a token cannot be used.
#[derive(Debug, Error)]
pub enum TokenError {
    /// The module cannot be loaded.
    #[error("the PKCS#11 module {} cannot be loaded: {_1}", .0.display())]
    Module(PathBuf, String),
    /// No slot has this token.
    #[error("the PKCS#11 module has no token with the label `{0}`")]
    NoToken(String),
    /// The token holds no such key.
    #[error("the PKCS#11 token holds no key with the identifier {0}")]
    NoKey(Uuid),
    /// The PIN is wrong, or the token is locked. Trying again would lock it for good.
    #[error("the PKCS#11 token refused the PIN: {0}")]
    Pin(String),
    /// The token refused a call.
    #[error("the PKCS#11 token refused a call: {0}")]
    Refused(String),
}

impl From<Error> for TokenError {
    fn from(error: Error) -> Self {
        // The library's texts explain each code at length.
        if let Error::Pkcs11(code, function) = error {
            Self::Refused(format!("{code:?} ({function:?})"))
        } else {
            Self::Refused(error.to_string())
        }
    }
}

/// A token with its user logged in.
pub struct Token {
    module: Pkcs11,
    slot: Slot,
    pin: AuthPin,
    /// Sessions that nobody uses. One stays open, because the login ends with the last session.
    idle: Mutex<Vec<Session>>,
}

/// The private part of an RSA key in a token.
struct TokenKey {
    token: Arc<Token>,
    id: Uuid,
    handle: Mutex<ObjectHandle>,
}

impl Token {
    /// Loads the module, finds the token with this label and logs its user in. Blocks.
    ///
    /// # Errors
    /// [`TokenError::Module`], [`TokenError::NoToken`], and [`TokenError::Refused`] for a wrong PIN.
    pub fn open(module: &Path, label: &str, pin: &str) -> Result<Self, TokenError> {
        let module = load(module)?;
        let is_it = |slot: &Slot| {
            let info = module.get_token_info(*slot);
            info.is_ok_and(|info| info.label() == label)
        };
        let slots = module.get_slots_with_initialized_token()?;
        let slot = slots.into_iter().find(is_it);
        let token = Self {
            slot: slot.ok_or_else(|| TokenError::NoToken(label.to_owned()))?,
            module,
            pin: AuthPin::new(pin.into()),
            idle: Mutex::default(),
        };
        let session = token.open_session()?;
        token.lock().push(session);
        Ok(token)
    }

    /// Makes an RSA key that nobody can read. Returns it with its identifier. Blocks, for seconds on some
    /// tokens.
    pub fn generate(self: &Arc<Self>, size: RsaSize) -> Result<(SigningKey, Uuid), TokenError> {
        let id = Uuid::new_v4();
        let named = [
            Attribute::Token(true),
            Attribute::Id(id.as_bytes().to_vec()),
            Attribute::Label(LABEL.to_vec()),
        ];
        let public = [
            Attribute::Verify(true),
            Attribute::ModulusBits(size.bits().into()),
            Attribute::PublicExponent(EXPONENT.to_vec()),
        ];
        let private = [
            Attribute::Sign(true),
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
        ];
        self.use_session(|session| {
            let mechanism = Mechanism::RsaPkcsKeyPairGen;
            let (public, private) = (
                [&named[..], &public].concat(),
                [&named[..], &private].concat(),
            );
            session.generate_key_pair(&mechanism, &public, &private)
        })?;
        Ok((self.find(id)?, id))
    }

    /// Finds a key by its identifier. Blocks.
    ///
    /// # Errors
    /// [`TokenError::NoKey`] if it is not there.
    pub fn find(self: &Arc<Self>, id: Uuid) -> Result<SigningKey, TokenError> {
        let handle = self.find_handle(id, ObjectClass::PRIVATE_KEY)?;
        let public = self.find_handle(id, ObjectClass::PUBLIC_KEY)?;
        let wanted = [AttributeType::Modulus, AttributeType::PublicExponent];
        let found = self.use_session(|session| session.get_attributes(public, &wanted))?;
        let (mut modulus, mut exponent) = (Vec::new(), Vec::new());
        for attribute in found {
            if let Attribute::Modulus(number) = &attribute {
                modulus = unsigned(number);
            } else if let Attribute::PublicExponent(number) = &attribute {
                exponent = unsigned(number);
            }
        }
        let signer = Box::new(TokenKey {
            token: Arc::clone(self),
            id,
            handle: Mutex::new(handle),
        });
        let key = SigningKey::elsewhere(RsaKeyElsewhere {
            modulus,
            exponent,
            signer,
        });
        key.map_err(|error| TokenError::Refused(error.to_string()))
    }

    fn find_handle(&self, id: Uuid, class: ObjectClass) -> Result<ObjectHandle, TokenError> {
        let template = [
            Attribute::Class(class),
            Attribute::Id(id.as_bytes().to_vec()),
        ];
        let found = self.use_session(|session| session.find_objects(&template))?;
        let first = found.into_iter().next();
        first.ok_or(TokenError::NoKey(id))
    }

    /// Runs a call in a session of its own.
    fn use_session<T>(
        &self,
        call: impl FnOnce(&Session) -> Result<T, Error>,
    ) -> Result<T, TokenError> {
        let idle = self.lock().pop();
        let session = match idle {
            Some(session) => session,
            None => self.open_session()?,
        };
        let done = call(&session);
        let mut idle = self.lock();
        if done.is_ok() {
            idle.push(session);
        } else {
            // A token that was restarted knows none of the sessions.
            idle.clear();
        }
        Ok(done?)
    }

    fn open_session(&self) -> Result<Session, TokenError> {
        let session = self.module.open_rw_session(self.slot)?;
        match session.login(UserType::User, Some(&self.pin)) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(session),
            Err(Error::Pkcs11(
                code @ (RvError::PinIncorrect
                | RvError::PinInvalid
                | RvError::PinLenRange
                | RvError::PinExpired
                | RvError::PinLocked),
                _,
            )) => Err(TokenError::Pin(format!("{code:?}"))),
            Err(error) => Err(error.into()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SignsElsewhere for TokenKey {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let sign = |handle: ObjectHandle| {
            let mechanism = Mechanism::Sha256RsaPkcs;
            self.token
                .use_session(|session| session.sign(&mechanism, handle, message))
        };
        let handle = *self.lock();
        let signed = sign(handle).or_else(|_stale| {
            // A token that was restarted knows neither the session nor the handle.
            let fresh = self.token.find_handle(self.id, ObjectClass::PRIVATE_KEY)?;
            *self.lock() = fresh;
            sign(fresh)
        });
        signed.map_err(|error| error.to_string())
    }
}

impl TokenKey {
    fn lock(&self) -> MutexGuard<'_, ObjectHandle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Token {
    /// Does not show the PIN.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Token").finish_non_exhaustive()
    }
}

fn load(path: &Path) -> Result<Pkcs11, TokenError> {
    let refused = |error: Error| TokenError::Module(path.to_owned(), error.to_string());
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    let modules = modules.get_or_insert_default();
    if let Some(known) = modules.get(path) {
        return Ok(known.clone());
    }
    let module = Pkcs11::new(path).map_err(refused)?;
    let locking = CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK);
    module.initialize(locking).map_err(refused)?;
    modules.insert(path.to_owned(), module.clone());
    Ok(module)
}

/// Without leading zeros, as JWK has it (RFC 7518 section 2).
fn unsigned(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number[zeros..].to_vec()
}

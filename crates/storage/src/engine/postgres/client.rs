//! A connection that blocks its thread, with a deadline for each step. A server that has stopped
//! answering keeps its connections open, so nothing else would end the wait.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Runtime;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{
    AsyncMessage, Config, Connection, Error, NoTls, Notification, Row, Statement,
};

use super::storage_error;
use crate::StorageError;

/// Receives the notices of the server.
pub(super) type OnNotice = Box<dyn Fn(&DbError) + Send>;

/// A connection, and the runtime of its thread.
pub(super) struct Client {
    sender: tokio_postgres::Client,
    connection: Box<dyn Messages>,
    on_notice: OnNotice,
    notifications: VecDeque<Notification>,
    deadline: Duration,
    /// Whether a step passed its deadline. The state of the server is unknown then.
    is_given_up: bool,
    /// Whether the last step was sent. A connection may be found broken before that.
    was_sent: bool,
    // The last field, because the others need it while they are dropped.
    runtime: Runtime,
}

/// Why a step failed.
#[derive(Debug)]
pub(super) enum StepError {
    /// The server refused the step, or the connection broke.
    Database(Error),
    /// The server did not answer within this time.
    Late(Duration),
    /// The operating system refuses the runtime of a connection.
    Runtime(std::io::Error),
}

/// The messages of a connection, which do the work of all its statements.
trait Messages: Send {
    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<AsyncMessage, Error>>>;
}

impl<S, T> Messages for Connection<S, T>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    T: AsyncRead + AsyncWrite + Unpin + Send,
{
    fn poll_message(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<AsyncMessage, Error>>> {
        Self::poll_message(self, context)
    }
}

impl Client {
    /// Connects. The deadlines are for connecting and for each later step.
    pub(super) fn connect(
        config: &Config,
        tls: Option<&rustls::ClientConfig>,
        on_notice: OnNotice,
        connect_within: Duration,
        deadline: Duration,
    ) -> Result<Self, StepError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StepError::Runtime)?;
        let connecting = async {
            if let Some(tls) = tls {
                let tls = tokio_postgres_rustls::MakeRustlsConnect::new(tls.clone());
                let (sender, connection) = config.connect(tls).await?;
                Ok((sender, Box::new(connection) as Box<dyn Messages>))
            } else {
                let (sender, connection) = config.connect(NoTls).await?;
                Ok((sender, Box::new(connection) as Box<dyn Messages>))
            }
        };
        let connected = runtime.block_on(async {
            let connected = tokio::time::timeout(connect_within, connecting).await;
            connected
                .map_err(|_elapsed| StepError::Late(connect_within))?
                .map_err(StepError::Database)
        });
        let (sender, connection) = match connected {
            Ok(connected) => connected,
            Err(error) => {
                // A name server that does not answer holds a thread of the runtime.
                runtime.shutdown_background();
                return Err(error);
            }
        };
        Ok(Self {
            sender,
            connection,
            on_notice,
            notifications: VecDeque::new(),
            deadline,
            is_given_up: false,
            was_sent: false,
            runtime,
        })
    }

    /// Runs a prepared statement that returns rows.
    pub(super) fn query(
        &mut self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, StepError> {
        self.step(async |sender| sender.query(statement, parameters).await)
    }

    /// Runs a prepared statement. Returns the number of changed rows.
    pub(super) fn execute(
        &mut self,
        statement: &Statement,
        parameters: &[&(dyn ToSql + Sync)],
    ) -> Result<u64, StepError> {
        self.step(async |sender| sender.execute(statement, parameters).await)
    }

    /// Prepares a statement.
    pub(super) fn prepare(&mut self, sql: &str) -> Result<Statement, StepError> {
        self.step(async |sender| sender.prepare(sql).await)
    }

    /// Runs statements without parameters.
    pub(super) fn batch_execute(&mut self, sql: &str) -> Result<(), StepError> {
        self.step(async |sender| sender.batch_execute(sql).await)
    }

    /// Waits at most `wait` for a notification. `None` if there is none.
    pub(super) fn next_notification(
        &mut self,
        wait: Duration,
    ) -> Result<Option<Notification>, StepError> {
        let Self {
            connection,
            on_notice,
            notifications,
            runtime,
            ..
        } = self;
        let waiting = poll_fn(|context| {
            let open = read_messages(connection.as_mut(), on_notice, notifications, context);
            match (notifications.pop_front(), open) {
                (Some(notification), _) => Poll::Ready(Ok(Some(notification))),
                (None, Ok(true)) => Poll::Pending,
                (None, Ok(false)) => Poll::Ready(Ok(None)),
                (None, Err(error)) => Poll::Ready(Err(StepError::Database(error))),
            }
        });
        let waited = runtime.block_on(async { tokio::time::timeout(wait, waiting).await });
        waited.unwrap_or(Ok(None))
    }

    /// Reads the messages that have come, among them the end of the connection.
    pub(super) fn look(&mut self) -> Result<(), StepError> {
        let Self {
            connection,
            on_notice,
            notifications,
            runtime,
            ..
        } = self;
        let read = runtime.block_on(async {
            // The runtime looks at its sockets while this task waits.
            tokio::task::yield_now().await;
            poll_fn(|context| {
                let read = read_messages(connection.as_mut(), on_notice, notifications, context);
                Poll::Ready(read)
            })
            .await
        });
        read.map(drop).map_err(StepError::Database)
    }

    /// Whether the server may have got the last step.
    pub(super) fn was_sent(&self) -> bool {
        self.was_sent
    }

    /// Whether no further step can succeed.
    pub(super) fn is_closed(&self) -> bool {
        self.is_given_up || self.sender.is_closed()
    }

    fn step<T>(
        &mut self,
        step: impl AsyncFnOnce(&tokio_postgres::Client) -> Result<T, Error>,
    ) -> Result<T, StepError> {
        let Self {
            sender,
            connection,
            on_notice,
            notifications,
            deadline,
            is_given_up,
            was_sent,
            runtime,
        } = self;
        *was_sent = false;
        if *is_given_up {
            return Err(StepError::Late(*deadline));
        }
        runtime.block_on(async {
            let mut step = pin!(step(sender));
            let both = poll_fn(|context| {
                // The messages come first, because they carry the answer to the step.
                if let Err(error) =
                    read_messages(connection.as_mut(), on_notice, notifications, context)
                {
                    return Poll::Ready(Err(error));
                }
                *was_sent |= !sender.is_closed();
                step.as_mut().poll(context)
            });
            match tokio::time::timeout(*deadline, both).await {
                Ok(ended) => ended.map_err(StepError::Database),
                Err(_elapsed) => {
                    *is_given_up = true;
                    Err(StepError::Late(*deadline))
                }
            }
        })
    }
}

/// Reads the messages that have come. Returns whether the connection is open.
fn read_messages(
    connection: &mut dyn Messages,
    on_notice: &OnNotice,
    notifications: &mut VecDeque<Notification>,
    context: &mut Context<'_>,
) -> Result<bool, Error> {
    loop {
        match connection.poll_message(context) {
            Poll::Ready(Some(Ok(AsyncMessage::Notification(notification)))) => {
                notifications.push_back(notification);
            }
            Poll::Ready(Some(Ok(AsyncMessage::Notice(notice)))) => on_notice(&notice),
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => return Err(error),
            Poll::Ready(None) => return Ok(false),
            Poll::Pending => return Ok(true),
        }
    }
}

impl StepError {
    /// The code of the server's error, if it sent one.
    pub(super) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Database(error) => error.code(),
            Self::Late(_) | Self::Runtime(_) => None,
        }
    }
}

impl From<StepError> for StorageError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Database(error) => storage_error(error),
            StepError::Late(deadline) => {
                let seconds = deadline.as_secs();
                Self::Unavailable(format!("the database did not answer within {seconds} s"))
            }
            StepError::Runtime(error) => Self::Unavailable(error.to_string()),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").finish_non_exhaustive()
    }
}

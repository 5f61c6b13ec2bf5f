//! When to stop: SIGINT and SIGTERM as a value that loading, binding and serving all watch. The guards stay for the life
//! of the process, so a signal that is delivered again during the shutdown changes nothing.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// The signals that stop a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT
    Interrupt,
    /// SIGTERM
    Terminate,
}

impl Signal {
    /// 128 and the signal's number (`evidence.md` 5.2).
    pub fn exit_status(self) -> u8 {
        match self {
            Signal::Interrupt => 130,
            Signal::Terminate => 143,
        }
    }
}

/// Told when the process, or a test, asks the server to stop. Clones watch the same request.
#[derive(Clone, Debug)]
pub struct Stop {
    requested: watch::Receiver<Option<Signal>>,
}

/// The other end of a [`Stop`] that no signal feeds.
#[derive(Debug)]
pub struct Stopper {
    request: watch::Sender<Option<Signal>>,
}

impl Stopper {
    /// Asks everything that watches to stop.
    pub fn stop(&self, signal: Signal) {
        self.request.send_replace(Some(signal));
    }
}

impl Stop {
    /// Watches SIGINT and SIGTERM from now on. Must be called inside a tokio runtime with I/O and kept before anything slow
    /// begins, so that a signal during loading is seen.
    ///
    /// # Errors
    /// The system does not let the process handle a signal.
    pub fn on_signals() -> std::io::Result<Self> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let (stopper, stop) = Self::by_hand();
        tokio::spawn(async move {
            loop {
                let received = tokio::select! {
                    Some(()) = interrupt.recv() => Signal::Interrupt,
                    Some(()) = terminate.recv() => Signal::Terminate,
                    else => return,
                };
                // The first signal decides the exit status; later ones are only swallowed.
                stopper.request.send_if_modified(|requested| {
                    let first = requested.is_none();
                    requested.get_or_insert(received);
                    first
                });
            }
        });
        Ok(stop)
    }

    /// A request to stop that is made by calling [`Stopper::stop`].
    pub fn by_hand() -> (Stopper, Self) {
        let (request, requested) = watch::channel(None);
        (Stopper { request }, Self { requested })
    }

    /// The signal that asked to stop, if one did.
    pub fn requested(&self) -> Option<Signal> {
        *self.requested.borrow()
    }

    /// Ends when stopping is requested. Never ends when nobody can request it any more.
    pub async fn wait(&self) -> Signal {
        let mut requested = self.requested.clone();
        loop {
            if let Some(signal) = *requested.borrow_and_update() {
                return signal;
            }
            if requested.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_first_request_is_kept_and_seen_by_every_clone() {
        let (stopper, stop) = Stop::by_hand();
        let clone = stop.clone();
        assert_eq!(stop.requested(), None);
        stopper.stop(Signal::Terminate);
        assert_eq!(clone.wait().await, Signal::Terminate);
        assert_eq!(stop.requested(), Some(Signal::Terminate));
        assert_eq!(Signal::Terminate.exit_status(), 143);
        assert_eq!(Signal::Interrupt.exit_status(), 130);
    }
}

//! What a build tells its caller while it runs, and how its caller stops it. Before the first file is written a stop takes
//! effect at once and leaves nothing behind; afterwards the write ends at its next look and names what it left.

use super::BundleError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The stages of a build, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The build's own checks, and reading capture Evidence.
    Build,
    /// Inspecting a HAR.
    Inspect,
    /// Projecting the manifest.
    View,
    /// The bundle.
    Export,
}

impl Stage {
    /// The operation that refusals and log lines of the stage name.
    pub fn operation(self) -> &'static str {
        match self {
            Self::Build => "environment-build",
            Self::Inspect => "inspect_web_network_capture",
            Self::View => "inspect_analysis_view",
            Self::Export => "environment-export",
        }
    }
}

const WORKING: u8 = 0;
const WRITING: u8 = 1;
const STOPPED: u8 = 2;

/// Shared by the work and by whoever waits for it.
#[derive(Debug, Default)]
pub struct Control {
    phase: AtomicU8,
    /// The stage of the work, for whoever stops it.
    stage: AtomicU8,
    /// Raised to stop; also read by an inspection.
    stop: Arc<AtomicBool>,
}

impl Control {
    /// Asks the work to stop. `true` when nothing was written and nothing will be, so nobody needs to wait; `false` when
    /// files are being written: the work ends soon and says what it left.
    pub fn stop(&self) -> bool {
        self.stop.store(true, Ordering::SeqCst);
        let stopped = self.phase.compare_exchange(WORKING, STOPPED, Ordering::SeqCst, Ordering::SeqCst);
        stopped.is_ok() || stopped == Err(STOPPED)
    }

    /// The stage that the work is in.
    pub fn stage(&self) -> Stage {
        match self.stage.load(Ordering::SeqCst) {
            1 => Stage::Inspect,
            2 => Stage::View,
            3 => Stage::Export,
            _ => Stage::Build,
        }
    }

    /// The flag that an inspection watches.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// Begins a stage: says so in the log, and looks whether to go on.
    ///
    /// # Errors
    /// Somebody wants to stop.
    pub(super) fn begin(&self, stage: Stage) -> Result<(), BundleError> {
        let number = match stage {
            Stage::Build => 0,
            Stage::Inspect => 1,
            Stage::View => 2,
            Stage::Export => 3,
        };
        self.stage.store(number, Ordering::SeqCst);
        self.check()?;
        tracing::info!(stage = stage.operation(), "stage started");
        Ok(())
    }

    /// Looks whether to go on.
    ///
    /// # Errors
    /// Somebody wants to stop.
    pub(super) fn check(&self) -> Result<(), BundleError> {
        if self.is_stopping() { Err(BundleError::Cancelled { stage: self.stage(), left: None }) } else { Ok(()) }
    }

    /// Whether somebody wants to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// From here on files are written.
    ///
    /// # Errors
    /// Somebody stopped the work first.
    pub(super) fn begin_write(&self) -> Result<(), BundleError> {
        match self.phase.compare_exchange(WORKING, WRITING, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => Ok(()),
            Err(_) => Err(BundleError::Cancelled { stage: self.stage(), left: None }),
        }
    }
}

//! The VM from the app's side: started, joined, told to stop over its socket.

use std::fs::File;
use std::io::{BufRead, BufReader, Error};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::mpsc::Sender;

use super::super::log::Log;
use super::super::rebuild::LATCH;
use super::super::script::{Misbehaviour, Script};
use super::app::Event;
use super::vm::{Link, SOCKET};
use super::vm_program;

/// A VM that runs.
#[derive(Debug)]
pub(super) struct Vm {
    link: Link,
    /// Not there where the VM was found running, left by an app before this one.
    starter: Option<Child>,
}

impl Vm {
    /// Starts it and waits until it holds the disks; or says why it does not run.
    pub(super) fn boot(
        script: &Script,
        executable: &Path,
        log: &Log,
        outbox: &Sender<Event>,
    ) -> Result<Result<Self, String>, Error> {
        log.info("[VM:steps] guest_vsock_connect started")?;
        let lost = |cause: &str| {
            log.error("[VM:start] Connection timeout, last completed step: vm_boot")?;
            log.error(&format!("[VM:start] Startup failed: Error: {cause}"))?;
            Ok(Err(cause.to_owned()))
        };
        if script.does(Misbehaviour::BootFails) {
            // It tries to repair itself once; that this did not help is what the latch says.
            let _latch = File::create(script.bundle().join(LATCH))?;
            return lost("VM connection timeout after 60 seconds");
        }
        let (link, starter) = if let Some(link) = Link::join(script, outbox.clone())? {
            (Some(link), None)
        } else {
            let mut starter = vm_program(script, executable, "cowork-linux-helper")?
                .arg("-socket")
                .arg(script.run.join(SOCKET))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()?;
            let mut said = String::new();
            if let Some(out) = starter.stdout.take() {
                let _read = BufReader::new(out).read_line(&mut said)?;
            }
            if said.trim_end() == "listening" {
                (Link::join(script, outbox.clone())?, Some(starter))
            } else {
                let _status = starter.wait()?;
                (None, None)
            }
        };
        let Some(link) = link else {
            return lost("VM connection timeout after 60 seconds");
        };
        log.info("[VM:steps] guest_vsock_connect completed (8421ms)")?;
        log.info("[VM:start] Startup complete")?;
        Ok(Ok(Self { link, starter }))
    }

    /// Asks it to stop and waits until `gone` says that it has; does not wait for one that stays.
    pub(super) fn stop(
        mut self,
        script: &Script,
        mut gone: impl FnMut() -> bool,
    ) -> Result<(), Error> {
        self.link.stop()?;
        if script.does(Misbehaviour::VmOutlives) {
            return Ok(());
        }
        while !gone() {}
        if let Some(mut starter) = self.starter {
            let _status = starter.wait()?;
        }
        Ok(())
    }
}

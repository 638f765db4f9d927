//! `sandtrayctl`: the same engine without a desktop, for headless machines, scripts and support.
//!
//! One file per command; every command has `--json` with a documented schema number, and `--machine`
//! (hidden) to look at folders of a test's or demo's own instead of the real machine.
//!
//! Exit codes: 0 done, 1 failed, 2 usage, 3 refused.

mod act;
mod args;
mod clean;
mod confirm;
mod disk;
mod history;
mod inside;
mod journal;
mod leftovers;
mod locate;
mod measure;
mod output;
mod parked;
mod progress;
mod rescue;
mod reset;
mod status;
mod watch;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use sandtray_core::machine::Machine;
use sandtray_host::act::plan::Request;
use sandtray_host::error::Failure;
use sandtray_host::machine;

use act::Consent;
use args::{Args, Command, ConsentArgs, DiskCommand, JournalCommand, ParkedCommand};
use output::{Done, Output};

fn main() -> ExitCode {
    // Clap exits with 2 on wrong usage and with 0 after help, as documented.
    let args = Args::parse();
    let mut output = Output::new(args.json);
    let done = run(&args, &mut output);
    match done {
        Ok(Done::Well) => ExitCode::SUCCESS,
        Ok(Done::Partly) => ExitCode::from(1),
        Ok(Done::Refused) => ExitCode::from(3),
        Err(error) if error.is_closed_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            output.error(&error.to_string());
            ExitCode::from(1)
        }
    }
}

fn run(args: &Args, output: &mut Output) -> Result<Done, output::Error> {
    match &args.command {
        Command::Status { quick } => status::run(machine(args)?, *quick, output),
        Command::Locate => locate::run(&machine(args)?, output),
        Command::Measure { paths, threads } => {
            measure::run(&machine(args)?, paths, *threads, output)
        }
        Command::History { range, gauge } => {
            history::run(machine(args)?, (*range).into(), gauge.as_deref(), output)
        }
        Command::Watch => watch::run(machine(args)?, output),
        Command::Leftovers => leftovers::run(&machine(args)?, output),
        Command::Clean {
            classes,
            tier,
            roots,
            for_good,
            consent,
        } => {
            let wanted = clean::Wanted {
                classes: classes.clone(),
                tier: tier.map(Into::into),
                roots: roots.clone(),
                for_good: *for_good,
                dry_run: consent.dry_run,
                yes: consent.yes,
            };
            clean::run(&machine(args)?, &wanted, output)
        }
        Command::Reset {
            scope,
            bundle,
            wait,
            consent,
        } => reset::run(
            &machine(args)?,
            bundle.as_deref(),
            scope.map(Into::into),
            agreed(*consent, *wait, false),
            output,
        ),
        Command::Parked { command } => parked(&machine(args)?, command.as_ref(), output),
        Command::Journal { command: None } => journal::print(&machine(args)?, output),
        Command::Journal {
            command: Some(JournalCommand::Resolve),
        } => journal::resolve(&machine(args)?, output),
        Command::Disk { command } => match command {
            DiskCommand::Info { image } => disk::info(image, output),
            DiskCommand::Du { image, path } => inside::du(image, path, output),
            DiskCommand::Ls { image, path } => inside::ls(image, path, output),
            DiskCommand::Get { image, path, dest } => rescue::get(image, path, dest, output),
        },
    }
}

fn parked(
    machine: &Machine,
    command: Option<&ParkedCommand>,
    output: &mut Output,
) -> Result<Done, output::Error> {
    match command {
        None | Some(ParkedCommand::List) => parked::print(machine, output),
        Some(ParkedCommand::Restore { id, consent, .. }) if parked::are_leftovers(id) => {
            parked::leftovers(machine, id, false, agreed(*consent, 0, false), output)
        }
        Some(ParkedCommand::Discard { id, consent, .. }) if parked::are_leftovers(id) => {
            parked::leftovers(machine, id, true, agreed(*consent, 0, false), output)
        }
        Some(ParkedCommand::Restore { id, wait, consent }) => {
            let copy = id.clone();
            let consent = agreed(*consent, *wait, false);
            parked::act(machine, &Request::Restore { copy }, consent, output)
        }
        Some(ParkedCommand::Discard {
            id,
            for_good,
            unverified,
            consent,
        }) => {
            let request = Request::Discard {
                copy: id.clone(),
                for_good: *for_good,
            };
            let consent = agreed(*consent, 0, *unverified);
            parked::act(machine, &request, consent, output)
        }
    }
}

const fn agreed(consent: ConsentArgs, wait: u64, forced: bool) -> Consent {
    Consent {
        dry_run: consent.dry_run,
        yes: consent.yes,
        forced,
        wait: Duration::from_secs(wait),
    }
}

fn machine(args: &Args) -> Result<Machine, Failure> {
    args.machine
        .as_deref()
        .map_or_else(machine::current, machine::load)
}

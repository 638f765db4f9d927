//! `sandtrayctl reset`: moves disks aside, so that Claude Desktop builds new ones.

use sandtray_core::act::recommend::recommend;
use sandtray_core::act::{RefusalKind, Scope};
use sandtray_core::bundle::Bundle;
use sandtray_core::gauge::{GaugeId, GaugeKind};
use sandtray_core::machine::Machine;
use sandtray_core::verdict::Verdict;
use sandtray_core::words;
use sandtray_host::act::plan::{Request, preview};
use sandtray_host::act::verify;
use sandtray_host::engine;
use sandtray_host::locate::locate;
use sandtray_host::store::SettingsFile;
use sandtray_host::walk::Progress;

use crate::act::{Consent, carry_out, refuse};
use crate::output::{Done, Error, Output};

pub(crate) fn run(
    machine: &Machine,
    bundle: Option<&str>,
    scope: Option<Scope>,
    consent: Consent,
    output: &mut Output,
) -> Result<Done, Error> {
    let (_, settings, _) = SettingsFile::load(&machine.own_config);
    let looked = sandtray_host::machine::with_settings(machine, &settings);
    let bundles = locate(&looked).bundles;
    let scope = match scope {
        Some(scope) => scope,
        None => match recommended(machine, &bundles, bundle) {
            Ok(scope) => scope,
            Err(refusal) => return refuse(&[refusal.into()], output),
        },
    };
    let request = Request::Reset {
        bundle: bundle.map(str::to_owned),
        scope,
    };
    let preview = preview(&looked, &settings, &bundles, &request);
    // What only lives on the disk that goes is read before, and read to the person who decides.
    let goes = bundles
        .iter()
        .find(|bundle| bundle.id == preview.bundle && scope != Scope::SystemDisk);
    let homes = goes.and_then(|bundle| verify::homes(&looked, bundle));
    carry_out(&looked, &settings, &preview, homes, consent, output)
}

/// The scope that fits what is full.
fn recommended(
    machine: &Machine,
    bundles: &[Bundle],
    wanted: Option<&str>,
) -> Result<Scope, RefusalKind> {
    let mut candidates = bundles
        .iter()
        .filter(|bundle| wanted.is_none_or(|wanted| bundle.id == wanted));
    let bundle = match (candidates.next(), candidates.next()) {
        (None, _) => return Err(RefusalKind::NoBundle),
        (Some(bundle), None) => bundle,
        (Some(_), Some(_)) => return Err(RefusalKind::SeveralBundles),
    };
    let status = engine::once(machine.clone(), false, &Progress::default());
    let verdict = |kind| -> Option<Verdict> {
        let id = GaugeId::new(kind, &bundle.id);
        let gauge = status.gauges.iter().find(|gauge| gauge.id == id)?;
        Some(gauge.verdict)
    };
    let (scope, why) = recommend(
        verdict(GaugeKind::GuestSessions),
        verdict(GaugeKind::GuestSystem),
    );
    scope.ok_or_else(|| RefusalKind::NotRecommended {
        why: words::scope_reason(why).to_owned(),
    })
}

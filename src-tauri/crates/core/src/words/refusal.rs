//! Why nothing was done, and what a person can do about it.

use crate::act::RefusalKind;
use crate::act::refusal::Holder;
use crate::act::space::SpaceOffer;

/// A refusal in words: the reason, then the way out.
#[must_use]
pub fn refusal(kind: &RefusalKind) -> String {
    use RefusalKind as R;
    match kind {
        R::NoBundle => "There is no such sandbox storage. `sandtrayctl locate` lists what there is.".to_owned(),
        R::SeveralBundles => "There are several sandbox storages. Say which one is meant.".to_owned(),
        R::NotRecommended { why } => {
            format!("Nothing was reset: {why}. Name a scope to reset it anyway.")
        }
        R::NothingToMove => "There is nothing of this kind in the sandbox storage, so there is nothing to reset.".to_owned(),
        R::Link { path } => format!("{} is a link, and nothing is moved through a link. Cowork itself refuses such folders; put the real folder in its place.", path.path),
        R::ForeignOwner { path } => format!("{} belongs to another user. Only its owner can reset it.", path.path),
        R::Root => "Sandtray never moves disks as root. Run it as the user whose sandbox it is.".to_owned(),
        R::Packaged => "Sandtray was started from inside another app's package, where its files would end up elsewhere. Start it from the Start menu.".to_owned(),
        R::OtherVolume { path } => format!("There is no place to park on the volume of {}, and disks are never copied across volumes.", path.path),
        R::NameTaken { path } => format!("{} is there already, and nothing is replaced. Move it away first.", path.path),
        R::NotWritable { path, cause } => format!("{} cannot be written: {cause}.", path.path),
        R::NoSafeRename { path } => format!("The volume of {} cannot rename without replacing, so nothing is moved.", path.path),
        R::NotEnoughSpace { needed, available, short, offers } => format!(
            "The rebuild needs {needed}, and {available} are available: {short} short. {}",
            space(offers)
        ),
        R::Held { holders } => format!("{} still has the disks open. Close it, then try again.", named(holders)),
        R::OrphanVm { holders } => format!(
            "Claude Desktop has quit, but its virtual machine has not: {} still has the disks open. Nothing was moved. Restart the computer, or end the virtual machine, then try again.",
            named(holders)
        ),
        R::HoldersUnknown { cause } => format!("It cannot be told whether something has the disks open ({cause}), so nothing is moved."),
        R::SeveralApps { pids } => format!(
            "More than one running program could be Claude Desktop ({}). Quit it yourself, then try again.",
            pids.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        ),
        R::DidNotQuit { waited } => format!("Claude Desktop did not quit within {waited} seconds and was left running. It may be asking something: answer it, or quit it yourself, then try again."),
        R::CannotQuit { cause } => format!("Claude Desktop could not be asked to quit ({cause}). Quit it yourself, then try again."),
        R::CameBack => "Claude Desktop started again by itself. Quit it, then try again.".to_owned(),
        R::Changed { what } => format!("Something changed since the preview: {what}. Look at it again."),
        R::Busy => "Another reset or clean-up is running. Wait until it is done.".to_owned(),
        R::Unresolved { entry } => format!("An earlier action ({entry}) ended in the middle. Open Sandtray, or run `sandtrayctl journal resolve`, first."),
        R::NoJournal { cause } => format!("The journal cannot be written ({cause}), and nothing is moved without it."),
        R::NoCopy => "There is no such parked copy. `sandtrayctl parked list` lists what there is.".to_owned(),
        R::CopyChanged { what } => format!("The parked copy is not as it was put there: {what}. It is left alone."),
        R::CopyAbsent { path } => format!("{} is not there now. Connect its volume, then try again.", path.path),
        R::OtherRelease { parked, wanted } => format!(
            "Claude Desktop now uses release {} of its virtual machine and would delete the parked system disk ({}) at once. It stays parked.",
            release(Some(wanted)), release(parked.as_deref())
        ),
        R::NotVerified => "The new disks have not been seen working yet, so the old ones are kept.".to_owned(),
        R::NoTrash { cause } => format!("It cannot go to the trash: {cause}. It can only be removed for good."),
        R::NotConfirmed => "Nobody confirmed it. Add --yes where nobody can be asked.".to_owned(),
        R::Cancelled => "Stopped before anything was moved; everything is as it was.".to_owned(),
    }
}

/// A release by the first digits of its id.
fn release(id: Option<&str>) -> String {
    id.map_or_else(
        || "of an unknown release".to_owned(),
        |id| id.chars().take(8).collect(),
    )
}

/// What to do about too little room, in order.
fn space(offers: &[SpaceOffer]) -> String {
    let texts: Vec<&str> = offers
        .iter()
        .map(|offer| match offer {
            SpaceOffer::DeadWeight => "remove downloads and copies that nobody needs",
            SpaceOffer::Leftovers => "clean leftovers",
            SpaceOffer::SessionDisk => "reset the session disk only",
            SpaceOffer::EmptyTrash => "empty the trash",
        })
        .collect();
    match texts.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("To help: {}, or {last}.", rest.join(", "))
        }
        _ => "Free some space first.".to_owned(),
    }
}

/// Who holds on: names and numbers, the first three.
fn named(holders: &[Holder]) -> String {
    let mut names: Vec<String> = holders
        .iter()
        .take(3)
        .map(|holder| match holder.pid {
            0 => holder.name.clone(), // the system itself: a loop device
            pid => format!("{} (process {pid})", holder.name),
        })
        .collect();
    if holders.len() > 3 {
        names.push("others".to_owned());
    }
    if names.is_empty() {
        "a process".to_owned()
    } else {
        names.join(", ")
    }
}

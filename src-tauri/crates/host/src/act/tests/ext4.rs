//! The loops once more on a small ext4, where a number of a file that went is given to the next one.

use std::path::Path;

use super::{Volume, faults, full, kills, ordinary, power};

/// Every scope has room for its rebuild.
const ROOMY: Volume = Volume::Ext4("1600M");
/// Soon full.
const SMALL: Volume = Volume::Ext4("8M");

#[test]
fn on_ext4_an_error_at_any_effect_of_a_reset_leaves_everything_parked_or_in_place() {
    let name = "on_ext4_an_error_at_any_effect_of_a_reset_leaves_everything_parked_or_in_place";
    ordinary(module_path!(), name, ROOMY, faults::resets);
}

#[test]
fn on_ext4_an_error_at_any_effect_of_a_restore_leaves_both_disks_whole() {
    let name = "on_ext4_an_error_at_any_effect_of_a_restore_leaves_both_disks_whole";
    ordinary(module_path!(), name, ROOMY, faults::restores);
}

#[test]
fn on_ext4_a_kill_at_any_instant_of_a_reset_leaves_everything_parked_or_in_place() {
    let name = "on_ext4_a_kill_at_any_instant_of_a_reset_leaves_everything_parked_or_in_place";
    killed(name, kills::resets);
}

#[test]
fn on_ext4_a_kill_at_any_instant_of_a_restore_leaves_both_disks_whole() {
    let name = "on_ext4_a_kill_at_any_instant_of_a_restore_leaves_both_disks_whole";
    killed(name, kills::restores);
}

#[test]
fn on_ext4_a_power_loss_at_any_instant_of_a_reset_leaves_everything_parked_or_in_place() {
    let name =
        "on_ext4_a_power_loss_at_any_instant_of_a_reset_leaves_everything_parked_or_in_place";
    ordinary(module_path!(), name, ROOMY, power::resets);
}

#[test]
fn on_ext4_a_power_loss_at_any_instant_of_a_restore_leaves_both_disks_whole() {
    let name = "on_ext4_a_power_loss_at_any_instant_of_a_restore_leaves_both_disks_whole";
    ordinary(module_path!(), name, ROOMY, power::restores);
}

#[test]
fn on_an_ext4_that_is_full_from_any_instant_on_a_reset_ends_or_goes_back() {
    let name = "on_an_ext4_that_is_full_from_any_instant_on_a_reset_ends_or_goes_back";
    ordinary(module_path!(), name, SMALL, full::resets);
}

#[test]
fn on_an_ext4_that_is_full_from_any_instant_on_an_undo_ends_or_goes_back() {
    let name = "on_an_ext4_that_is_full_from_any_instant_on_an_undo_ends_or_goes_back";
    ordinary(module_path!(), name, SMALL, full::restores);
}

/// A process of its own is killed: it starts as this very test.
fn killed(name: &str, test: impl FnOnce(&Path, &str)) {
    if kills::is_victim() {
        return;
    }
    ordinary(module_path!(), name, ROOMY, |root| {
        test(root, &format!("act::tests::ext4::{name}"));
    });
}

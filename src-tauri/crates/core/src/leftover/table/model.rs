//! What commands that a model ran made by themselves (facts §1.8).
//!
//! Nothing says whose these are: other programs' names are the same. So they are shown and explained, and go
//! only where a person picks them (#85576 wants 185,541 of them gone), never in bulk by us. Their cure is in
//! the test suite that makes them.

use super::{ALL, DAY, HOUR, UNIX};
use crate::leftover::{Class, Gate, Kind, Place, Removal, Tier};

/// What a person who picks some is kept safe from.
const PICKED: &[Gate] = &[
    Gate::Idle(DAY),
    Gate::NotHeld,
    Gate::NoMountSource,
    Gate::NoRepository,
];

const PROOF: &str = "Nobody can say whose it is. It was not touched for a day, it holds no repository, and no program \
     has anything in it open.";

const COST: &str = "If another program keeps something there, it is gone.";

const ONE_ROOT: &str = "Let the test suite make one temporary folder per run, put everything below it, and remove it when \
     the run ends, also when it fails.";

pub(super) const ROWS: &[Class] = &[
    Class {
        name: "python_temp_dir",
        title: "temporary folders of Python",
        about: "Python's tempfile made these, mostly in tests that do not remove what they make: 185,541 in \
                a month once.",
        proof: PROOF,
        cost: COST,
        source: "#85576",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &["tmp{py8}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: PICKED,
        remedy: "In tests, use pytest's tmp_path or \"with TemporaryDirectory()\" instead of mkdtemp, so that \
                 one folder per run holds everything and goes when the run ends.",
        otherwise: None,
    },
    Class {
        name: "mktemp_dir",
        title: "temporary folders of shell scripts",
        about: "The command mktemp made these for scripts that did not remove them.",
        proof: PROOF,
        cost: COST,
        source: "jikig-ai/soleur 2026-07-27",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &["tmp.{A10}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: PICKED,
        remedy: "In scripts, remove the folder however they end: trap 'rm -rf \"$dir\"' EXIT. In tests, make \
                 one per run and put the others below it.",
        otherwise: None,
    },
    Class {
        name: "rust_temp_dir",
        title: "temporary folders of Rust programs",
        about: "Rust's tempfile made these for programs and tests that were killed before they could remove \
                them.",
        proof: PROOF,
        cost: COST,
        source: "vfarcic/dot-agent-deck#322",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &[".tmp{A6}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: PICKED,
        remedy: ONE_ROOT,
        otherwise: None,
    },
    Class {
        name: "pytest_dir",
        title: "folders of pytest runs",
        about: "pytest keeps the folders of the last three runs and removes older ones by itself.",
        proof: "Three newer ones stand beside it, it was not touched for a day, it holds no repository, and \
                no program has anything in it open.",
        cost: "What a test of that run left for you to look at is gone.",
        source: "facts §1.8",
        systems: ALL,
        places: &[Place::TempBelow("pytest-of-{+}")],
        shapes: &["pytest-{n}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: &[
            Gate::Idle(DAY),
            Gate::NotAmongNewest(3),
            Gate::NotHeld,
            Gate::NoMountSource,
            Gate::NoRepository,
        ],
        remedy: "Set tmp_path_retention_policy = \"failed\" in pytest's configuration.",
        otherwise: None,
    },
    Class {
        name: "project_test_dir",
        title: "folders of test suites",
        about: "A project's tests made these and did not remove them: up to 6,000 a day.",
        proof: PROOF,
        cost: COST,
        source: "bredebjorhovd/comet-board#430, smithersai/smithers#1499, damianvtran/local-operator#564",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &["{+}-test-{n}-{n}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: PICKED,
        remedy: ONE_ROOT,
        otherwise: None,
    },
    Class {
        name: "repository_copy",
        title: "copies of repositories",
        about: "Agents that review code made checkouts in the temp folder: 26 of them took 11 GB of memory \
                once. They may hold work.",
        proof: "Nothing: only git can tell whether the work in it is safe elsewhere.",
        cost: "",
        source: "jikig-ai/soleur#7004, theQuert/cc-reaper#18",
        systems: UNIX,
        places: &[Place::TempBelow("rv{n}")],
        shapes: &["m-{+}"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Never,
        gates: &[],
        remedy: "Let review agents use \"git worktree add\" below the project, where git lists them.",
        otherwise: None,
    },
    Class {
        name: "browser_profile",
        title: "folders of automated browsers",
        about: "Browsers that tests started keep a profile and downloads here; killed ones leave them.",
        proof: PROOF,
        cost: COST,
        source: "microsoft/playwright#36682, dgtlmoon/sockpuppetbrowser#51",
        systems: ALL,
        places: &[Place::Temp],
        shapes: &[
            "playwright-artifacts-{A6}",
            "playwright_chromiumdev_profile-{A6}",
            "playwright_firefoxdev_profile-{A6}",
            "playwright_webkitdev_profile-{A6}",
            ".org.chromium.Chromium.{A6}",
        ],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Tree,
        gates: PICKED,
        remedy: "Close the browser in tests also when they fail, and do not kill the test runner first.",
        otherwise: None,
    },
    Class {
        name: "other_agent_dir",
        title: "empty folders of another agent",
        about: "The sandbox of OpenAI's Codex left these; an empty .git in the temp folder breaks builds of \
                worktrees below it.",
        proof: "It is empty, was not touched for an hour, and no sandbox has anything mounted over it.",
        cost: "",
        source: "openai/codex#31599",
        systems: UNIX,
        places: &[Place::Temp],
        shapes: &[".git", ".agents", ".codex"],
        kind: Kind::Directory,
        tier: Tier::Report,
        removal: Removal::Empty,
        gates: &[Gate::Idle(HOUR), Gate::Empty, Gate::NoMountSource],
        remedy: "",
        otherwise: None,
    },
];

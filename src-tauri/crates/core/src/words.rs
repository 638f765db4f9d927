//! Sentences that stand on more than one surface: tray, notification, window headline, command line.
//!
//! Why here: the same fact must never be worded twice in different ways. Labels that stand only in
//! the window live in `ui/src/words`. A second language is a second file of each.

//! Ratios beside other tools.

pub(crate) fn run(_arguments: &[String]) -> Result<(), String> {
    Err("the benches are not written yet".to_owned())
}

//! One pass over the machine, for proofs that are asked in memory.

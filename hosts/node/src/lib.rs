//! The host `node`: an npm package that calls one Rust function at every tier.

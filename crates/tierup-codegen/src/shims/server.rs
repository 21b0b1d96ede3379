//! Tier 4: an axum server from the routes.

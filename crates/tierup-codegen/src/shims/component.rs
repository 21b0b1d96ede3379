//! The component: WIT from the signatures, and the guest that wit-bindgen binds to it.

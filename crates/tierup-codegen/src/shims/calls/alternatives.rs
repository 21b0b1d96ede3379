//! The implementation that a process calls: the exported function, or one of `[function.alternatives]`.
//!
//! Only a project with alternatives has this code. There, a call reads one number in memory.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use tierup_model::{Alternative, Interface};

/// The names of the functions that read arguments: of the exported functions, then of the alternatives.
pub(super) fn readers(interface: &Interface, alternatives: &[Alternative]) -> Vec<Ident> {
    let exported = interface.functions.iter().map(|function| format_ident!("call_{}", function.name));
    exported.chain((1..=alternatives.len()).map(|number| format_ident!("call_alternative_{number}"))).collect()
}

/// The arm of the only exported function: `readers` are its own and those of its alternatives.
pub(super) fn arm(number: u32, readers: &[Ident]) -> TokenStream {
    let numbers = 0u32..;
    quote! {
        #number => match alternative::chosen() {
            #(#numbers => #readers(arguments, answer),)*
            _ => panic!("{}", alternative::unknown()),
        }
    }
}

/// The module that holds the choice.
pub(super) fn module(alternatives: &[Alternative]) -> TokenStream {
    let names = alternatives.iter().map(|alternative| &alternative.name);
    quote! {
        /// The implementation of the function that this process calls.
        pub mod alternative {
            use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

            /// The keys of `[function.alternatives]`. The first is number 1; 0 is the exported function.
            const NAMES: &[&str] = &[#(#names),*];
            /// The environment was not read yet.
            const UNREAD: u32 = u32::MAX;

            static CHOSEN: AtomicU32 = AtomicU32::new(UNREAD);

            pub(crate) fn chosen() -> u32 {
                match CHOSEN.load(Relaxed) {
                    UNREAD => read(),
                    number => number,
                }
            }

            /// Chooses by number, where there is no environment: in a Wasm module.
            pub fn choose(number: u32) {
                CHOSEN.store(number, Relaxed);
            }

            /// `TIERUP_TIER=3:native#NAME`.
            #[cold]
            fn read() -> u32 {
                let tier = std::env::var("TIERUP_TIER").unwrap_or_default();
                let place = |name: &str| NAMES.iter().position(|known| *known == name).unwrap_or(NAMES.len());
                let number = tier.split_once('#').map_or(0, |(_, name)| place(name) as u32 + 1);
                choose(number);
                number
            }

            pub(crate) fn ready() -> Result<(), String> {
                if chosen() as usize <= NAMES.len() { Ok(()) } else { Err(unknown()) }
            }

            #[cold]
            pub(crate) fn unknown() -> String {
                format!("TIERUP_TIER names no alternative of this build: after `#` comes one of {}", NAMES.join(", "))
            }
        }
    }
}

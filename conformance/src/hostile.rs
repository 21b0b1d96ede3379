//! Documentation that tries to leave its comment, and types from deeper modules.

/// Ends a comment: */ and begins another /* in some languages; "quotes", `code`, \u002a/, \ at the end \
/// ```js
/// conformance.hostileDocs()
/// ```
/// <script>alert(1)</script> {@link nothing} @param nothing %s ${nothing} #{nothing}
pub fn hostile_docs() -> String {
    "harmless".to_owned()
}

mod deep {
    pub mod deeper {
        /// From far inside.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Treasure {
            /// Ends a comment: */ "quoted" \
            pub gold: u64,
        }
    }
}

pub use deep::deeper::Treasure;

pub fn double_treasure(treasure: Treasure) -> Treasure {
    Treasure { gold: treasure.gold.wrapping_mul(2) }
}

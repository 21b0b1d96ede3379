/*! Crate
 * docs.
 */
#![doc = "More."]

/** Does it.
 *
 *   * once
 */
#[doc = "Twice."]
#[doc(hidden)]
pub fn f(e: E) {}

/// An enum.
///     indented
pub enum E {
    ///A
    A,
}

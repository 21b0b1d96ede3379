
/// Chooses the implementation of the function: 0 is the exported one, 1 the first of `[function.alternatives]`.
#[unsafe(no_mangle)]
pub extern "C" fn tierup_choose(number: u32) {
    tierup_calls::alternative::choose(number);
}

pub fn f(
    x: u128,
) {
}

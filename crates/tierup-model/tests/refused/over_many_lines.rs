pub fn f(
    x: Box<
        Vec<u8>,
    >,
) {
}

pub fn f() -> ! {
    loop {}
}

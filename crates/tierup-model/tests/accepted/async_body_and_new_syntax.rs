pub fn f() -> u8 {
    let x = some new syntax => that { nobody } knows;
    1
}
// invalid for rustc: not Rust of today

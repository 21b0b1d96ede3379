pub fn f() -> u8 {
    let x = some new syntax => that { nobody } knows;
    1
}
// not for rustc: of some later edition

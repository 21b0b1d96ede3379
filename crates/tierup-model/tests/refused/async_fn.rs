pub async fn f() -> u8 {
    1
}

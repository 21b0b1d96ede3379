pub fn f() -> impl std::future::Future<Output = u8> {
    async { 1 }
}

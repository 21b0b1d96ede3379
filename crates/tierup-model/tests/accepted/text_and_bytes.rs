pub fn f(a: &str, b: String, c: &String, d: &[u8], e: Vec<u8>, g: &Vec<u8>, h: Vec<Vec<u8>>, i: Option<u8>) -> String {
    String::new()
}

pub struct Item {
    pub name: String,
}

pub fn f<'a>(
    a: &[Item],
    b: &Item,
    c: &Vec<Item>,
    d: Option<&'a str>,
    e: Option<&[u8]>,
    g: Vec<&str>,
    h: &[&str],
    i: &Option<String>,
    j: &u32,
    k: std::collections::HashMap<String, &str>,
    l: &[u16],
) {
}

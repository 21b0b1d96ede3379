type Bytes = Vec<u8>;
type Byte = u8;
type Named<T> = std::collections::HashMap<String, T>;
type Text<'a> = &'a str;
mod inner {
    pub type Points = Vec<crate::Point>;
    pub type Pair<A, B = A> = std::collections::BTreeMap<A, Option<B>>;
}
pub struct Point {
    pub x: f64,
}

pub fn f(a: Bytes, b: Vec<Byte>, c: &[Byte], d: Named<Bytes>, e: Text<'_>, g: inner::Points, h: inner::Pair<String>) -> Named<Named<u8>> {
    Named::new()
}

pub struct Folder {
    pub entries: Vec<Entry>,
}
pub enum Entry {
    File(String),
    Folder(Folder),
}
pub enum List {
    End,
    More { rest: Option<Box<Self>>, all: Vec<Self> },
}
pub fn f(folder: Folder, list: List) {}

pub struct Tree {
    pub left: Option<Box<Tree>>,
    pub right: std::sync::Arc<Tree>,
    pub name: Box<str>,
}
pub fn f(tree: &Tree) {}

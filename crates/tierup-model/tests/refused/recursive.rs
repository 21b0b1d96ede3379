pub struct Tree {
    pub left: Option<Box<Tree>>,
    pub children: Vec<Tree>,
}
pub fn f(tree: &Tree) {}

pub fn f(x: std::rc::Rc<u8>) {}

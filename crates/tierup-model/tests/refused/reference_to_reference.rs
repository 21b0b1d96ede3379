pub fn f(x: &&str) {}

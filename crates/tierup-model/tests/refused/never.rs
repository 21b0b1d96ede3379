pub fn f(x: !) {}

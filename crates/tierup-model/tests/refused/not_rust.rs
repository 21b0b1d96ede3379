pub function f() {}

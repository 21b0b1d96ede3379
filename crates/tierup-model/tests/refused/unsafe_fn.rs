pub unsafe fn f() {}

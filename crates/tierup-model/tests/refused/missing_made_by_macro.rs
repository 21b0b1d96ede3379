// export: made
macro_rules! make {
    ($name:ident) => {
        pub fn $name() {}
    };
}
make!(made);

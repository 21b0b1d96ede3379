// export: a, b, c
// not for rustc: the crates are missing
use anyhow::Result;

pub fn a() -> Result<u8> {
    Ok(1)
}
pub fn b() -> eyre::Result<()> {
    Ok(())
}
pub fn c() -> anyhow::Result<u8, String> {
    Ok(1)
}

//! Where in the source something happened, without the folders of the machine that built it.

/// A file as its crate's users know it: `slug/src/lib.rs`. The compiler names files of other workspaces by absolute
/// paths, which help nobody elsewhere and reveal folders of the build machine.
pub fn shown(file: &str) -> &str {
    let separators = ['/', '\\'];
    // A Unix path, or one with a drive letter. In Wasm, `Path::is_absolute` recognises neither.
    let is_absolute = file.starts_with(separators) || file.get(1..2) == Some(":");
    if !is_absolute {
        return file;
    }
    let inside = file.rfind("/src/").or_else(|| file.rfind("\\src\\")).or_else(|| file.rfind(separators));
    let folder = inside.and_then(|inside| file[..inside].rfind(separators));
    folder.map_or(file, |folder| &file[folder + 1..])
}

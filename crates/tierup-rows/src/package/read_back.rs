//! Reads a built program or library back: a builder's claim about its platform proves little.
//!
//! In: the file's bytes, and the platform that it was built for. Out: its needs and exports, or the problem with it.

use std::collections::BTreeSet;

use object::{
    Architecture, BinaryFormat, File, Object as _,
    read::{elf::ElfFile64, macho::MachOFile64},
};
use tierup_codegen::{Libc, Os, Target};

/// The properties of a file, as read from it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadBack {
    /// The libraries that the file loads, and the language's runtime if it is for only one version of that.
    pub needed: Vec<String>,
    pub exports: usize,
    /// The oldest version of glibc or macOS that the file runs on.
    pub floor: Option<String>,
}

/// Reads a file, and checks that it is for its platform, runs on the platform's oldest version, and contains none of
/// the builder's `folders`.
///
/// # Errors
/// A description of the problem.
pub(crate) fn read_back(
    bytes: &[u8],
    target: &Target,
    floor: Option<&str>,
    folders: &[String],
) -> Result<ReadBack, String> {
    let read = read(bytes).map_err(|error| format!("it cannot be read: {error}"))?;
    let machine = target.machine();
    let (format, architecture) = kind(bytes).map_err(|error| format!("it cannot be read: {error}"))?;
    let is_format = match machine.os {
        Os::Linux | Os::Other => format == BinaryFormat::Elf,
        Os::MacOs => format == BinaryFormat::MachO,
        Os::Windows => format == BinaryFormat::Pe,
    };
    let is_processor = match &*machine.arch {
        "x86_64" => architecture == Architecture::X86_64,
        _ => architecture == Architecture::Aarch64,
    };
    if !is_format || !is_processor {
        return Err(format!("it is {format:?} for {architecture:?}, not for {}", target.name));
    }
    let needs_glibc = read.needed.iter().any(|name| name == "libc.so.6" || name.starts_with("ld-linux"));
    if machine.libc == Some(Libc::Musl) && needs_glibc {
        return Err(format!("it needs glibc, though it is for {}", target.name));
    }
    if machine.os == Os::MacOs && read.floor.is_none() {
        return Err("it is not signed, or does not name its oldest macOS".to_owned());
    }
    if let (Some(floor), Some(found)) = (floor, &read.floor)
        && version(found) > version(floor)
    {
        return Err(format!("it needs version {found} of the system's library, not {floor}"));
    }
    names_no_folder(bytes, folders)?;
    Ok(read)
}

/// # Errors
/// The file contains a path of one of these folders.
pub(crate) fn names_no_folder(bytes: &[u8], folders: &[String]) -> Result<(), String> {
    match folders.iter().find(|folder| contains(bytes, folder)) {
        Some(folder) => Err(format!("it has the path `{folder}` of this machine in it")),
        None => Ok(()),
    }
}

fn kind(bytes: &[u8]) -> object::Result<(BinaryFormat, Architecture)> {
    let file = File::parse(bytes)?;
    Ok((file.format(), file.architecture()))
}

fn read(bytes: &[u8]) -> object::Result<ReadBack> {
    let file = File::parse(bytes)?;
    let (mut needed, floor) = match &file {
        File::Elf64(elf) => (needed(elf)?, glibc(elf)?),
        File::MachO64(macho) => (libraries(&file)?, macos(macho)?),
        _ => (libraries(&file)?, None),
    };
    needed.extend(runtime(bytes));
    Ok(ReadBack { needed, exports: file.exports()?.len(), floor })
}

/// The runtime that an extension was compiled for, as its glue says: `Ruby 3.1`.
fn runtime(bytes: &[u8]) -> Option<String> {
    const MARK: &[u8] = b"tierup-runtime:";
    let at = bytes.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    bytes[at..].split(|byte| *byte == 0).next().map(text)
}

/// The oldest macOS that a file runs on; `None` for a file that Apple's own processors refuse, as it has no signature.
fn macos(file: &MachOFile64<'_>) -> object::Result<Option<String>> {
    let mut commands = file.macho_load_commands()?;
    // zig does not sign for the others.
    let mut is_taken = file.architecture() != Architecture::Aarch64;
    while let Some(command) = commands.next()? {
        is_taken |= command.cmd() == object::macho::LC_CODE_SIGNATURE;
    }
    let oldest = file.build_version()?.filter(|_| is_taken).map(|build| build.minos.get(file.endian()));
    Ok(oldest.map(|version| format!("{}.{}", version >> 16, version >> 8 & 0xff)))
}

/// The libraries of a Mach-O or PE file, where each import names its library. ELF lists them apart: see [`needed`].
fn libraries(file: &File<'_>) -> object::Result<Vec<String>> {
    let names: BTreeSet<_> = file.imports()?.iter().map(|import| text(import.library())).collect();
    Ok(names.into_iter().filter(|name| !name.is_empty()).collect())
}

fn needed(elf: &ElfFile64<'_>) -> object::Result<Vec<String>> {
    let (endian, data, sections) = (elf.endian(), elf.data(), elf.elf_section_table());
    let Some((entries, link)) = sections.dynamic(endian, data)? else { return Ok(Vec::new()) };
    let strings = sections.strings(endian, data, link)?;
    let is_needed = |entry: &&object::elf::Dyn64<_>| entry.d_tag.get(endian) == object::elf::DT_NEEDED;
    let name = |entry: &object::elf::Dyn64<_>| strings.get(entry.d_val.get(endian) as u32).map(text);
    Ok(entries.iter().filter(is_needed).filter_map(|entry| name(entry).ok()).collect())
}

/// The newest version of glibc that a symbol needs.
fn glibc(elf: &ElfFile64<'_>) -> object::Result<Option<String>> {
    let (endian, data, sections) = (elf.endian(), elf.data(), elf.elf_section_table());
    let Some((mut needs, link)) = sections.gnu_verneed(endian, data)? else { return Ok(None) };
    let strings = sections.strings(endian, data, link)?;
    let mut found = Vec::new();
    while let Some((_, mut versions)) = needs.next()? {
        while let Some(one) = versions.next()? {
            found.extend(text(one.name(endian, strings)?).strip_prefix("GLIBC_").map(str::to_owned));
        }
    }
    Ok(found.into_iter().max_by_key(|name| version(name)))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The numbers of a version such as `2.17`, for comparisons.
fn version(text: &str) -> Vec<u32> {
    text.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// Whether a path of the folder occurs. A short folder such as `/src/` also occurs in paths of published crates.
fn contains(bytes: &[u8], folder: &str) -> bool {
    let is_of_a_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-~/".contains(byte);
    let is_short = folder.matches('/').count() == 2;
    let is_known = |at: usize| {
        let begin = bytes[..at].iter().rposition(|byte| !is_of_a_path(byte)).map_or(0, |last| last + 1);
        [&b"/rustc/"[..], b"/~"]
            .iter()
            .any(|known| bytes[begin..at].windows(known.len()).any(|window| window == *known))
    };
    let found = bytes.windows(folder.len()).enumerate().filter(|(_, window)| *window == folder.as_bytes());
    found.into_iter().any(|(at, _)| !is_short || !is_known(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_says_for_which_runtime_it_is() {
        assert_eq!(runtime(b"\0tierup-runtime:Ruby 3.1\0tierup\0").as_deref(), Some("Ruby 3.1"));
        assert_eq!(runtime(b"\0tierup-\0"), None);
    }

    /// The test reads its own program, which needs the C library.
    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
    fn a_program_names_its_needs_and_the_folders_of_its_builder() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let check =
            |name: &str, floor, folders: &[String]| read_back(&own, &Target::find(name).unwrap(), floor, folders);
        let read = check("linux-x64-gnu", None, &[]).unwrap();
        assert!(read.needed.contains(&"libc.so.6".to_owned()), "{read:?}");
        assert!(read.floor.clone().is_some_and(|floor| version(&floor) >= vec![2, 2]), "{read:?}");
        let folder = env!("CARGO_MANIFEST_DIR").to_owned();
        let too_old = check("linux-x64-gnu", Some("2.1"), &[]).unwrap_err();
        assert!(too_old.starts_with("it needs version 2."), "{too_old}");
        assert_eq!(check("linux-x64-musl", None, &[]).unwrap_err(), "it needs glibc, though it is for linux-x64-musl");
        assert_eq!(check("linux-arm64-gnu", None, &[]).unwrap_err(), "it is Elf for X86_64, not for linux-arm64-gnu");
        assert!(check("darwin-x64", None, &[]).unwrap_err().starts_with("it is Elf"));
        let leaks = check("linux-x64-gnu", None, std::slice::from_ref(&folder)).unwrap_err();
        assert_eq!(leaks, format!("it has the path `{folder}` of this machine in it"));
        let paths = b"at/rustc/17067e9/library/core/src/option.rs/~cargo/registry/src/a-1/src/lib.rs";
        assert_eq!(names_no_folder(paths, &["/src/".to_owned(), "/library/".to_owned()]), Ok(()));
        assert!(names_no_folder(b"panicked at/src/lib.rs", &["/src/".to_owned()]).is_err());
    }
}

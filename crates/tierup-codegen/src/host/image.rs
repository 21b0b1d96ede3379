//! A host's part of a server's Dockerfile, which `tierup package --image` writes.

use crate::Libc;

/// The system that an image is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    Debian,
    Alpine,
    /// Nothing but a static program.
    Scratch,
}

impl System {
    /// How the images of languages name it, in a version that is pinned.
    pub fn tag(self) -> &'static str {
        match self {
            System::Debian => "bookworm",
            System::Alpine => "alpine3.22",
            System::Scratch => "",
        }
    }

    /// Its C library; what runs on nothing brings musl along.
    pub fn libc(self) -> Libc {
        if self == System::Debian { Libc::Gnu } else { Libc::Musl }
    }
}

/// What differs between the Dockerfiles of hosts. Commands are lines of a shell.
#[derive(Debug, Clone)]
pub struct Image {
    /// The image in which dependencies are installed.
    pub build: String,
    /// The image in which the server runs.
    pub run: String,
    /// The C library of the package that it takes.
    pub libc: Libc,
    /// The files of the server's folder that decide what is installed.
    pub manifests: Vec<String>,
    /// Run in the server's folder, with these files and the committed package.
    pub install: Vec<String>,
    /// Puts the published package, `$PACKAGE`, where the committed one looks for what is built. Run in the project's folder.
    pub unpack: String,
    /// Run in the server's folder after the server was built, to remove what only the build needs.
    pub trim: Option<String>,
    /// Whether the server's folder is all that it needs to run.
    pub is_alone: bool,
    /// A program and its arguments: exits with 0 if `/readyz` on `$PORT` answers with 200.
    pub healthcheck: Vec<String>,
}

/// `healthcheck` for servers whose image has no language: by bash in Debian's, by wget in Alpine's.
pub fn healthcheck(system: System) -> Vec<String> {
    let bash = "exec 3<>/dev/tcp/127.0.0.1/$PORT; printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3; read -r line <&3; [[ $line == *' 200 '* ]]";
    let wget = "wget -qO /dev/null http://127.0.0.1:$PORT/readyz";
    let words = if system == System::Alpine { ["sh", "-c", wget] } else { ["bash", "-ec", bash] };
    words.map(str::to_owned).into()
}

/// The version of a language that a project pins or asks for: the first number in one of these texts, with at most this many parts.
pub fn pinned(texts: &[Option<String>], parts: usize, otherwise: &str) -> String {
    let first = |text: &String| {
        let number = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number = number.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
        let number = number.split('.').filter(|part| !part.is_empty()).take(parts).collect::<Vec<_>>().join(".");
        (!number.is_empty()).then_some(number)
    };
    texts.iter().flatten().find_map(first).unwrap_or_else(|| otherwise.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_first_text_with_a_number_pins_a_version() {
        let pinned = |texts: &[Option<&str>], parts| {
            super::pinned(&texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>(), parts, "1")
        };
        assert_eq!(pinned(&[None, Some("v22.3.0\n"), Some(">=18")], 1), "22");
        assert_eq!(pinned(&[Some("lts/*"), Some("^20.15 || >=22")], 1), "20");
        assert_eq!(pinned(&[Some(">=3.11,<4")], 2), "3.11");
        assert_eq!(pinned(&[None, Some("latest")], 2), "1");
    }
}

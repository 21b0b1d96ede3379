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

    /// The same for an image without compilers, of languages that put the word before the system.
    pub fn slim_tag(self) -> String {
        format!("{}{}", if self == System::Debian { "slim-" } else { "" }, self.tag())
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
    /// If extensions run on one version of the language only.
    pub version: Option<Version>,
    /// The C library of the package that it takes.
    pub libc: Libc,
    /// The files of the server's folder that decide what is installed; `.` stands for all of them.
    pub manifests: Vec<String>,
    /// Run in the server's folder, with these files and the committed package.
    pub install: Vec<String>,
    /// The file of the server's folder with credentials for the installation, as the secret of this name.
    pub secret: Option<(&'static str, &'static str)>,
    /// A folder of downloads, outside the image, that a builder keeps for the next one.
    pub downloads: Option<&'static str>,
    /// What local installations and builds leave in the server's folder; no builder gets it.
    pub leaves: &'static [&'static str],
    /// Puts the published package, `$PACKAGE`, where the committed one looks for what is built. Run in the project's folder.
    pub unpack: String,
    /// Run in the server's folder after the server was built, to remove what only the build needs.
    pub trim: Option<String>,
    /// Whether the server's folder is all that it needs to run.
    pub is_alone: bool,
    /// A program and its arguments: exits with 0 if `/readyz` on `$PORT` answers with 200.
    pub healthcheck: Vec<String>,
    /// Usual in production: ` NAME=value`.
    pub variables: &'static str,
}

impl Image {
    /// What is the same in most images of this system, whose health check needs no language.
    pub fn of(system: System) -> Image {
        Image {
            build: String::new(),
            run: String::new(),
            version: None,
            libc: system.libc(),
            manifests: Vec::new(),
            install: Vec::new(),
            secret: None,
            downloads: None,
            leaves: &[],
            unpack: String::new(),
            trim: None,
            is_alone: false,
            healthcheck: healthcheck(system),
            variables: "",
        }
    }
}

/// The version of a language. In [`Image::build`] and [`Image::run`], `VERSION` stands for it.
#[derive(Debug, Clone)]
pub struct Version {
    /// The language in what a package's extensions need: `Ruby` in `Ruby 3.4`.
    pub of: &'static str,
    /// The one that the server asks for. Without one, it is that of the extensions.
    pub asked: Option<String>,
}

impl Version {
    /// The version for a package whose files need these.
    ///
    /// # Errors
    /// The extensions that the image would run are for another version, or none is known.
    pub fn chosen(&self, needs: &[&str], is_extension: bool) -> Result<String, String> {
        let Version { of, asked } = self;
        let made = needs.iter().find_map(|need| need.strip_prefix(of)?.strip_prefix(' '));
        let fits = |asked: &str, made: &str| asked == made || asked.starts_with(&format!("{made}."));
        match (asked, made) {
            (Some(asked), Some(made)) if is_extension && !fits(asked, made) => {
                Err(format!("its server asks for {of} {asked}, and the package was made with {of} {made}"))
            }
            (Some(asked), _) => Ok(asked.clone()),
            (None, Some(made)) => Ok(made.to_owned()),
            (None, None) => Err(format!("neither its server nor the package says for which {of} it is")),
        }
    }
}

/// `healthcheck` for servers whose image has no language: by bash in Debian's, by wget in Alpine's.
pub fn healthcheck(system: System) -> Vec<String> {
    let bash = "exec 3<>/dev/tcp/127.0.0.1/$PORT; printf 'GET /readyz HTTP/1.0\\r\\n\\r\\n' >&3; read -r line <&3; [[ $line == *' 200 '* ]]";
    let wget = "wget -qO /dev/null http://127.0.0.1:$PORT/readyz";
    let words = if system == System::Alpine { ["sh", "-c", wget] } else { ["bash", "-ec", bash] };
    words.map(str::to_owned).into()
}

/// The version of a language that a project pins or asks for: the first number in the last alternative of one of these
/// texts, with at most this many parts. A project that only names its oldest version gets `otherwise`, if that is newer:
/// nobody maintains the oldest for long.
pub fn pinned(texts: &[Option<String>], parts: usize, otherwise: &str) -> String {
    let numbers = |text: &str| text.split('.').map_while(|part| part.parse().ok()).take(parts).collect::<Vec<u32>>();
    let first = |text: &String| {
        let text = text.rsplit("||").next().unwrap_or_default();
        let start = text.find(|c: char| c.is_ascii_digit())?;
        let number = text[start..].split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
        let (asked, usual) = (numbers(number), numbers(otherwise));
        let is_oldest = text[..start].contains('>') && !text.contains('<');
        let version = if is_oldest { asked.max(usual) } else { asked };
        Some(version.iter().map(u32::to_string).collect::<Vec<_>>().join("."))
    };
    texts.iter().flatten().find_map(first).unwrap_or_else(|| otherwise.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn extensions_need_the_version_that_they_were_made_with() {
        let chosen = |asked: Option<&str>, needs: &[&str], is_extension| {
            super::Version { of: "Ruby", asked: asked.map(str::to_owned) }.chosen(needs, is_extension)
        };
        let needs = ["libc.so.6", "Ruby 3.1"];
        assert_eq!(chosen(None, &needs, true).unwrap(), "3.1");
        assert_eq!(chosen(Some("3.1.2"), &needs, true).unwrap(), "3.1.2");
        assert_eq!(chosen(Some("3.4"), &needs, false).unwrap(), "3.4");
        let refused = chosen(Some("3.14"), &needs, true).unwrap_err();
        assert_eq!(refused, "its server asks for Ruby 3.14, and the package was made with Ruby 3.1");
        assert!(chosen(None, &["libc.so.6"], false).is_err());
    }

    #[test]
    fn the_first_text_with_a_number_pins_a_version() {
        let pinned = |texts: &[Option<&str>], parts| {
            super::pinned(&texts.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>(), parts, "1")
        };
        assert_eq!(pinned(&[None, Some("v22.3.0\n"), Some(">=18")], 1), "22");
        assert_eq!(pinned(&[Some("lts/*"), Some("^20.15 || ^22")], 1), "22");
        assert_eq!(pinned(&[Some(">=3.11,<4")], 2), "3.11");
        assert_eq!(super::pinned(&[Some("^18.18 || >=20".to_owned())], 1, "22"), "22");
        assert_eq!(super::pinned(&[Some(">= 3.9".to_owned())], 2, "3.13"), "3.13");
        assert_eq!(super::pinned(&[Some(">=3.14".to_owned())], 2, "3.13"), "3.14");
        assert_eq!(pinned(&[None, Some("latest")], 2), "1");
    }
}

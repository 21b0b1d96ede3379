//! What `generate_qr_code` promises, checked on its PNGs and on those that are written by hand: by `png`, which wrote only
//! the former, and by `rqrr`, which shares no code with either.

use std::io::Cursor;

use png::{BitDepth, ColorType, Decoder, Transformations};
use proptest::prelude::*;
use qr::{QrError, article::generate_qr_code_as_in_the_article, by_hand::generate_qr_code_by_hand, generate_qr_code};
use rqrr::{Grid, MetaData, PreparedImage, SimpleGrid};

const PIXELS: usize = 200;

type Generate = fn(&str) -> Result<Vec<u8>, QrError>;

/// Both ways to the same picture.
const WAYS: [Generate; 2] = [generate_qr_code, generate_qr_code_by_hand];

/// A decoded file: dark pixels are `true`.
struct Picture(Vec<bool>);

impl Picture {
    fn of(generate: Generate, text: &str) -> Self {
        let file = generate(text).unwrap_or_else(|error| panic!("{error}: {text:?}"));
        let mut decoder = Decoder::new(Cursor::new(file));
        decoder.set_transformations(Transformations::IDENTITY);
        let mut reader = decoder.read_info().unwrap();
        let info = reader.info();
        assert_eq!((info.width, info.height), (200, 200));
        assert_eq!((info.bit_depth, info.color_type), (BitDepth::One, ColorType::Grayscale));
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        reader.finish().unwrap();
        Self(bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> (7 - bit) & 1 == 0)).collect())
    }

    fn is_dark(&self, x: usize, y: usize) -> bool {
        self.0[y * PIXELS + x]
    }

    /// First and last column or row (the finder patterns make them equal) with anything dark in it.
    fn extent(&self, dark_at: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        let dark = |line: &usize| (0..PIXELS).any(|other| dark_at(*line, other));
        ((0..PIXELS).find(dark).unwrap(), (0..PIXELS).rfind(dark).unwrap())
    }

    /// The modules, after checking that they are whole pixels, as large as fits, in a quiet zone.
    fn modules(&self) -> SimpleGrid {
        let (left, right) = self.extent(|x, y| self.is_dark(x, y));
        let (top, bottom) = self.extent(|y, x| self.is_dark(x, y));
        let width = right + 1 - left;
        assert_eq!(width, bottom + 1 - top, "not a square");
        // The upper edge of the first finder pattern is seven modules long.
        let scale = (left..).take_while(|&x| self.is_dark(x, top)).count() / 7;
        let size = width / scale;
        assert_eq!(width, size * scale, "modules are no whole pixels");
        assert_eq!(size % 4, 1, "{size} is no QR code's size");
        assert_eq!(scale, PIXELS / (size + 8), "modules could be larger");
        for margin in [left, top, PIXELS - 1 - right, PIXELS - 1 - bottom] {
            assert!(margin >= 4 * scale, "quiet zone of {margin} pixels around modules of {scale}");
        }
        for y in 0..width {
            for x in 0..width {
                let module = self.is_dark(left + x / scale * scale, top + y / scale * scale);
                assert_eq!(self.is_dark(left + x, top + y), module, "a module is not of one colour");
            }
        }
        SimpleGrid::from_func(size, |x, y| self.is_dark(left + x * scale, top + y * scale))
    }
}

/// Decodes the text's QR code, drawn either way, and returns what the last says about itself.
fn assert_reads_back(text: &str) -> MetaData {
    let [_, about] = WAYS.map(|generate| {
        let (about, read) = Grid::new(Picture::of(generate, text).modules()).decode().unwrap();
        assert_eq!(read, text);
        assert_eq!(about.ecc_level, 1, "error correction L is written as 1");
        about
    });
    about
}

#[test]
fn texts_of_every_kind_read_back() {
    let texts = [
        "https://github.com/pretzelhammer/rust-blog",
        "https://www.reddit.com/r/rustjerk/top/?t=all",
        "https://youtu.be/cE0wfjsybIQ?t=74",
        "0",
        "a",
        " ",
        "\0",
        "0123456789",
        "HELLO WORLD $%*+-./:",
        "HTTPS://EXAMPLE.ORG/0123456789012345678901234567890123456789/lower",
        "tel:+4915112345678901234567890123456789",
        "grüße, мир, 世界, नमस्ते, 🦀👩‍👩‍👧‍👦",
        "日本語のテキストは漢字モードでは書かれない",
        "line one\nline two\ttabbed\r\n",
    ];
    for text in texts {
        assert_reads_back(text);
    }
}

#[test]
fn a_camera_finds_the_code() {
    for (length, generate) in [1, 40, 100, 200, 300, 512].into_iter().flat_map(|length| WAYS.map(|way| (length, way))) {
        let text = "https://example.org/".repeat(length).split_at(length).0.to_owned();
        let picture = Picture::of(generate, &text);
        let mut seen = PreparedImage::prepare_from_greyscale(PIXELS, PIXELS, |x, y| match picture.is_dark(x, y) {
            true => 0,
            false => 255,
        });
        let grids = seen.detect_grids();
        assert_eq!(grids.len(), 1, "{length} bytes");
        assert_eq!(grids[0].decode().unwrap().1, text);
    }
}

#[test]
fn every_length_up_to_512_bytes_works_in_every_mode() {
    let alphabets = ["0123456789", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "é"];
    for alphabet in alphabets {
        let mut text = String::new();
        for symbol in alphabet.chars().cycle() {
            text.push(symbol);
            if text.len() > 512 {
                break;
            }
            // A third of them, and all around the limit, are soon read.
            if text.len().is_multiple_of(3) || text.len() > 500 {
                assert_reads_back(&text);
            }
        }
    }
}

#[test]
fn every_version_works_from_its_first_byte_to_its_last() {
    let versions: Vec<usize> = (1..=2953)
        .filter(|length| length % 97 == 1 || [17, 18, 718, 719, 1628, 2953].contains(length))
        .map(|length| assert_reads_back(&"x".repeat(length)).version.0)
        .collect();
    assert!(versions.is_sorted());
    assert_eq!((versions.first(), versions.last()), (Some(&1), Some(&40)));
}

#[test]
fn the_limits_are_those_of_version_40() {
    for (symbol, most) in [("x", 2953), ("A", 4296), ("7", 7089)] {
        assert_eq!(assert_reads_back(&symbol.repeat(most)).version.0, 40);
        for generate in WAYS {
            let error = generate(&symbol.repeat(most + 1)).unwrap_err();
            assert_eq!(error, QrError::TextTooLong { bytes: most + 1 });
        }
    }
    let error = generate_qr_code(&"x".repeat(2954)).unwrap_err();
    assert_eq!(error.to_string(), "text of 2954 bytes does not fit into a QR code, which holds 2953");
}

#[test]
fn the_code_of_the_article_answers_alike() {
    for text in ["https://youtu.be/cE0wfjsybIQ?t=74", "HELLO WORLD", "0123456789", "日本語", &"x".repeat(512)] {
        let picture = image::load_from_memory(&generate_qr_code_as_in_the_article(text).unwrap()).unwrap().into_luma8();
        assert!(picture.width() >= 200 && picture.width() == picture.height());
        let (width, height) = (picture.width() as usize, picture.height() as usize);
        let pixel = |x: usize, y: usize| picture.get_pixel(x as u32, y as u32).0[0];
        let read = PreparedImage::prepare_from_greyscale(width, height, pixel).detect_grids()[0].decode().unwrap();
        assert_eq!((read.0.ecc_level, read.1.as_str()), (1, text));
    }
    for text in ["", &"x".repeat(2954)] {
        assert_eq!(generate_qr_code_as_in_the_article(text), generate_qr_code(text));
    }
}

#[test]
fn no_text_is_an_error() {
    assert_eq!(WAYS.map(|generate| generate("")), [Err(QrError::EmptyText), Err(QrError::EmptyText)]);
    assert_eq!(QrError::EmptyText.to_string(), "there is no text to encode");
}

#[test]
fn equal_texts_give_equal_files() {
    for generate in WAYS {
        assert_eq!(generate("tierup"), generate("tierup"));
        assert_ne!(generate("tierup"), generate("Tierup"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_text_reads_back(text in "\\PC{1,170}") {
        assert_reads_back(&text);
    }

    /// Runs of each mode, where it switches between them.
    #[test]
    fn any_mixture_of_modes_reads_back(text in "([0-9]{0,20}|[A-Z $%*+./:-]{0,20}|[a-zé本🦀]{0,10}){1,8}") {
        prop_assume!(!text.is_empty());
        assert_reads_back(&text);
    }

    /// The largest symbol, where cutting the text into segments must not cost it its room.
    #[test]
    fn any_2953_bytes_fit(text in "([0-9]{1,9}|[A-Z]{1,9}|[a-z]{1,9}){1000}") {
        for generate in WAYS {
            generate(&text[..text.len().min(2953)]).unwrap();
        }
    }
}

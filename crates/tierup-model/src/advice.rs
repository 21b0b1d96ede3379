//! What to write instead of types that people often try, by their last name. `T` in a hint stands for whatever the
//! type was made of.

/// Why a type cannot cross, and what can in its place.
pub(crate) struct Advice {
    pub(crate) reason: &'static str,
    pub(crate) hint: &'static str,
}

/// For types of the language and the standard library.
pub(crate) fn standard(name: &str) -> Option<Advice> {
    let (reason, hint) = match name {
        "char" => {
            ("most hosts have no type for a single character", "use `String` or `&str`, or `u32` for its code point")
        }
        "i128" | "u128" => {
            ("most hosts and Wasm have no 128-bit integers", "use `i64` or `u64`, or `String` for its digits")
        }
        "f16" | "f128" => ("hosts have no floats of this size", "use `f32` or `f64`"),
        "Box" => ("hosts own copies, not boxes", "use `T` itself"),
        "Rc" | "Arc" | "Weak" => ("hosts own copies, so nothing can be shared with them", "use `T` itself"),
        "Cow" => (
            "it is borrowed or owned at run time",
            "use `&str` for a parameter and `String` for an answer (or `&[u8]` and `Vec<u8>`)",
        ),
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" | "LazyLock" | "LazyCell" | "UnsafeCell" => {
            ("hosts own copies, so changes inside it would not be seen", "use `T` itself")
        }
        "HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" | "BinaryHeap" => {
            ("this kind of collection does not exist in every host", "use `Vec<T>`, and collect it here")
        }
        "Path" | "PathBuf" | "OsStr" | "OsString" => {
            ("a path is not always text", "use `&str` or `String`, and make the path here")
        }
        "CStr" | "CString" => ("it is made for calls to C", "use `&str` or `String`, or bytes"),
        "Duration" => ("hosts count time in different ways", "use `u64` for milliseconds, and say so in the name"),
        "Instant" => ("it means nothing outside this process", "use `u64` for milliseconds since the start"),
        "SystemTime" => {
            ("hosts count time in different ways", "use `i64` for milliseconds since 1970, and say so in the name")
        }
        "IpAddr" | "Ipv4Addr" | "Ipv6Addr" | "SocketAddr" => {
            ("hosts have no type for addresses in common", "use `String`, and parse it here")
        }
        "Range" | "RangeInclusive" => {
            ("hosts have no type for ranges in common", "use two values, or a struct with `start` and `end`")
        }
        "Wrapping" | "Saturating" => ("hosts have no such numbers", "use the number in it"),
        "Ordering" => ("it is not of this crate", "define an enum with the three cases here"),
        "PhantomData" => ("it carries nothing", "leave it out"),
        "Infallible" => ("it has no values", "leave it out"),
        name if name.starts_with("NonZero") => {
            ("hosts have no such numbers", "use the plain integer, and check it here")
        }
        _ => return None,
    };
    Some(Advice { reason, hint })
}

/// For types of other crates.
pub(crate) fn external(name: &str) -> Advice {
    let hint = match name {
        "Bytes" | "BytesMut" | "ByteBuf" => "use `Vec<u8>` or `&[u8]`",
        "Value" => "define a struct with the fields that you need, or use `String` for JSON text",
        "HashMap" | "IndexMap" | "FxHashMap" | "AHashMap" | "FnvHashMap" => {
            "use `std::collections::HashMap<String, T>` or `BTreeMap<String, T>`"
        }
        "SmallVec" | "ArrayVec" | "TinyVec" | "HashSet" | "IndexSet" => "use `Vec<T>`",
        "SmolStr" | "CompactString" | "EcoString" | "ArcStr" | "ArrayString" | "Uuid" | "Url" | "BigInt"
        | "BigUint" | "BigDecimal" | "Decimal" => "use `String`, and convert it here",
        "DateTime" | "NaiveDateTime" | "OffsetDateTime" | "Timestamp" | "NaiveDate" | "Date" | "Zoned" => {
            "use `String` for its ISO 8601 form, or `i64` for milliseconds since 1970"
        }
        "OrderedFloat" | "NotNan" => "use `f64`",
        _ => "define a struct with the fields that you need in this crate, and convert it here",
    };
    Advice { reason: "a type of another crate, which cannot be looked into", hint }
}

//! Advice for commonly tried types, by the last part of their name. `T` in a hint stands for the
//! type's own argument.

/// Why a type is not supported, and what to write instead.
pub(crate) struct Advice {
    pub(crate) reason: &'static str,
    pub(crate) hint: &'static str,
}

/// The advice for a type of Rust or of its standard library; `None` if there is none for this name.
pub(crate) fn standard(name: &str) -> Option<Advice> {
    let (reason, hint) = match name {
        "char" => {
            ("most hosts have no type for a single character", "use `String` or `&str`, or `u32` for its code point")
        }
        "i128" | "u128" => {
            ("most hosts and Wasm have no 128-bit integers", "use `i64` or `u64`, or `String` for its digits")
        }
        "f16" | "f128" => ("hosts have no floats of this size", "use `f32` or `f64`"),
        "Box" => ("hosts get a copy of the value, so a box has no use", "use `T` itself"),
        "Rc" | "Arc" | "Weak" => ("hosts get a copy of the value, so it cannot be shared", "use `T` itself"),
        "Cow" => (
            "it is borrowed or owned at run time",
            "use `&str` for a parameter and `String` for a return value (or `&[u8]` and `Vec<u8>`)",
        ),
        "Cell" | "RefCell" | "Mutex" | "RwLock" | "OnceCell" | "OnceLock" | "LazyLock" | "LazyCell" | "UnsafeCell" => {
            ("hosts get a copy of the value, so changes in it would be lost", "use `T` itself")
        }
        "HashSet" | "BTreeSet" | "VecDeque" | "LinkedList" | "BinaryHeap" => {
            ("not every host has this kind of collection", "use `Vec<T>`, and collect it here")
        }
        "Path" | "PathBuf" | "OsStr" | "OsString" => {
            ("a path is not always text", "use `&str` or `String`, and convert it to a path here")
        }
        "CStr" | "CString" => ("it is a type for calls to C", "use `&str` or `String`, or bytes"),
        "Duration" => ("hosts represent time differently", "use `u64` for milliseconds, and say so in the name"),
        "Instant" => ("it means nothing outside this process", "use `u64` for milliseconds since the start"),
        "SystemTime" => {
            ("hosts count time in different ways", "use `i64` for milliseconds since 1970, and say so in the name")
        }
        "IpAddr" | "Ipv4Addr" | "Ipv6Addr" | "SocketAddr" => {
            ("hosts have no common type for addresses", "use `String`, and parse it here")
        }
        "Range" | "RangeInclusive" => {
            ("hosts have no common type for ranges", "use two values, or a struct with `start` and `end`")
        }
        "Wrapping" | "Saturating" => ("hosts have no such number type", "use the number inside"),
        "Ordering" => ("it is defined in another crate", "define an enum with the three variants here"),
        "PhantomData" => ("it has no content", "leave it out"),
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
    Advice { reason: "types of other crates are not supported", hint }
}

//! The file as V8, older writers and tierup's own sensor write it. Too long lists are refused before they fill the
//! memory.

use std::{
    cell::Cell,
    collections::HashMap,
    fmt::{self, Formatter},
    marker::PhantomData,
};

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};

use crate::read::MOST_SAMPLES;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct File {
    pub(super) nodes: Limited<Node>,
    #[serde(default)]
    pub(super) samples: Option<Limited<u64>>,
    #[serde(default)]
    pub(super) time_deltas: Option<Limited<f64>>,
    pub(super) start_time: Option<f64>,
    pub(super) end_time: Option<f64>,
    /// Whether tierup's own sensor ran out of time while it looked for functions that V8 has inlined.
    #[serde(default)]
    pub(super) inlined_incomplete: bool,
    /// The source map of each file by the file's URL, as V8 told tierup's own sensor. For other profiles, it is read
    /// from the file itself.
    #[serde(default)]
    pub(super) source_maps: HashMap<String, String>,
}

impl File {
    pub(super) fn parse(bytes: &[u8]) -> serde_json::Result<File> {
        CHILDREN.set(0);
        serde_json::from_slice(bytes)
    }
}

/// A list that is refused, if it is too long, before it fills the memory.
pub(super) struct Limited<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Limited<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Limited<T>, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Items<T> {
            type Value = Limited<T>;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Limited<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    if list.len() == MOST_SAMPLES {
                        return Err(A::Error::custom(format!("a list has more than {MOST_SAMPLES} items")));
                    }
                    list.push(item);
                }
                Ok(Limited(list))
            }
        }

        deserializer.deserialize_seq(Items(PhantomData))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Node {
    pub(super) id: u64,
    pub(super) call_frame: CallFrame,
    #[serde(default)]
    pub(super) hit_count: u64,
    #[serde(default)]
    pub(super) children: Children,
    /// Older writers name the parent instead of the children.
    pub(super) parent: Option<u64>,
    /// Functions that V8 has inlined and counted to this one, as tierup's own sensor finds them.
    #[serde(default)]
    pub(super) inlined: Vec<Inlined>,
}

/// A function that V8 has inlined, as tierup's own sensor found it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Inlined {
    pub(super) function_name: String,
    /// From 0.
    pub(super) line_number: i64,
    #[serde(default)]
    pub(super) column_number: i64,
    /// The part of the node's hits that were in this function.
    pub(super) ticks: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallFrame {
    pub(super) function_name: String,
    #[serde(default)]
    pub(super) url: String,
    /// From 0; -1 where there is no source.
    #[serde(default = "nowhere")]
    pub(super) line_number: i64,
    #[serde(default)]
    pub(super) column_number: i64,
}

/// The nodes that a node calls. The lists of a file are refused if they are too long together: as a node has one
/// parent, a tree has fewer children than nodes.
#[derive(Default)]
pub(super) struct Children(pub(super) Vec<u64>);

/// The most children in a file, equal to the most nodes.
pub(super) const MOST_CHILDREN: usize = if cfg!(test) { 1000 } else { MOST_SAMPLES };

thread_local! {
    /// The number of children read so far from the file that this thread reads.
    static CHILDREN: Cell<usize> = const { Cell::new(0) };
}

impl<'de> Deserialize<'de> for Children {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Children, D::Error> {
        struct Ids;

        impl<'de> Visitor<'de> for Ids {
            type Value = Children;

            fn expecting(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of ids")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Children, A::Error> {
                let mut list = Vec::new();
                while let Some(id) = items.next_element()? {
                    let count = CHILDREN.get() + 1;
                    if count > MOST_CHILDREN {
                        return Err(A::Error::custom(format!("its nodes have more than {MOST_CHILDREN} children")));
                    }
                    CHILDREN.set(count);
                    list.push(id);
                }
                Ok(Children(list))
            }
        }

        deserializer.deserialize_seq(Ids)
    }
}

fn nowhere() -> i64 {
    -1
}

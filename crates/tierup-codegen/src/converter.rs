//! How one file is converted to others: by a function of tierup, or by a program with Wasm tools followed by a
//! function of tierup.

use std::{fmt, sync::Arc};

use crate::{Files, WasmTool};

type Convert = dyn Fn(&[u8]) -> Result<Files, String> + Send + Sync;
type Adapt = dyn Fn(Files) -> Result<Files, String> + Send + Sync;

/// Converts a file's bytes to files, or returns an error in plain words.
#[derive(Clone)]
pub enum Converter {
    /// In this process.
    Function(Arc<Convert>),
    /// By the Wasm tools; their output is then adapted in this process.
    Tool(WasmTool, Arc<Adapt>),
}

impl Converter {
    pub fn new(convert: impl Fn(&[u8]) -> Result<Files, String> + Send + Sync + 'static) -> Self {
        Converter::Function(Arc::new(convert))
    }

    pub fn by_tool(tool: WasmTool, adapt: impl Fn(Files) -> Result<Files, String> + Send + Sync + 'static) -> Self {
        Converter::Tool(tool, Arc::new(adapt))
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Converter::Function(_) => f.write_str("Function"),
            Converter::Tool(tool, _) => write!(f, "Tool({})", tool.word()),
        }
    }
}

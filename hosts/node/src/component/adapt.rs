//! Adapts jco's output for a component to Node.
//!
//! Each adaptation replaces a text that jco writes exactly once. If another version of jco's library writes it
//! differently, the build fails instead of guessing.

use tierup_codegen::Files;

/// The files of `artifacts/component/`. `abi` is the hash that the package compares before it calls.
pub(super) fn adapt_files(jcos: &Files, abi: &str) -> Result<Files, String> {
    let mut files = Files::new();
    for (name, content) in jcos.iter() {
        if name == "component.js" {
            let script = std::str::from_utf8(content).map_err(|_| "jco wrote a script that is not UTF-8".to_owned())?;
            files.add(name, adapt(script, abi)?);
        } else {
            files.add(name, content);
        }
    }
    Ok(files)
}

/// Texts that jco writes, with their replacements.
const ADAPTATIONS: [(&str, &str); 8] = [
    (
        "\"use components\";\n",
        "// Made by tierup with jco's library (https://github.com/bytecodealliance/jco), and adapted to Node and to\n\
         // components whose functions are all synchronous.\n\
         'use strict';\n",
    ),
    // Turns an ES module into CommonJS.
    ("export function instantiate(", "function instantiate("),
    ("export const _util =", "const _util ="),
    // A byte order mark at the start of a text belongs to the text.
    (
        "const TEXT_DECODER_UTF8 = new TextDecoder();",
        "const TEXT_DECODER_UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });",
    ),
    // jco's function reads an environment variable a dozen times per call, which takes half of the call's time.
    (
        "const _debugLog = (...args) => {\n    if (!globalThis?.process?.env?.JCO_DEBUG) { return; }\n    \
         console.debug(...args);\n  };",
        "const _debugLog = () => {};",
    ),
    // jco records each call as a task that may be suspended, with four promises. No function here is ever suspended.
    (
        "function createNewCurrentTask(args) {",
        "const NO_TASK = {\n    \
           componentIdx: () => 0,\n    enterSync: () => true,\n    exit: () => {},\n    id: () => 0,\n    \
           isExited: () => true,\n    isResolvedState: () => true,\n    mayBlock: () => false,\n    \
           reject: () => {},\n    resolve: () => {},\n    setCalleeIsAsync: () => {},\n    setErrored: () => {},\n    \
           setReturnMemory: () => {},\n    setReturnMemoryIdx: () => {},\n  \
         };\n  \
         const NO_TASK_AND_ID = [NO_TASK, 0];\n  \
         function createNewCurrentTask(args) {\n    return NO_TASK_AND_ID;",
    ),
    (
        "function _withGlobalCurrentTaskMeta(args) {",
        "function _withGlobalCurrentTaskMeta(args) {\n      return args.fn();",
    ),
    (
        "function _lowerImportBackwardsCompat(args) {",
        "function _lowerImportBackwardsCompat(args) {\n    return args.importFn(...[...arguments].slice(1));",
    ),
];

pub(super) fn adapt(script: &str, abi: &str) -> Result<String, String> {
    let mut adapted = script.to_owned();
    for (jcos, ours) in ADAPTATIONS {
        let count = adapted.matches(jcos).count();
        if count != 1 {
            return Err(format!("jco's library wrote `{}` {count} times instead of once", jcos.trim()));
        }
        adapted = adapted.replace(jcos, ours);
    }
    adapted = errors_as_answers(&adapted)?;
    // Without promises for Wasm in Node, this throws once per function and instance: a millisecond each.
    adapted = adapted.replace("WebAssembly.promising(", "(");
    if let Some(line) = adapted.lines().find(|line| line.starts_with("export ") || line.starts_with("import ")) {
        return Err(format!("jco's library wrote an ES module's `{line}`, which CommonJS does not have"));
    }
    adapted = apart(&adapted)?;
    Ok(copy_bytes(&adapted)
        + &format!("{HELPERS}\nmodule.exports = {{ Failed: _Failed, abi: '{abi}', instantiate }};\n"))
}

/// Helpers, which are added after jco's last line.
const HELPERS: &str = "
/** The function's own error: what it says. */
class _Failed {
  constructor(message) {
    this.message = message;
  }
}

/** Bytes out of the memory, in a Buffer of Node's pool where they are few: faster than an ArrayBuffer of their own. */
function _copyOfBytes(memory, start, length) {
  const copy = Buffer.allocUnsafe(length);
  copy.set(new Uint8Array(memory.buffer, start, length));
  return copy;
}
";

/// Lets functions return their errors. jco throws them through four functions, which takes ten times as long as the
/// call.
fn errors_as_answers(script: &str) -> Result<String, String> {
    const THROWN: &str = "throw retCopy.val;";
    let (fallible, thrown) =
        (script.matches("errHandling: 'throw-result-err'").count(), script.matches(THROWN).count());
    if fallible != thrown {
        return Err(format!("jco's library throws the errors of {thrown} functions, but {fallible} have errors"));
    }
    Ok(script.replace(THROWN, "return new _Failed(retCopy.val);"))
}

/// Renames the user's functions. jco declares them by their WIT names beside its own variables, and a function may be
/// called `memory0` or `undefined`.
fn apart(script: &str) -> Result<String, String> {
    let odd = || "jco's library wrote the component's functions otherwise than expected".to_owned();
    let (before, scope) = script.split_once("function* _initGenerator").ok_or_else(odd)?;
    let (mut declared, mut exported, mut in_exports) = (0, 0, false);
    let mut apart = format!("{before}function* _initGenerator");
    for line in scope.split_inclusive('\n') {
        if let Some(function) = line.strip_prefix("    function ") {
            declared += 1;
            apart += &format!("    function _call_{function}");
            continue;
        }
        in_exports = (in_exports || line.starts_with("    const functions")) && line != "    };\n";
        match line.split_once(": ").filter(|_| in_exports) {
            Some((key, function)) => {
                exported += 1;
                apart += &format!("{key}: _call_{function}");
            }
            None => apart += line,
        }
    }
    if declared == exported { Ok(apart) } else { Err(odd()) }
}

/// Replaces `new Uint8Array(memory0.buffer.slice(ptr1, ptr1 + len1 * 1))`. An unreplaced one would only cost time.
fn copy_bytes(script: &str) -> String {
    const OPENS: &str = "new Uint8Array(memory";
    let mut parts = script.split(OPENS);
    let mut copied = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let replaced = (|| {
            let (memory, rest) = part.split_once(".buffer.slice(")?;
            let (start, rest) = rest.split_once(", ")?;
            let (length, rest) = rest.strip_prefix(start)?.strip_prefix(" + ")?.split_once(" * 1))")?;
            let is_name = |text: &str| text.chars().all(|char| char.is_ascii_alphanumeric());
            let is_plain = is_name(memory) && is_name(start) && is_name(length);
            is_plain.then(|| format!("_copyOfBytes(memory{memory}, {start}, {length}){rest}"))
        })();
        copied += &replaced.unwrap_or_else(|| format!("{OPENS}{part}"));
    }
    copied
}

//! Converts the output of `perf script` to collapsed stacks. In: its text with `-F comm,pid,tid,ip,sym,dso`, how the
//! runtime names its functions, and where the sources of its modules are. Out: a line for each distinct stack of a
//! thread, for [`read`](crate::read()).
//!
//! ```text
//! node  9240/9240
//!         7f572dfc7cd3 JS:*answer /srv/server.js:12:3 (/tmp/perf-9240.map)
//!              14a8be2 uv_run (/usr/bin/node)
//! ```

mod symbol;

use std::collections::HashMap;

use tierup_codegen::Symbols;

use crate::read::{Counted, DEEPEST};

/// The collapsed stacks of the text. `sources` has the files of modules, for
/// [names with a module](tierup_codegen::SymbolNames::OfModule). Lines outside a stack are left out, and so are stacks
/// beyond the limits of a profile.
pub fn collapse_perf(text: &[u8], symbols: &Symbols, sources: &HashMap<String, String>) -> String {
    let text = String::from_utf8_lossy(text);
    let mut counts = Counted::default();
    // Most lines occur many times.
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((command, process, thread)) = header(line) else { continue };
        let mut frames = Vec::new();
        while let Some(frame) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
            if frames.len() < DEEPEST {
                let name = names.entry(frame).or_insert_with(|| symbol::named(frame, symbols, sources));
                frames.push(name.clone());
            }
        }
        if frames.is_empty() {
            // The kernel could not walk the stack.
            frames.push("[unknown]".to_owned());
        }
        frames.reverse();
        let command = command.replace([';', '"', ':'], "_");
        let stack = format!("process {process}:\"{command}\";thread {thread};{}", frames.join(";"));
        counts.add(stack);
    }
    counts.into_text()
}

/// Splits `node  9240/9241` into the thread's command, which may contain spaces, its process, and its own number.
fn header(line: &str) -> Option<(&str, u32, u64)> {
    if line.starts_with(['\t', '#']) {
        return None;
    }
    let (command, numbers) = line.trim_end().rsplit_once(' ')?;
    let (process, thread) = numbers.split_once('/')?;
    Some((command.trim(), process.parse().ok()?, thread.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tierup_codegen::{Code, SymbolNames};

    use super::*;

    const V8: Symbols = Symbols {
        code: Code::Compiled,
        prefixes: &["JS:", "LazyCompile:", "Function:", "*", "~", "^"],
        names: SymbolNames::Plain,
        writes_map: None,
    };
    const JVM: Symbols =
        Symbols { code: Code::Compiled, prefixes: &[], names: SymbolNames::Declaration, writes_map: None };
    const BEAM: Symbols =
        Symbols { code: Code::Compiled, prefixes: &["$"], names: SymbolNames::OfModule, writes_map: None };
    const OWN: Symbols = Symbols::OF_PROGRAM;

    fn check(text: &str, symbols: &Symbols, expected: Expect) {
        let sources = [("Shop.Cart", "/srv/cart.ex"), ("lists", "library:stdlib/lists.erl"), ("it's", "/srv/its.erl")];
        let sources = sources.map(|(module, file)| (module.to_owned(), file.to_owned()));
        expected.assert_eq(&collapse_perf(text.as_bytes(), symbols, &HashMap::from(sources)));
    }

    #[test]
    fn the_runtimes_functions_and_native_ones_are_distinguished() {
        check(
            "node  9240/9241 \n\
             \t    7f57 JS:*an;swer /srv/my app/server.js:12:3 (/tmp/perf-9240.map)\n\
             \t    7f58 LazyCompile:~<anonymous> node:internal/timers:462:9 (/tmp/perf-9240.map)\n\
             \t    7f59 Builtins_JSEntry (/usr/bin/node)\n\
             \t    7f5a operator new(unsigned long) (/usr/lib/libstdc++.so.6)\n\n\
             my worker  9240/9242 \n\
             \tffffffff816e7efb fdget ([kernel.kallsyms])\n\
             \t  12 [unknown] ([unknown])\n\n\
             my worker  9240/9242 \n\n",
            &V8,
            expect![[r#"
                process 9240:"my worker";thread 9242;[unknown] 1
                process 9240:"my worker";thread 9242;[unknown];fdget_[k] 1
                process 9240:"node";thread 9241;operator new(unsigned long) (native:libstdc++.so.6);Builtins_JSEntry (native:node);<anonymous> (node:internal/timers:462);an,swer (/srv/my app/server.js:12) 1
            "#]],
        );
    }

    #[test]
    fn declarations_become_names_with_a_path() {
        check(
            "C2 CompilerThre  7/8 \n\
             \t 1 double com.shop.Cart.sum(java.util.List, int) (/tmp/perf-7.map)\n\
             \t 2 Interpreter (/tmp/perf-7.map)\n\
             \t 3 Parse::do_one_block() (/usr/lib/jvm/lib/server/libjvm.so)\n",
            &JVM,
            expect![[r#"
                process 7:"C2 CompilerThre";thread 8;Parse::do_one_block() (native:libjvm.so);Interpreter;com/shop/Cart.sum 1
            "#]],
        );
    }

    #[test]
    fn functions_of_modules_have_the_modules_file() {
        check(
            "1_scheduler  7/8\n\
             \t 1 $'Elixir.Shop.Cart':'-sum all/2-fun-0-'/2+0x1c (/tmp/perf-7.map)\n\
             \t 2 $lists:foldl_1/3-CodeInfoPrologue (/tmp/perf-7.map)\n\
             \t 3 $'it\\'s':'a:b'/1 (/tmp/perf-7.map)\n\
             \t 4 $global::call_shared (/tmp/perf-7.map)\n\
             \t 5 $erts_beamasm:normal_exit/0 (/tmp/perf-7.map)\n\
             \t 6 erts_garbage_collect_nobump (/usr/lib/erlang/bin/beam.smp)\n",
            &BEAM,
            expect![[r#"
                process 7:"1_scheduler";thread 8;erts_garbage_collect_nobump (native:beam.smp);erts_beamasm.normal_exit/0 (native:runtime);global::call_shared (native:runtime);it's.a:b/1 (/srv/its.erl:0);lists.foldl_1/3 (library:stdlib/lists.erl:0);Shop.Cart.-sum all/2-fun-0-/2 (/srv/cart.ex:0) 1
            "#]],
        );
    }

    #[test]
    fn a_programs_own_functions_have_no_file_and_its_libraries_are_native() {
        let stack = "server  3/4 \n\
             \t 1 main.spin (/srv/server)\n\
             \t 2 qr::draw::h0123456789abcdef+0x1f (/srv/server)\n\
             \t 3 [unknown] (/srv/server)\n\
             \t 4 __memmove_avx (/usr/lib/libc.so.6)\n\n";
        check(
            &stack.repeat(2),
            &OWN,
            expect![[r#"
                process 3:"server";thread 4;__memmove_avx (native:libc.so.6);[unknown];qr::draw;main.spin 2
            "#]],
        );
    }

    #[test]
    fn lines_outside_a_stack_are_left_out() {
        check("\n# a comment\nperf: nothing\n\t 1 lost (/x)\nnode 1/\n \n", &OWN, expect![""]);
    }

    #[test]
    fn collapsed_stacks_can_be_read() {
        let text = "a b  9/9 \n\t 1 f (g) h (/srv/x)\n\t 2 y 12 (/srv/x)\n";
        let collapsed = collapse_perf(text.as_bytes(), &OWN, &HashMap::new());
        let profile = crate::read(collapsed.as_bytes(), &crate::Reading::default()).unwrap();
        let [sample] = profile.samples() else { panic!("{:?}", profile.samples()) };
        assert_eq!((sample.process, sample.thread, sample.weight), (9, 9, 1.0));
        let names = profile.leaf_first(sample.stack).map(|id| profile.frame_of(id).function.clone());
        assert_eq!(names.collect::<Vec<_>>(), ["f (g) h", "y 12"]);
    }
}

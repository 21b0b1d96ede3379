//! The command line for people: one command for one function, subcommands for several.

use heck::{ToKebabCase, ToShoutySnakeCase};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_model::{Function, Interface, Parameter, Type};

use crate::{rust, shims::lend};

pub(super) fn human(interface: &Interface) -> String {
    let (command, run) = match interface.functions.as_slice() {
        [only] => {
            let run = runner_name(only);
            (command(&interface.package, only), quote!(#run(&matches)))
        }
        _ => subcommands(interface),
    };
    let runners = interface.functions.iter().map(runner);
    let version = &interface.version;
    let tokens = quote! {
        #![allow(deprecated, unused_imports, unused_variables, non_snake_case, clippy::all)]

        use std::ffi::OsString;
        use std::io::{self, Write as _};
        use std::process::ExitCode;

        use clap::{Arg, ArgMatches, Command, builder::ValueParser};

        use crate::arguments::{self, Failure};

        /// A doc comment's first paragraph.
        fn short(docs: &str) -> String {
            docs.split("\n\n").next().unwrap_or(docs).replace('\n', " ")
        }

        fn command() -> Command {
            #command .version(#version)
        }

        /// Prints what `--version` asks for.
        pub fn version() -> ExitCode {
            print(command().render_version().as_bytes()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }

        /// Reads the command line, calls, prints. Wrong usage ends with 2, the function's error with 1.
        pub fn run() -> ExitCode {
            let matches = command().get_matches();
            let outcome: Result<(), Failure> = #run;
            match outcome {
                Ok(()) => ExitCode::SUCCESS,
                Err(Failure::Error(message)) => {
                    eprintln!("error: {message}");
                    ExitCode::from(1)
                }
                Err(Failure::Usage(message)) => {
                    eprintln!("error: {message}\n\nFor more information, try '--help'.");
                    ExitCode::from(2)
                }
            }
        }

        /// Writes an answer. A closed pipe is no error: its reader has seen enough.
        fn print(content: &[u8]) -> Result<(), Failure> {
            let mut output = io::stdout().lock();
            match output.write_all(content).and_then(|()| output.flush()) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
                _ => Ok(()),
            }
        }

        #(#runners)*
    };
    rust::header("The command line for people.") + &rust::format(tokens)
}

/// The command of one function.
fn command(name: &str, function: &Function) -> TokenStream {
    let about = docs_of(function);
    let arguments = arguments(function);
    quote!(Command::new(#name).about(short(#about)).long_about(#about) #(.arg(#arguments))*)
}

/// A command with a subcommand for each function, and the call of the one that was given.
fn subcommands(interface: &Interface) -> (TokenStream, TokenStream) {
    let package = &interface.package;
    let about = if interface.docs.is_empty() { package } else { &interface.docs };
    let names = command_names(&interface.functions);
    let commands = names.iter().zip(&interface.functions).map(|(name, function)| command(name, function));
    let runners = interface.functions.iter().map(runner_name);
    (
        quote! {
            Command::new(#package).about(short(#about)).long_about(#about)
                .subcommand_required(true).arg_required_else_help(true).disable_help_subcommand(true)
                #(.subcommand(#commands))*
        },
        quote! {
            match matches.subcommand() {
                #(Some((#names, matches)) => #runners(matches),)*
                _ => Err(Failure::Usage("there is no such command".to_owned())),
            }
        },
    )
}

/// Names in kebab-case; functions whose names collide in kebab-case keep their Rust names.
fn command_names(functions: &[Function]) -> Vec<String> {
    let kebab = |function: &Function| function.name.to_kebab_case();
    functions
        .iter()
        .map(|function| {
            let name = kebab(function);
            let unique = functions.iter().filter(|other| kebab(other) == name).count() == 1;
            if unique && !name.is_empty() { name } else { function.name.clone() }
        })
        .collect()
}

fn docs_of(function: &Function) -> &str {
    if function.docs.is_empty() { &function.name } else { &function.docs }
}

fn runner_name(function: &Function) -> proc_macro2::Ident {
    format_ident!("run_{}", function.name)
}

/// One positional argument per parameter; `--name VALUE` for those that may be absent.
fn arguments(function: &Function) -> Vec<TokenStream> {
    function
        .parameters
        .iter()
        .map(|parameter| {
            let name = &parameter.name;
            let value_name = name.to_shouty_snake_case();
            let value_name = if value_name.is_empty() { name.clone() } else { value_name };
            let help = help(parameter);
            // Numbers may be negative; a text that starts with a dash goes behind `--`, as everywhere.
            let negative = matches!(inner(&parameter.ty), Type::Integer(_) | Type::F32 | Type::F64)
                .then(|| quote!(.allow_negative_numbers(true)));
            let place = match parameter.ty {
                Type::Optional(_) => {
                    let long = name.trim_matches('_').replace('_', "-");
                    let long = if long.is_empty() { "value".to_owned() } else { long };
                    quote!(.long(#long))
                }
                _ => quote!(.required(true)),
            };
            quote! {
                Arg::new(#name).value_name(#value_name).help(#help) #place #negative
                    .value_parser(ValueParser::os_string())
            }
        })
        .collect()
}

fn inner(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        other => other,
    }
}

fn help(parameter: &Parameter) -> &'static str {
    match inner(&parameter.ty) {
        Type::Text => "Text; `-` reads it from standard input",
        Type::Bytes => "Bytes; `-` reads them from standard input",
        Type::Bool => "true or false",
        Type::Integer(_) => "A whole number",
        Type::F32 | Type::F64 => "A number",
        _ => "JSON; `-` reads it from standard input",
    }
}

/// Reads the arguments of one function, calls it, prints its answer.
fn runner(function: &Function) -> TokenStream {
    let run = runner_name(function);
    let path = rust::tokens(&function.path);
    let bindings: Vec<_> = (0..function.parameters.len()).map(|number| format_ident!("argument{number}")).collect();
    let reads = function.parameters.iter().zip(&bindings).map(|(parameter, binding)| read(parameter, binding));
    let arguments =
        function.parameters.iter().zip(&bindings).map(|(parameter, binding)| lend::hand_over(parameter, binding));
    let call = quote!(#path(#(#arguments),*));
    let value =
        if function.output.fallible { quote!(#call.map_err(|error| Failure::Error(error.to_string()))?) } else { call };
    let show = match &function.output.ty {
        None => quote!({ #value; Ok(()) }),
        Some(Type::Bytes) => quote!(print(&#value)),
        Some(Type::Text) => quote!(print(format!("{}\n", #value).as_bytes())),
        Some(_) => {
            quote!(print(format!("{}\n", tierup_json::to_string(&#value, tierup_json::Keys::SnakeCase)).as_bytes()))
        }
    };
    quote! {
        fn #run(matches: &ArgMatches) -> Result<(), Failure> {
            #(#reads)*
            #show
        }
    }
}

/// Binds one argument, owned.
fn read(parameter: &Parameter, binding: &proc_macro2::Ident) -> TokenStream {
    let name = &parameter.name;
    let owned = rust::tokens(&lend::owned(parameter));
    let reader = match inner(&parameter.ty) {
        Type::Text => quote!(arguments::text(matches, #name)?),
        Type::Bytes => quote!(arguments::bytes(matches, #name)?),
        _ => quote!(arguments::json(matches, #name)?),
    };
    match parameter.ty {
        Type::Optional(_) => quote!(let #binding: #owned = #reader;),
        _ => quote!(let #binding: #owned = arguments::given(#reader, #name)?;),
    }
}

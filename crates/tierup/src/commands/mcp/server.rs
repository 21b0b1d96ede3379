//! Answers a client: lists the tools, and runs the command of each call in a process of its own.

use std::{
    borrow::Cow,
    env, io,
    path::PathBuf,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt as _,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, ToolAnnotations,
    },
    service::RequestContext,
    transport::stdio,
};
use tierup_codegen::Command;
use tierup_diagnostic::Failure;
use tierup_runner::{Bounds, Interrupts, Printed, run_bounded};
use tokio::{
    io::{AsyncRead, ReadBuf, Stdin},
    sync::{Mutex, mpsc},
};

use super::tools::Tool;

/// How long an interrupted command may take to write what it has.
const GRACE: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const LONGEST: usize = 200_000;

/// The most bytes of standard error in an answer: its end.
const LOG: usize = 10_000;

/// The most lines of progress that wait for the client.
const WAITING: usize = 1000;

/// How often the server looks for Ctrl-C and SIGTERM.
const LOOK: Duration = Duration::from_millis(100);

/// Serves until the client closes standard input, or until a signal to exit. Commands that still run then are ended.
pub(super) async fn serve(tools: Vec<Tool>, project: PathBuf, time: Duration) -> tierup_diagnostic::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    let interrupts = Interrupts::watch();
    let turn: Arc<Mutex<()>> = Arc::default();
    let server = Server { tools, project, time, turn: Arc::clone(&turn), is_over: Arc::clone(&is_over) };
    let (input, output) = stdio();
    let running = server.serve((UntilGone(input, Arc::clone(&is_over)), output));
    let until_signal = async {
        while !interrupts.arrived() {
            tokio::time::sleep(LOOK).await;
        }
    };
    let served = tokio::select! {
        ended = async { running.await.map_err(|error| error.to_string())?.waiting().await.map_err(|error| error.to_string()) } => {
            ended.map(drop)
        }
        () = until_signal => Ok(()),
    };
    is_over.store(true, Ordering::Relaxed);
    // The command that runs is interrupted, and killed after its grace.
    let _ = tokio::time::timeout(2 * GRACE, turn.lock()).await;
    served.map_err(|error| Failure::new(format!("the client did not speak the Model Context Protocol: {error}")))
}

/// Standard input. At its end, the client has gone: `rmcp` would wait for the commands that run.
struct UntilGone(Stdin, Arc<AtomicBool>);

impl AsyncRead for UntilGone {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let UntilGone(input, is_over) = self.get_mut();
        let read = Pin::new(input).poll_read(context, buffer);
        if matches!(&read, Poll::Ready(result) if result.is_err() || buffer.filled().len() == before) {
            is_over.store(true, Ordering::Relaxed);
        }
        read
    }
}

struct Server {
    tools: Vec<Tool>,
    project: PathBuf,
    /// The longest time of a call.
    time: Duration,
    /// Commands run one at a time: measurements would disturb each other.
    turn: Arc<Mutex<()>>,
    /// Whether the client has gone.
    is_over: Arc<AtomicBool>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let mut about = Implementation::new("tierup", env!("CARGO_PKG_VERSION"));
        about.title = Some("tierup".to_owned());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(
                "tierup calls one hot function of a server in Rust at several tiers. `brief` says what the function \
                 does today; write it in Rust; `check` with `only` = functions finds every difference, smallest first; \
                 `bench` says which tier pays.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |tool: &Tool| {
            let hints = ToolAnnotations::new().read_only(tool.is_read_only).destructive(false).open_world(false);
            rmcp::model::Tool::new(tool.name, tool.about.clone(), Arc::new(tool.schema.clone())).annotate(hints)
        };
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == call.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", call.name), None));
        };
        let words = tool.words(&call.arguments.unwrap_or_default());
        let words = words.map_err(|why| ErrorData::invalid_params(why, None))?;
        let (result, log) = self.run(words, &context).await?;
        let is_failed = result.as_ref().map_or(true, |printed| printed.failure.is_some());
        let content = vec![ContentBlock::text(said(result, &log, self.time))];
        Ok(if is_failed { CallToolResult::error(content) } else { CallToolResult::success(content) }.into())
    }
}

impl Server {
    /// Runs this program with these arguments, and tells the client its progress. Returns the lines of standard error,
    /// too.
    async fn run(
        &self,
        words: Vec<String>,
        context: &RequestContext<RoleServer>,
    ) -> Result<(tierup_runner::Result<Printed>, String), ErrorData> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let failed = |error: &dyn std::fmt::Display| ErrorData::internal_error(error.to_string(), None);
        let program = env::current_exe().map_err(|error| failed(&error))?;
        let folder = self.project.clone();
        let command = Command::new(&program.display().to_string(), words.iter().map(String::as_str));
        let bounds = Bounds { time: self.time, grace: GRACE, bytes: LONGEST };
        let (is_over, is_cancelled) = (Arc::clone(&self.is_over), context.ct.clone());
        let is_over = move || is_over.load(Ordering::Relaxed) || is_cancelled.is_cancelled();
        if is_over() {
            return Err(failed(&"nobody waits for the answer any more"));
        }
        let (tell, mut lines) = mpsc::channel::<String>(WAITING);
        let run = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let mut log = String::new();
            let each = |line: &str| {
                // If the client does not keep up, it misses lines.
                let _ = tell.try_send(line.to_owned());
                log += line;
                log.push('\n');
                if log.len() > 2 * LOG {
                    log = end(&log, LOG).into_owned();
                }
            };
            (run_bounded(&command, &folder, bounds, each, is_over), log)
        });
        let token = context.meta.get_progress_token();
        let mut count = 0.0;
        while let Some(line) = lines.recv().await {
            if let Some(token) = &token {
                count += 1.0;
                let progress = ProgressNotificationParam::new(token.clone(), count).with_message(line);
                // A client that does not take it has gone.
                let _ = context.peer.notify_progress(progress).await;
            }
        }
        run.await.map_err(|error| failed(&error))
    }
}

/// The answer's text.
fn said(result: tierup_runner::Result<Printed>, log: &str, time: Duration) -> String {
    let printed = match result {
        Ok(printed) => printed,
        Err(error) => return error.to_string(),
    };
    let mut text = String::from_utf8_lossy(&printed.output).into_owned();
    if printed.length > printed.output.len() {
        text += &format!("\n… cut: {} bytes more; ask for less", printed.length - printed.output.len());
    }
    if printed.was_late {
        text += &format!("\ninterrupted after {} s; `tierup mcp --timeout` allows more", time.as_secs());
    }
    if let Some(failure) = printed.failure {
        text += &format!("\n{failure}\n{}", end(log, LOG));
    }
    text.trim().to_owned()
}

/// The last lines of a text, at most `most` bytes.
fn end(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let cut = text.len() - most;
    let line =
        text.char_indices().find(|(at, letter)| *at >= cut && *letter == '\n').map_or(text.len(), |(at, _)| at + 1);
    Cow::Owned(format!("…\n{}", &text[line..]))
}

// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask kconfig`.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::Session;
use crate::build::{Site, Toolchain};
use crate::cell::{self, Subject};
use crate::diagnosis::{Diagnosis, ExitKind, on_path};
use crate::kconfig::{self, Requests, SymbolTable};
use crate::tree::{self, WorkTree};

/// Configuration fragments.
#[derive(Debug, Subcommand)]
pub enum Kconfig {
    /// Show what the fragments ask for
    Show(Fragments),
    /// Configure a kernel and look at what became of each request
    Check(OnKernel),
    /// Explain one symbol in a kernel's configuration
    Explain {
        /// The symbol, with or without CONFIG_
        symbol: String,
        #[command(flatten)]
        on: OnKernel,
    },
}

/// Fragments besides the standard ones.
#[derive(Debug, Args)]
pub struct Fragments {
    /// A further fragment
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
}

/// A kernel, and fragments.
#[derive(Debug, Args)]
pub struct OnKernel {
    /// The kernel
    #[arg(long, value_name = "V", default_value = "5.10")]
    kernel: String,
    #[command(flatten)]
    fragments: Fragments,
}

struct Configuration {
    version: String,
    report: kconfig::Report,
    config: String,
    symbols: SymbolTable,
}

impl OnKernel {
    fn configure(
        &self,
        session: &Session,
        requests: &Requests,
    ) -> Result<Configuration, Diagnosis> {
        let (host, store) = (&session.host, &session.store);
        let spec = session.workspace.matrix()?.find(&self.kernel)?;
        let source = tree::fetch(host, store, &spec, false)?;
        let work = WorkTree::lock(host, store, &source)?;
        work.checkout(host, store, &source.commit)?;
        let scratch = tempfile::tempdir_in(store.dir("build")?)
            .map_err(|e| on_path("create a directory in", store.root(), &e))?;
        let step = host.progress.step("config", &format!("linux {}", source.version));
        let mut toolchain = Toolchain::detect(host)?;
        let (requests, _) =
            session.workspace.known_breaks()?.work_around(requests, source.version)?;
        if requests.wants("RUST") {
            let tools = cell::tools_for(host, store, Subject::C, &source, &source.commit);
            toolchain.rust = Some(tools.map_err(super::as_usage)?);
        }
        let site = Site {
            host,
            store,
            toolchain: &toolchain,
            tree: work.path(),
            directory: scratch.path().to_owned(),
        };
        let configured = site.configure(&requests, &step)?;
        step.done("");
        let config = std::fs::read_to_string(&configured.path)
            .map_err(|e| on_path("read", &configured.path, &e))?;
        let symbols = SymbolTable::read(work.path(), "x86")?;
        Ok(Configuration {
            version: source.version.to_string(),
            report: configured.report,
            config,
            symbols,
        })
    }
}

impl Kconfig {
    pub fn run(&self, session: &Session) -> Result<ExitKind, Diagnosis> {
        match self {
            Self::Show(fragments) => {
                let requests = session.workspace.requests(Subject::C, &fragments.config)?;
                let mut text = String::new();
                let mut values = Vec::new();
                for request in &requests {
                    let only = request.if_known.as_ref();
                    let note = only.map(|r| format!("  (if known: {r})")).unwrap_or_default();
                    let _ = writeln!(
                        text,
                        "{:<48} {}{note}",
                        format!("CONFIG_{}={}", request.symbol, request.value),
                        request.at
                    );
                    values.push(json!({
                        "symbol": request.symbol.name(), "value": request.value.to_string(),
                        "place": request.at.to_string(), "if_known": request.if_known,
                    }));
                }
                session.print(&text, &values)?;
            }
            Self::Check(on) => {
                let requests = session.workspace.requests(Subject::C, &on.fragments.config)?;
                let done = on.configure(session, &requests)?;
                let lacking: Vec<&str> =
                    done.report.not_in_version.iter().map(|r| r.symbol.name()).collect();
                let mut text =
                    format!("linux {}: {} options kept\n", done.version, done.report.kept.len());
                if !done.report.not_in_version.is_empty() {
                    let names = lacking.join(", ");
                    let _ = writeln!(text, "not in this version, as expected: {names}");
                }
                let value = json!({
                    "kernel": done.version, "kept": done.report.kept.len(),
                    "not_in_version": lacking,
                });
                session.print(&text, &value)?;
            }
            Self::Explain { symbol, on } => {
                let requests = session.workspace.requests(Subject::C, &on.fragments.config)?;
                let done = on.configure(session, &requests)?;
                let config = kconfig::DotConfig::parse(&done.config);
                let symbol = kconfig::Symbol::new(symbol);
                let text = kconfig::explain(&done.symbols, &symbol, Some(&config))?;
                session.print(&text, &text)?;
            }
        }
        Ok(ExitKind::Pass)
    }
}

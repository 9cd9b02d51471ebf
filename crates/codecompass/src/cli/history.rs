//! The questions of `history` and `blame`.

use codecompass_app::api::arguments::{FilterArgs, PageArgs, PathArgs, RefArgs};
use codecompass_app::api::history::commits::HistoryRequest;
use codecompass_app::api::history::hot_spots::HotSpotsRequest;
use codecompass_app::api::history::symbol::{DEFAULT_LIMIT, DEFAULT_LINES, SymbolHistoryRequest};
use codecompass_app::error::AppError;

use super::{BlameArgs, HistoryArgs};

impl HistoryArgs {
    /// Returns the question about the changes of one definition, if nothing else is asked.
    pub(crate) fn of_symbol(&self) -> Option<SymbolHistoryRequest> {
        let request = &self.request;
        let symbol = request.symbol.clone().filter(|_| !request.restricts())?;
        let reference = request.reference.clone();
        Some(SymbolHistoryRequest {
            symbol,
            lines: request.lines,
            limit: request.limit,
            blame: false,
            at: RefArgs { reference },
            page: request.page,
        })
    }
}

impl HistoryArgs {
    /// Returns the question about hot spots; refuses options that it does not have.
    pub(crate) fn of_hot_spots(&self) -> Result<HotSpotsRequest, AppError> {
        let asked = &self.request;
        let filter = FilterArgs {
            lang: asked.lang.clone(),
            kind: Vec::new(),
            path: asked.path.clone(),
            paths: asked.paths.clone(),
        };
        let rest = HistoryRequest {
            lang: Vec::new(),
            path: Vec::new(),
            paths: PathArgs::default(),
            since: None,
            ..asked.clone()
        };
        if rest.restricts() || rest.symbol.is_some() {
            return Err(AppError::invalid(
                "--hot is given with a restriction of commits",
                "give only --path, --lang, --since, --ref, --limit and --offset with --hot",
            ));
        }
        let (since, reference, limit) = (asked.since.clone(), asked.reference.clone(), asked.limit);
        Ok(HotSpotsRequest { filter, since, reference, limit, page: asked.page })
    }
}

impl BlameArgs {
    /// Returns the question about the lines of a definition.
    pub(crate) fn request(&self) -> SymbolHistoryRequest {
        SymbolHistoryRequest {
            symbol: self.symbol.clone(),
            lines: DEFAULT_LINES,
            limit: DEFAULT_LIMIT,
            blame: true,
            at: self.at.clone(),
            page: PageArgs::default(),
        }
    }
}

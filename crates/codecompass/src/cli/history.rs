//! The two questions of `history`.

use super::HistoryArgs;
use crate::api::arguments::RefArgs;
use crate::api::history::symbol::SymbolHistoryRequest;
use crate::error::AppError;

impl HistoryArgs {
    /// Returns the question about a symbol; refuses options that it does not have.
    pub(crate) fn of_symbol(&self, symbol: &str) -> Result<SymbolHistoryRequest, AppError> {
        let request = &self.request;
        if request.restricts() {
            return Err(AppError::invalid(
                "--symbol is given with a restriction of commits",
                "give only --lines, --limit, --offset and --ref with --symbol",
            ));
        }
        let reference = request.reference.clone();
        Ok(SymbolHistoryRequest {
            symbol: symbol.to_string(),
            lines: request.lines,
            limit: request.limit,
            at: RefArgs { reference },
            page: request.page,
        })
    }
}

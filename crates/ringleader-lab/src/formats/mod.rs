//! The formats that others rely on: the JSON of a run (`ringleader.run/1`), of a check (`ringleader.check/1`), the list
//! of algorithms (`ringleader.list/1`) and recorded runs (`ringleader.trace/1`, files ending in `.rlt`), and the same
//! in the formats of other tools.
//!
//! docs/reference/formats.md describes them field by field. Fields are added, never renamed.

mod check;
mod export;
mod list;
mod run;
mod show;
mod snapshot;
mod trace;

pub use check::{CHECK_SCHEMA, CheckContext, check_json};
pub use export::{
    ITF_CELLS_MAX, MERMAID_MESSAGES_MAX, SHIVIZ_ENTRIES_MAX, itf_cells, mermaid_messages, shiviz_entries,
    write_chrome, write_itf, write_jsonl, write_mermaid, write_shiviz,
};
pub use list::list_json;
pub use run::{IDS_OF_ROW, IDS_OF_RUN, LIST_SCHEMA, RUN_SCHEMA, RunContext, run_json};
pub use show::show_json;
pub use snapshot::{snapshot_json, snapshot_lines};
pub use trace::{
    End, PART_SCHEMA, Part, Recorded, TRACE_SCHEMA, TraceError, TraceWriter, read_part, read_trace,
};

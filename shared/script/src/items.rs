//! The library of scripts that work on items: what scripts of n8n see, and what its nodes compute.

macro_rules! parts {
    ($($name:literal,)+) => {
        &[$(($name, include_str!(concat!("prelude/n8n/", $name, ".js")))),+]
    };
}

/// The parts in the order in which they are loaded. Each is a function that gets the library.
#[rustfmt::skip]
pub const PARTS: &[(&str, &str)] = parts![
    "hashes", "texts", "extensions", "jmespath",
    "nodes/_bytes", "nodes/_csv", "nodes/_each", "nodes/_emojis", "nodes/_entities", "nodes/_html", "nodes/_htmlFormatting",
    "nodes/_htmlNodes", "nodes/_htmlSelectors", "nodes/_htmlTables", "nodes/_htmlText", "nodes/_htmlToMarkdown",
    "nodes/_htmlTokens", "nodes/_htmlTree", "nodes/_items", "nodes/_json", "nodes/_markdown", "nodes/_markdownBlocks",
    "nodes/_markdownHtml", "nodes/_markdownLinks", "nodes/_markdownLists", "nodes/_markdownSpans", "nodes/_markdownTables",
    "nodes/_matching", "nodes/_moment", "nodes/_services", "nodes/_types", "nodes/_xml", "nodes/aggregate", "nodes/calendar", "nodes/code",
    "nodes/compareDatasets", "nodes/conditions", "nodes/crypto", "nodes/dateTime", "nodes/drive", "nodes/feeds", "nodes/files", "nodes/gmail",
    "nodes/html", "nodes/http", "nodes/hubspot", "nodes/if", "nodes/itemLists", "nodes/limit", "nodes/markdown", "nodes/merge",
    "nodes/messages", "nodes/multipart", "nodes/notion", "nodes/removeDuplicates", "nodes/renameKeys", "nodes/seen",
    "nodes/services", "nodes/set", "nodes/sheets", "nodes/sort", "nodes/splitOut", "nodes/summarize", "nodes/switch", "nodes/triggers",
    "nodes/xml", "timers", "view", "run",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::PARTS;

    #[test]
    fn all_files_are_loaded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/prelude/n8n");
        let mut files = BTreeSet::new();
        for (folder, prefix) in [(folder.clone(), ""), (folder.join("nodes"), "nodes/")] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                files.extend(name.strip_suffix(".js").map(|name| format!("{prefix}{name}")));
            }
        }
        assert_eq!(PARTS.iter().map(|(name, _)| (*name).to_owned()).collect::<BTreeSet<_>>(), files);
    }
}

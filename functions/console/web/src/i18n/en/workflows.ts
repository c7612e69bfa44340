import { plural } from "../plural";

export const workflows = {
  title: "Workflows",
  new: "New",
  newName: "New workflow",
  import: "Import",
  fromTemplate: "New from template",
  drop: "Drop the file to import it",
  name: "Name",
  state: "State",
  allStates: "All states",
  owner: "Owner",
  release: "Release",
  changed: "unpublished changes",
  updated: "Last change",
  lastRun: "Last run",
  runs: "Runs",
  failures: "Failed",
  empty: "No workflows match",
  none: "No workflows yet",
  noneText: "Start from a template, or import a file from this platform, n8n or Dify.",
  menu: (name: string) => `Actions for ${name}`,
  changes: { pause: "Pause", resume: "Resume", archive: "Archive", restore: "Restore" },
  done: {
    pause: (name: string) => `${name} is paused`,
    resume: (name: string) => `${name} runs again`,
    archive: (name: string) => `${name} is archived`,
    restore: (name: string) => `${name} is restored`,
  },
  clone: "Clone",
  export: "Export",
  created: (name: string) => `Created: ${name}`,
  archiveTitle: (name: string) => `Archive ${name}?`,
  archiveText: "Its triggers stop, and it cannot be edited until it is restored. Its runs are kept.",
};

export const start = {
  title: (name: string) => `Run ${name}`,
  action: "Run",
  input: "Input",
  hint: "JSON. The run uses the active release.",
};

export const templates = {
  category: "Category",
  categories: {
    support: "Support",
    knowledge: "Knowledge",
    sales: "Sales",
    documents: "Documents",
    content: "Content",
    analysis: "Analysis",
    operations: "Operations",
  },
  use: "Use",
  useNamed: (name: string) => `Use: ${name}`,
  picture: (nodes: number) => `Picture of the graph: ${nodes} ${plural(nodes, "node", "nodes")}`,
  empty: "No templates match",
};

export const imports = {
  file: "File",
  kinds: "An export from this platform, an n8n workflow (JSON) or a Dify app (YAML). You can also drop it on the list.",
  done: (name: string) => `Imported: ${name}`,
  summary: (mapped: string, total: string) => `${mapped} of ${total} ${plural(total, "node", "nodes")} imported completely.`,
  nodes: "Nodes of the file",
  node: "Node",
  status: "Imported",
  why: "Explanation",
  reconnect: "Reconnect or check",
};

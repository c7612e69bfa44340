import { agents } from "./agents";
import { analytics } from "./analytics";
import { assistants } from "./assistants";
import { connections } from "./connections";
import { editor } from "./editor";
import { expression } from "./expression";
import { graph } from "./graph";
import { home } from "./home";
import { preview } from "./preview";
import { run, values } from "./run";
import { review, runs } from "./runs";
import { sharing } from "./sharing";
import { workflow } from "./workflow";
import { imports, templates, workflows } from "./workflows";

/** The English texts. `es.ts` must have the same ones. */
export const en = {
  loading: "Loading…",
  search: "Search",
  cancel: "Cancel",
  close: "Close",
  none: "None",
  all: "All",
  more: "Show more",
  total: (count: string) => `${count} in total`,
  you: "You",
  actions: "Actions",
  ownership: { label: "Shared", all: "Mine and shared", mine: "Only mine", shared: "Only shared with me" },
  sort: {
    label: "Sort by",
    updatedAt: { desc: "Last change, newest first", asc: "Last change, oldest first" },
    createdAt: { desc: "Creation, newest first", asc: "Creation, oldest first" },
    name: { desc: "Name, Z to A", asc: "Name, A to Z" },
    requests: { desc: "Requests, most first", asc: "Requests, fewest first" },
  },

  unsaved: {
    changes: "You have unsaved changes",
    save: "Save",
    saving: "Saving…",
    discard: "Discard",
    title: "Discard your changes?",
    text: "They are not saved and will be lost.",
    keep: "Keep editing",
  },
  choose: { none: "Nothing matches." },

  nav: {
    label: "Main",
    skip: "Skip to the content",
    home: "Home",
    workflows: "Workflows",
    agents: "Agents",
    runs: "Runs",
    analytics: "Analytics",
  },
  user: {
    menu: (name: string) => `Account of ${name}`,
    language: "Language",
    theme: "Theme",
    themes: { system: "Same as the system", light: "Light", dark: "Dark" },
    roles: { member: "Member", admin: "Administrator", operator: "Operator" },
    signOut: "Sign out",
    signOutFailed: "Signing out failed. Try again.",
  },
  signIn: {
    action: "Sign in",
    signedOut: "You are signed out",
    signedOutText: "Your session on this device has ended.",
    refused: "Signing in failed",
    unavailable: "The console cannot be opened",
  },
  connection: {
    lost: "The connection to the platform was lost. Reconnecting…",
    retry: "Try now",
    back: "Connected again",
  },
  session: {
    ended: "Your session has ended",
    refused: "You are not signed in, or your session has ended. Sign in again.",
    text: "Sign in again in a new tab, then return here. What you have written stays.",
    later: "Not now",
    back: "You are signed in again",
  },
  keys: {
    title: "Keyboard shortcuts",
    goTo: (screen: string) => `Go to ${screen}`,
    search: "Search on this screen",
    show: "Show the shortcuts",
    close: "Close a dialog or a menu",
    single: "Shortcuts of a single key",
    off: "Shortcuts of a single key are switched off in the account menu.",
  },
  secret: {
    tryIt: "Try it",
    command: "the command",
    stored: "I have stored it",
    copyFirst: (button: string) => `It is not shown again. Copy it, or press “${button}”.`,
  },
  copy: {
    label: (what: string) => `Copy: ${what}`,
    done: "Copied",
    refused: "The browser did not allow copying.",
  },
  errors: {
    connection: "The platform did not answer. Check your connection and try again.",
    unreadable: "The answer of the platform could not be read. Try again.",
    notLoaded: "This screen could not be loaded.",
    notSaved: "The draft could not be saved. Fix that first.",
    unexpected: "The console failed unexpectedly. Try again, or reload the page.",
    withoutReason: (status: number) => `The platform answered with an error (HTTP ${status}) and gave no reason. Try again.`,
    code: "Code",
    details: "Details",
    requestId: "Request ID",
    retry: "Try again",
    failed: "Something went wrong",
    noScreen: "Page not found",
    noScreenText: "The address may be incomplete or out of date.",
    goHome: "Go to Home",
  },
  states: {
    draft: "Draft",
    published: "Published",
    paused: "Paused",
    needs_attention: "Needs attention",
    permissions_required: "Needs permissions",
    archived: "Archived",
    queued: "Queued",
    running: "Running",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Cancelled",
    canceled: "Cancelled",
    interrupted: "Interrupted",
    waiting: "Waiting",
    skipped: "Skipped",
    mapped: "Complete",
    partial: "Partial",
    unsupported: "Not supported",
  },
  runStates: {
    queued: "Queued",
    running: "Running",
    paused: "Paused",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Cancelled",
  },
  runCounts: { completed: "Completed", failed: "Failed", cancelled: "Cancelled" },
  callStates: {
    running: "Running",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Cancelled",
    interrupted: "Interrupted",
  },
  origins: { manual: "Manual", webhook: "Webhook", scheduled: "Schedule", channel: "Channel", mcp: "Assistant (MCP)" },

  home,
  runs,
  review,
  workflows,
  templates,
  imports,
  run,
  preview,
  values,
  agents,
  assistants,
  sharing,
  analytics,
  workflow,
  connections,
  editor,
  expression,
  graph,
};

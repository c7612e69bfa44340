import type { components } from "../../../api/generated/builder";

type B = components["schemas"];

export type Graph = Required<B["Graph"]>;
export type GraphNode = B["Node"];
export type Connection = B["Connection"];
export type Note = B["Note"];
export type Position = B["Position"];
export type NodeType = B["NodeTypeOut"];
export type Category = B["Category"];
export type Problem = B["ProblemOut"];
export type PreviewResult = B["WorkflowPreviewOut"];
export type PreviewNode = B["PreviewNodeOut"];
export type Config = { [key: string]: unknown };

import type { TeamRole } from "../api/types";

export const memberRoles = ["viewer", "operator", "editor"] as const satisfies readonly TeamRole[];
export type MemberRole = (typeof memberRoles)[number];

const ranks: Record<TeamRole, number> = { viewer: 0, operator: 1, editor: 2, owner: 3 };

/** Whether a role includes another. */
export function includes(role: TeamRole, needed: TeamRole): boolean {
  return ranks[role] >= ranks[needed];
}

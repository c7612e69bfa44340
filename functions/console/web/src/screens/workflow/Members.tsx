import { useState } from "react";
import { asApiError } from "../../api/errors";
import { usePeople } from "../../api/people";
import type { TeamMember, WorkflowDetail } from "../../api/types";
import { usePerson } from "../../app/person";
import { useTexts } from "../../i18n";
import { navigate } from "../../router/history";
import { Button } from "../../ui/Button";
import { Confirm } from "../../ui/Dialog";
import { EmptyState } from "../../ui/EmptyState";
import { Loaded } from "../../ui/Loaded";
import { Owner } from "../../ui/Owner";
import { Table } from "../../ui/Table";
import { useToast } from "../../ui/Toast";
import { PersonDialog } from "./PersonDialog";
import { useMembers, useShare, useTransfer, useUnshare } from "./queries";
import { type MemberRole, memberRoles } from "./roles";

/** Who may use the workflow. Only the owner changes it; the others can leave. */
export function Members({ workflow }: { workflow: WorkflowDetail }) {
  const { t } = useTexts();
  const toast = useToast();
  const { user } = usePerson();
  const people = usePeople();
  const members = useMembers(workflow.id);
  const share = useShare(workflow.id);
  const unshare = useUnshare(workflow.id);
  const transfer = useTransfer(workflow.id);
  const [dialog, setDialog] = useState<"add" | "transfer" | null>(null);
  const [removed, setRemoved] = useState<TeamMember | null>(null);
  const isOwner = workflow.access.role === "owner";
  const nameOf = (id: string) => (id === user.id ? t.you : (people.data?.get(id) ?? id));
  const isSelf = removed?.userId === user.id;

  const changeRole = (userId: string, role: MemberRole) =>
    share.mutate(
      { userId, role },
      {
        onSuccess: () => toast(t.workflow.roleChanged(nameOf(userId), t.workflow.roles[role])),
        onError: (error) => toast(asApiError(error).message),
      },
    );

  return (
    <>
      {isOwner && (
        <div className="tab-actions">
          <Button onClick={() => setDialog("transfer")}>{t.workflow.transfer}…</Button>
          <Button kind="primary" onClick={() => setDialog("add")}>{t.workflow.addMember}</Button>
        </div>
      )}
      <Loaded query={members}>
        {(members) => {
          const rows: TeamMember[] = [{ userId: workflow.access.owner, role: "owner" }, ...members];
          return (
            <>
              <Table
                caption={t.workflow.tabs.workflowMembers}
                rows={rows}
                rowKey={(member) => member.userId}
                columns={[
                  { title: t.workflows.name, cell: ({ userId }) => <span className="name"><Owner id={userId} /></span> },
                  {
                    title: t.workflow.role,
                    cell: ({ userId, role }) =>
                      isOwner && role !== "owner" ? (
                        <select
                          className="compact"
                          aria-label={t.workflow.roleOf(nameOf(userId))}
                          value={role}
                          disabled={share.isPending}
                          onChange={(event) => changeRole(userId, event.target.value as MemberRole)}
                        >
                          {memberRoles.map((role) => (
                            <option key={role} value={role}>{t.workflow.roles[role]}</option>
                          ))}
                        </select>
                      ) : (
                        t.workflow.roles[role]
                      ),
                  },
                  { title: t.workflow.may, cell: ({ role }) => <span className="muted">{t.workflow.roleTexts[role]}</span> },
                  ...(isOwner || rows.some((row) => row.userId === user.id)
                    ? [
                        {
                          title: t.actions,
                          cell: (member: TeamMember) =>
                            member.role !== "owner" &&
                            (isOwner || member.userId === user.id) && (
                              <Button
                                kind="quiet"
                                aria-label={isOwner ? t.workflow.removeNamed(nameOf(member.userId)) : undefined}
                                onClick={() => setRemoved(member)}
                              >
                                {isOwner ? t.workflow.remove : t.workflow.leave}
                              </Button>
                            ),
                        },
                      ]
                    : []),
                ]}
              />
              {members.length === 0 && isOwner && (
                <EmptyState title={t.workflow.notShared}>
                  <p>{t.workflow.notSharedText}</p>
                </EmptyState>
              )}
            </>
          );
        }}
      </Loaded>
      {dialog === "add" && (
        <PersonDialog
          title={t.workflow.addTitle}
          action={t.workflow.addMember}
          excluded={[workflow.access.owner, ...(members.data ?? []).map((member) => member.userId)]}
          chooseRole
          busy={share.isPending}
          error={share.error}
          onClose={() => {
            share.reset();
            setDialog(null);
          }}
          onChoose={(person, role) =>
            share.mutate(
              { userId: person.userId, role },
              {
                onSuccess: () => {
                  toast(t.workflow.memberAdded(person.name));
                  setDialog(null);
                },
              },
            )
          }
        />
      )}
      {dialog === "transfer" && (
        <PersonDialog
          title={t.workflow.transferTitle}
          text={t.workflow.transferText}
          action={t.workflow.transfer}
          confirm={(person) => t.workflow.transferConfirm(workflow.name, person.name)}
          excluded={[workflow.access.owner]}
          busy={transfer.isPending}
          error={transfer.error}
          onClose={() => {
            transfer.reset();
            setDialog(null);
          }}
          onChoose={(person) =>
            transfer.mutate(person.userId, {
              onSuccess: () => {
                toast(t.workflow.transferred(person.name));
                setDialog(null);
              },
            })
          }
        />
      )}
      {removed !== null && (
        <Confirm
          title={isSelf ? t.workflow.leaveTitle(workflow.name) : t.workflow.removeTitle(nameOf(removed.userId))}
          action={isSelf ? t.workflow.leave : t.workflow.remove}
          danger
          busy={unshare.isPending}
          error={unshare.error}
          onClose={() => {
            unshare.reset();
            setRemoved(null);
          }}
          onConfirm={() =>
            unshare.mutate(
              { userId: removed.userId, leave: isSelf },
              {
                onSuccess: () => {
                  toast(isSelf ? t.workflow.left(workflow.name) : t.workflow.memberRemoved(nameOf(removed.userId)));
                  setRemoved(null);
                  if (isSelf) navigate({ to: "workflows" });
                },
              },
            )
          }
        >
          <p>{isSelf ? t.workflow.leaveText : t.workflow.removeText}</p>
        </Confirm>
      )}
    </>
  );
}

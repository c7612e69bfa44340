import { useState } from "react";
import { asApiError } from "../api/errors";
import { shortId, usePeople } from "../api/people";
import type { Agent, TeamMember } from "../api/types";
import { usePerson } from "../app/person";
import { useTexts } from "../i18n";
import { navigate } from "../router/history";
import { Button } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { EmptyState } from "../ui/EmptyState";
import { Loaded } from "../ui/Loaded";
import { Owner } from "../ui/Owner";
import { Table } from "../ui/Table";
import { useToast } from "../ui/Toast";
import { useWhenDone } from "../ui/useWhenDone";
import { PersonDialog } from "./PersonDialog";
import { type Kind, useMembers, useShare, useTransfer, useUnshare } from "./queries";
import { type MemberRole, memberRoles } from "./roles";

interface MembersProps {
  kind: Kind;
  subject: Pick<Agent, "id" | "name" | "access">;
}

/** Who may use a workflow or an agent. Only the owner changes it; the others can leave. */
export function Members({ kind, subject }: MembersProps) {
  const { t } = useTexts();
  const toast = useToast();
  const { user } = usePerson();
  const texts = t.sharing.texts[kind];
  const whenDone = useWhenDone();
  const members = useMembers(kind, subject.id);
  const people = usePeople((members.data ?? []).map(({ userId }) => userId));
  const share = useShare(kind, subject.id);
  const unshare = useUnshare(kind, subject.id);
  const transfer = useTransfer(kind, subject.id);
  const [dialog, setDialog] = useState<"add" | "transfer" | null>(null);
  const [removed, setRemoved] = useState<TeamMember | null>(null);
  const isOwner = subject.access.role === "owner";
  const nameOf = (id: string) => (id === user.id ? t.you : (people.get(id) ?? shortId(id)));
  const isSelf = removed?.userId === user.id;

  const changeRole = (userId: string, role: MemberRole) =>
    share.mutateAsync({ userId, role }).then(
      () => toast(t.sharing.roleChanged(nameOf(userId), t.sharing.roles[role])),
      (error: unknown) => {
        toast(asApiError(error).message);
        // It is not an error of the dialog that adds a member.
        share.reset();
      },
    );

  return (
    <>
      {isOwner && (
        <div className="tab-actions">
          <Button onClick={() => setDialog("transfer")}>{t.sharing.transfer}…</Button>
          <Button kind="primary" onClick={() => setDialog("add")}>{t.sharing.addMember}</Button>
        </div>
      )}
      <Loaded query={members}>
        {(members) => {
          const rows: TeamMember[] = [{ userId: subject.access.owner, role: "owner" }, ...members];
          return (
            <>
              <Table
                caption={t.sharing.members}
                rows={rows}
                rowKey={(member) => member.userId}
                columns={[
                  { title: t.workflows.name, cell: ({ userId }) => <span className="name"><Owner id={userId} /></span> },
                  {
                    title: t.sharing.role,
                    cell: ({ userId, role }) =>
                      isOwner && role !== "owner" ? (
                        <select
                          className="compact"
                          aria-label={t.sharing.roleOf(nameOf(userId))}
                          value={role}
                          disabled={share.isPending}
                          onChange={(event) => changeRole(userId, event.target.value as MemberRole)}
                        >
                          {memberRoles.map((role) => (
                            <option key={role} value={role}>{t.sharing.roles[role]}</option>
                          ))}
                        </select>
                      ) : (
                        t.sharing.roles[role]
                      ),
                  },
                  { title: t.sharing.may, wide: true, cell: ({ role }) => <span className="sub">{texts.roles[role]}</span> },
                  ...(isOwner || rows.some((row) => row.userId === user.id)
                    ? [
                        {
                          title: t.actions,
                          cell: (member: TeamMember) =>
                            member.role !== "owner" &&
                            (isOwner || member.userId === user.id) && (
                              <Button
                                kind="quiet"
                                aria-label={isOwner ? t.sharing.removeNamed(nameOf(member.userId)) : undefined}
                                onClick={() => setRemoved(member)}
                              >
                                {isOwner ? t.sharing.remove : t.sharing.leave}
                              </Button>
                            ),
                        },
                      ]
                    : []),
                ]}
              />
              {members.length === 0 && isOwner && (
                <EmptyState title={t.sharing.notShared}>
                  <p>{texts.notShared}</p>
                </EmptyState>
              )}
            </>
          );
        }}
      </Loaded>
      {dialog === "add" && (
        <PersonDialog
          title={t.sharing.addTitle}
          action={t.sharing.addMember}
          excluded={[subject.access.owner, ...(members.data ?? []).map((member) => member.userId)]}
          roleTexts={texts.roles}
          busy={share.isPending}
          error={share.error}
          onClose={() => {
            share.reset();
            setDialog(null);
          }}
          onChoose={(person, role) =>
            whenDone(share.mutateAsync({ userId: person.id, role }), () => {
              toast(t.sharing.memberAdded(person.name));
              setDialog(null);
            })
          }
        />
      )}
      {dialog === "transfer" && (
        <PersonDialog
          title={t.sharing.transferTitle}
          text={texts.transfer}
          action={t.sharing.transfer}
          confirm={(person) => t.sharing.transferConfirm(subject.name, person.name)}
          excluded={[subject.access.owner]}
          busy={transfer.isPending}
          error={transfer.error}
          onClose={() => {
            transfer.reset();
            setDialog(null);
          }}
          onChoose={(person) =>
            whenDone(transfer.mutateAsync(person.id), () => {
              toast(t.sharing.transferred(person.name));
              setDialog(null);
            })
          }
        />
      )}
      {removed !== null && (
        <Confirm
          title={isSelf ? t.sharing.leaveTitle(subject.name) : t.sharing.removeTitle(nameOf(removed.userId))}
          action={isSelf ? t.sharing.leave : t.sharing.remove}
          danger
          busy={unshare.isPending}
          error={unshare.error}
          onClose={() => {
            unshare.reset();
            setRemoved(null);
          }}
          onConfirm={() =>
            whenDone(unshare.mutateAsync({ userId: removed.userId, leave: isSelf }), (_, isShown) => {
              toast(isSelf ? t.sharing.left(subject.name) : t.sharing.memberRemoved(nameOf(removed.userId)));
              setRemoved(null);
              if (isSelf && isShown) navigate({ to: `${kind}s` });
            })
          }
        >
          <p>{isSelf ? texts.leave : texts.remove}</p>
        </Confirm>
      )}
    </>
  );
}

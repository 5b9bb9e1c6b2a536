import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { CardFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { InvitationRow } from '#shared/console/user'
import type { TeamRole } from '#shared/ids'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const InviteDialog = later(async () => (await import('#client/console/dialogs/invite-dialog.tsx')).InviteDialog)

/** Invitation links: created, shown once, withdrawn. With `team`, only those to that team. */
export function InvitationsCard(props: { team?: { id: string; name: string }; teamRoles?: readonly TeamRole[] }) {
  const load = createLoad(
    () => `/api/invitations${props.team ? `?team=${encodeURIComponent(props.team.id)}` : ''}`,
    (path, signal) => readAll<InvitationRow>(path, signal),
  )
  const [making, setMaking] = createSignal(false)
  const [made, setMade] = createSignal<InvitationRow & { link: string }>()
  const [going, setGoing] = createSignal<InvitationRow>()
  const write = createWrite()
  const end = async (row: InvitationRow) => {
    setGoing(undefined)
    const done = await write.run(() => callApi('DELETE', `/api/invitations/${encodeURIComponent(row.id)}`))
    if (done) {
      if (made()?.id === row.id) setMade(undefined)
      showToast(ts('inviteEnded'))
    }
    void load.reload()
  }
  const to = (row: InvitationRow) => row.team?.name ?? ts(row.role === 'admin' ? 'inviteAdmin' : 'inviteServer')
  return (
    <Card
      title={ts('invitations')}
      bare
      tools={
        <Button size="sm" icon="plus" onClick={() => setMaking(true)}>
          {ts('invite')}
        </Button>
      }
    >
      <p class="hint px-4 pb-3">{ts('invitationsWhy')}</p>
      <Show when={made()}>
        {(fresh) => (
          <div class="grid gap-2 p-4">
            <p class="text-[13px]">{ts('inviteOnce')}</p>
            <Secret
              label={ts('inviteLink')}
              text={fresh().link}
              file="parley-invitation.txt"
              fileText={`${fresh().link}\n`}
              onTaken={() => undefined}
            />
          </div>
        )}
      </Show>
      <CardFailure of={load} write={write} />
      <Show when={load.value()?.length === 0}>
        <p class="px-4 pb-4 text-[13px] text-ink-2">{ts('invitationsNone')}</p>
      </Show>
      <Show when={load.value()?.length !== 0 && !(load.error() && load.value() === undefined)}>
        <DataTable
          label={ts('invitations')}
          rows={load.value()}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'to',
              label: ts('inviteTo'),
              card: 'title',
              cell: (row) => (
                <span class="grid">
                  <span class="truncate font-medium">{to(row)}</span>
                  <span class="truncate text-[12px] text-ink-3">{row.note ?? row.group}</span>
                </span>
              ),
            },
            { id: 'by', label: ts('inviteBy'), cell: (row) => row.by.name },
            { id: 'used', label: ts('inviteUsed'), right: true, cell: (row) => ts('inviteUses', { uses: row.uses, most: row.most }) },
            {
              id: 'until',
              label: ts('inviteUntil'),
              cell: (row) => (row.valid ? <Instant at={row.expiresAt} /> : <span class="bdg">{ts('inviteOver')}</span>),
            },
            {
              id: 'end',
              label: ts('inviteEnd'),
              bare: true,
              right: true,
              card: 'figure',
              cell: (row) => (
                <Button size="sm" onClick={() => setGoing(row)}>
                  {ts('inviteEnd')}
                </Button>
              ),
            },
          ]}
        />
      </Show>
      <Suspense>
        <Show when={making()}>
          <InviteDialog
            {...(props.team && { team: props.team })}
            {...(props.teamRoles && { teamRoles: props.teamRoles })}
            onClose={() => setMaking(false)}
            onMade={(row) => {
              setMaking(false)
              setMade(row)
              void load.reload()
            }}
          />
        </Show>
        <Show when={going()}>
          {(row) => (
            <Confirm
              title={ts('inviteEndTitle')}
              intro={ts('inviteEndIntro')}
              safe={tc('cancel')}
              go={ts('inviteEnd')}
              onClose={() => setGoing(undefined)}
              onGo={() => void end(row())}
            />
          )}
        </Show>
      </Suspense>
    </Card>
  )
}

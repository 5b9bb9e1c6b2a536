import { createSignal, Show, Suspense } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { InvitationsCard } from '#client/console/lists/invitations-card.tsx'
import { createLoad, readAll } from '#client/console/load.ts'
import { createSoon } from '#client/console/soon.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { Stats } from '#client/ui/console/stats.tsx'
import { Confirm } from '#client/ui/dialog.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { KeyRow } from '#shared/console/key'
import type { MemberRow, TeamRow } from '#shared/console/team'
import type { UsageReportRow } from '#shared/console/usage'
import { teamRoles } from '#shared/ids'
import { formatUsd, parseUsd } from '#shared/money'
import { KeysPart } from './keys-part.tsx'
import { MembersPart } from './members-part.tsx'
import { t } from './messages.ts'
import { inOrder, rightsIn } from './rights.ts'

const CreditDialog = later(async () => (await import('#client/console/dialogs/credit-dialog.tsx')).CreditDialog<TeamRow>)
const MemberDialog = later(async () => (await import('./member-dialog.tsx')).MemberDialog)
const TeamDialog = later(async () => (await import('./team-dialog.tsx')).TeamDialog)

/** Minimum milliseconds between two loads. */
export const leastMs = 2_000
const dayMs = 86_400_000
/** Days over which the pace of spending is measured. */
const paceDays = 7

interface TeamProps {
  team: TeamRow
  admin: boolean
  onChange(row: TeamRow): void
  onReload(): void
  onGone(): void
}

/** One team: its money, members and keys, as far as the user may see them. */
export function TeamView(props: TeamProps) {
  const [asking, setAsking] = createSignal<'credit' | 'member' | 'settings' | 'remove' | null>(null)
  const rights = () => rightsIn(props.team, props.admin)
  const at = () => `/api/teams/${encodeURIComponent(props.team.id)}`
  const members = createLoad(at, async (path, signal) => inOrder(await readAll<MemberRow>(`${path}/members`, signal)))
  const keys = createLoad(
    () => props.team.id,
    (id, signal) => readAll<KeyRow>(`/api/keys?team=${encodeURIComponent(id)}`, signal),
  )
  const spent = createLoad(
    () => props.team.id,
    async (id, signal) => {
      const now = new Date()
      const since = async (from: Date) => {
        const path = `/api/usage?team=${encodeURIComponent(id)}&from=${from.toISOString()}`
        const { data } = await callApi<{ data: UsageReportRow[] }>('GET', path, undefined, signal)
        return data[0]?.charged ?? '0'
      }
      const [month, week] = await Promise.all([
        since(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))),
        since(new Date(Math.floor((now.getTime() - paceDays * dayMs) / 3_600_000) * 3_600_000)),
      ])
      return { month, week }
    },
  )
  const readAgain = createSoon(leastMs, () => {
    // Keep what is being typed into a row.
    if (document.activeElement instanceof HTMLInputElement) return readAgain()
    for (const one of [members, keys, spent]) void one.reload()
  })
  onChange(['teams', 'keys', 'requests'], readAgain)
  const write = createWrite()
  const remove = async () => {
    setAsking(null)
    if (!(await write.run(() => callApi('DELETE', at())))) return
    showToast(t('removed', { name: props.team.name }))
    props.onGone()
  }
  const changed = () => {
    void members.reload()
    props.onReload()
  }
  return (
    <section class="grid min-w-0 gap-6" aria-label={props.team.name}>
      <header class="flex flex-wrap items-start gap-3">
        <div class="min-w-[min(100%,240px)] flex-1">
          <h2>{props.team.name}</h2>
          <p class="text-[13px] text-ink-2">{t('intro', { count: props.team.members })}</p>
        </div>
        <Show when={rights().canAdminister}>
          <Button onClick={() => setAsking('settings')}>{t('settings')}</Button>
          <Button onClick={() => setAsking('credit')}>{t('credit')}</Button>
        </Show>
        <Show when={rights().canManage}>
          <Button icon="plus" onClick={() => setAsking('member')}>
            {t('addMember')}
          </Button>
        </Show>
      </header>
      <Show when={props.team.managed === 'file'}>
        <p class="notice">{t('managed')}</p>
      </Show>
      <Refusal of={write} />
      <Stats
        label={props.team.name}
        stats={[
          {
            label: t('wallet'),
            value: formatMoney(props.team.balance),
            note: t('spendable', { amount: formatMoney(formatUsd(parseUsd(props.team.balance) - parseUsd(props.team.held))) }),
          },
          { label: t('heldNow'), value: formatMoney(props.team.held), note: t('heldNote') },
          {
            label: t('spentMonth'),
            value: spent.value() ? formatMoney(spent.value()?.month ?? '0') : '–',
            note: props.team.budget?.monthly ? t('spentOf', { amount: formatMoney(props.team.budget.monthly) }) : t('spentNoLimit'),
          },
          { label: t('lasts'), value: lasting(props.team.balance, spent.value()?.week), note: t('lastsNote') },
        ]}
      />
      <Show when={rights().seesAll}>
        <p class="flex flex-wrap gap-x-5 gap-y-1 text-[13px]">
          <a href={`/requests?team=${encodeURIComponent(props.team.id)}&range=30d`}>{t('requests')}</a>
          <a href={`/usage?team=${encodeURIComponent(props.team.id)}&by=user`}>{t('usage')}</a>
        </p>
      </Show>
      <MembersPart team={props.team} rights={rights()} members={members} onChange={changed} />
      <KeysPart team={props.team} rights={rights()} keys={keys} />
      <Show when={rights().canManage}>
        <InvitationsCard team={props.team} teamRoles={teamRoles.filter(rights().canManageRole)} />
      </Show>
      <Show when={rights().canAdminister}>
        <Card title={t('end')} bad>
          <div class="flex flex-wrap items-center gap-3 text-[13px]">
            <span class="min-w-0 flex-1 text-ink-2">{t('removeTeamIntro')}</span>
            <Button look="bad" onClick={() => setAsking('remove')}>
              {t('removeTeam')}
            </Button>
          </div>
        </Card>
      </Show>
      <Suspense>
        <Show when={asking() === 'credit'}>
          <CreditDialog
            of="team"
            row={props.team}
            onClose={() => setAsking(null)}
            onDone={(row) => {
              props.onChange(row)
              setAsking(null)
            }}
          />
        </Show>
        <Show when={asking() === 'settings'}>
          <TeamDialog
            team={props.team}
            onClose={() => setAsking(null)}
            onDone={(row) => {
              props.onChange(row)
              setAsking(null)
            }}
          />
        </Show>
        <Show when={asking() === 'member'}>
          <MemberDialog
            team={props.team}
            rights={rights()}
            onClose={() => setAsking(null)}
            onDone={() => {
              setAsking(null)
              changed()
            }}
          />
        </Show>
        <Show when={asking() === 'remove'}>
          <Confirm
            title={t('removeTeamTitle', { name: props.team.name })}
            intro={t('removeTeamIntro')}
            safe={tc('cancel')}
            go={t('removeTeamGo', { name: props.team.name })}
            onClose={() => setAsking(null)}
            onGo={() => void remove()}
          />
        </Show>
      </Suspense>
    </section>
  )
}

/** How long the balance lasts at the pace of the last days. */
function lasting(balance: string, week: string | undefined): string {
  const perDay = Number(week ?? 0) / paceDays
  if (!(perDay > 0)) return t('lastsUnknown')
  const days = Math.floor(Number(balance) / perDay)
  return days > 366 ? t('lastsLong') : t('lastsDays', { count: days })
}

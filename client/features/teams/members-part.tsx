import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import type { Load } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Meter } from '#client/ui/console/meter.tsx'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatMoney, formatPercent } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { MemberRow, TeamRow } from '#shared/console/team'
import { t } from './messages.ts'
import { type Rights, shareOf } from './rights.ts'

const MemberDialog = later(async () => (await import('./member-dialog.tsx')).MemberDialog)

interface PartProps {
  team: TeamRow
  rights: Rights
  members: Load<MemberRow[]>
  onChange(): void
}

/** The members of the team, with caps that managers edit in place. */
export function MembersPart(props: PartProps) {
  const [open, setOpen] = createSignal<MemberRow | null>(null)
  const write = createWrite()
  const setCap = async (row: MemberRow, typed: string) => {
    const monthly = typed.trim()
    if (monthly === (row.budget?.monthly ?? '')) return
    const { monthly: _, ...others } = row.budget ?? {}
    const budget = monthly === '' ? others : { ...others, monthly }
    const path = `/api/teams/${encodeURIComponent(props.team.id)}/members/${encodeURIComponent(row.id)}`
    if (await write.run(() => callApi('PATCH', path, { budget }))) showToast(t('saved'))
    void props.members.reload()
  }
  return (
    <section class="grid gap-3">
      <div class="flex flex-wrap items-baseline gap-x-3">
        <h3>{t(props.rights.seesAll ? 'members' : 'membersOwn')}</h3>
        <p class="text-[13px] text-ink-2">{t('membersHint')}</p>
      </div>
      <Refusal of={write} />
      <Loaded of={props.members}>
        <DataTable
          label={t('members')}
          rows={props.members.value()}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'member',
              label: t('member'),
              card: 'title',
              cell: (row) => (
                <span class="flex items-center gap-2.5">
                  <Monogram name={row.name} />
                  <span class="min-w-0">
                    <b class="font-medium">{row.name}</b>
                    <small>
                      {t(`role_${row.role}`)}, {t(`role_${row.role}_note`)}
                    </small>
                  </span>
                </span>
              ),
            },
            {
              id: 'cap',
              label: t('capMonth'),
              right: true,
              cell: (row) => (
                <Show
                  when={props.rights.canManageRole(row.role)}
                  fallback={row.budget?.monthly ? formatMoney(row.budget.monthly) : <span class="na">{t('noCap')}</span>}
                >
                  <span class="unit cap inline-block">
                    <input
                      class="in num"
                      inputmode="decimal"
                      autocomplete="off"
                      placeholder={t('noCap')}
                      aria-label={t('capOf', { name: row.name })}
                      value={row.budget?.monthly ?? ''}
                      onChange={(event) => void setCap(row, event.currentTarget.value)}
                    />
                    <span aria-hidden="true">{t('usd')}</span>
                  </span>
                </Show>
              ),
            },
            { id: 'spent', label: t('spent'), right: true, card: 'figure', cell: (row) => formatMoney(row.spent) },
            {
              id: 'share',
              label: t('ofCap'),
              right: true,
              wide: true,
              cell: (row) => (
                <Show when={shareOf(row) !== undefined} fallback={<span class="na">{t('noCap')}</span>}>
                  <span class="inline-grid min-w-[96px] gap-1 text-right">
                    <span class="num">{formatPercent(shareOf(row) ?? 0, 0)}</span>
                    <Meter share={shareOf(row) ?? 0} label={t('capUsed', { share: formatPercent(shareOf(row) ?? 0, 0) })} />
                  </span>
                </Show>
              ),
            },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={props.rights.canManageRole(row.role)}>
                  <Button look="ghost" size="sm" aria-label={t('editOf', { name: row.name })} onClick={() => setOpen(row)}>
                    {t('edit')}
                  </Button>
                </Show>
              ),
            },
          ]}
          empty={<p class="p-4 text-[13px] text-ink-2">{t('noMembers')}</p>}
        />
      </Loaded>
      <Suspense>
        <Show when={open()} keyed>
          {(row) => (
            <MemberDialog
              team={props.team}
              rights={props.rights}
              row={row}
              onClose={() => setOpen(null)}
              onDone={() => {
                setOpen(null)
                props.onChange()
              }}
            />
          )}
        </Show>
      </Suspense>
    </section>
  )
}

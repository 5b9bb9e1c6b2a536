import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import type { Load } from '#client/console/load.ts'
import { lengthOf } from '#client/console/plan-length.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Empty, Refusal } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { Menu } from '#client/ui/menu.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { PlanRow } from '#shared/console/selling'
import { t } from './messages.ts'
import { Part } from './part.tsx'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const GiveDialog = later(async () => (await import('./give-dialog.tsx')).GiveDialog)
const PlanDialog = later(async () => (await import('./plan-dialog.tsx')).PlanDialog)

type Asking = { what: 'new' } | { what: 'edit' | 'give' | 'remove'; row: PlanRow }

/** The table of plans: created, changed, assigned, deleted. */
export function PlansPart(props: { plans: Load<PlanRow[]> }) {
  const [asking, setAsking] = createSignal<Asking>()
  const write = createWrite()
  const close = () => setAsking(undefined)
  const done = (text: string) => {
    close()
    showToast(text)
    void props.plans.reload()
  }
  const remove = async (row: PlanRow) => {
    close()
    if (await write.run(() => callApi('DELETE', `/api/plans/${encodeURIComponent(row.id)}`))) showToast(t('saved'))
    void props.plans.reload()
  }
  const of = (what: 'edit' | 'give' | 'remove') => {
    const now = asking()
    return now && now.what === what && 'row' in now ? now.row : undefined
  }
  return (
    <Part title={t('plans')} why={t('plansWhy')} add={t('newPlan')} onAdd={() => setAsking({ what: 'new' })}>
      <Refusal of={write} />
      <DataTable
        label={t('plans')}
        rows={props.plans.value()}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'name',
            label: t('name'),
            card: 'title',
            cell: (row) => (
              <button
                type="button"
                class="text-left font-medium hover:text-accent"
                title={t('editPlan', { name: row.name })}
                onClick={() => setAsking({ what: 'edit', row })}
              >
                {row.name}
              </button>
            ),
          },
          {
            id: 'windows',
            label: t('windows'),
            cell: (row) =>
              row.windows.map(({ every, amount }) => t('window', { amount: formatMoney(amount), every: lengthOf(every) })).join(', ') || (
                <span class="na">{t('noWindows')}</span>
              ),
          },
          { id: 'group', label: t('group'), wide: true, cell: (row) => row.group ?? <span class="na">{t('ownGroup')}</span> },
          { id: 'holders', label: t('holders'), right: true, cell: (row) => formatCount(row.holders) },
          {
            id: 'state',
            label: t('state'),
            cell: (row) => <Status shape={row.enabled ? 'ok' : 'off'}>{t(row.enabled ? 'on' : 'off')}</Status>,
          },
          {
            id: 'actions',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'whole',
            cell: (row) => (
              <span class="inline-flex items-center justify-end gap-1">
                <Button
                  look="ghost"
                  size="sm"
                  aria-label={t('giveOf', { name: row.name })}
                  onClick={() => setAsking({ what: 'give', row })}
                >
                  {t('give')}
                </Button>
                <Show when={row.managed === 'console'} fallback={<span class="na self-center">{t('byFile')}</span>}>
                  <Menu
                    label={tc('moreOf', { name: row.name })}
                    icon="more"
                    items={() => [
                      { kind: 'item', icon: 'edit', label: t('edit'), onSelect: () => setAsking({ what: 'edit', row }) },
                      { kind: 'item', icon: 'trash', bad: true, label: t('remove'), onSelect: () => setAsking({ what: 'remove', row }) },
                    ]}
                  />
                </Show>
              </span>
            ),
          },
        ]}
        empty={<Empty title={t('noPlans')}>{t('noPlansWhy')}</Empty>}
      />
      <Suspense>
        <Show when={asking()?.what === 'new'}>
          <PlanDialog onClose={close} onDone={() => done(t('saved'))} />
        </Show>
        <Show when={of('edit')} keyed>
          {(row) => <PlanDialog row={row} onClose={close} onDone={() => done(t('saved'))} />}
        </Show>
        <Show when={of('give')} keyed>
          {(row) => <GiveDialog plan={row} onClose={close} onDone={(name) => done(t('given', { name }))} />}
        </Show>
        <Show when={of('remove')} keyed>
          {(row) => (
            <Confirm
              title={t('removePlan', { name: row.name })}
              intro={t('removePlanWhy')}
              safe={tc('cancel')}
              go={t('removeGo')}
              onClose={close}
              onGo={() => void remove(row)}
            />
          )}
        </Show>
      </Suspense>
    </Part>
  )
}

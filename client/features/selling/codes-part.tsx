import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import type { Pages } from '#client/console/load.ts'
import { lengthOf } from '#client/console/plan-length.ts'
import { createWrite } from '#client/console/write.ts'
import { tc } from '#client/ui/console/messages.ts'
import { Empty } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatExactly, formatWhen } from '#client/ui/console/time.ts'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { Menu } from '#client/ui/menu.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { CodeRow, PlanRow } from '#shared/console/selling'
import { t } from './messages.ts'
import { NewCodes } from './new-codes.tsx'
import { Part } from './part.tsx'

const CodesDialog = later(async () => (await import('./codes-dialog.tsx')).CodesDialog)
const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

const shapes: Record<CodeRow['state'], Shape> = { open: 'live', redeemed: 'ok', revoked: 'off', expired: 'warn' }

/** The table of codes: made in batches, shown once, revoked. */
export function CodesPart(props: { codes: Pages<CodeRow>; plans: readonly PlanRow[] }) {
  const [making, setMaking] = createSignal(false)
  const [made, setMade] = createSignal<readonly string[]>()
  const [going, setGoing] = createSignal<{ id: string; name: string }>()
  const write = createWrite()
  const revoke = async (id: string) => {
    setGoing(undefined)
    if (await write.run(() => callApi('DELETE', `/api/codes/${encodeURIComponent(id)}`))) showToast(t('revoked'))
    void props.codes.reload()
  }
  return (
    <Part title={t('codes')} why={t('codesWhy')} add={t('newCodes')} onAdd={() => setMaking(true)}>
      <Show when={made()}>{(codes) => <NewCodes codes={codes()} onClose={() => setMade(undefined)} />}</Show>
      <Show when={write.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
      <DataTable
        label={t('codes')}
        rows={props.codes.value()}
        rowId={(row) => row.id}
        stale={props.codes.loading()}
        columns={[
          {
            id: 'code',
            label: t('code'),
            card: 'title',
            cell: (row) => (
              <span class="grid">
                <span class="mono">{row.hint}</span>
                <small title={row.batch}>{[row.note, row.user?.name, row.group].filter(Boolean).join(', ')}</small>
              </span>
            ),
          },
          { id: 'worth', label: t('worth'), card: 'figure', cell: worthOf },
          {
            id: 'state',
            label: t('state'),
            cell: (row) => (
              <>
                <Status shape={shapes[row.state]}>{t(`state_${row.state}`)}</Status>
                <Show when={row.redeemedAt}>
                  {(at) => (
                    <small title={formatExactly(at())}>
                      {t('redeemedBy', { name: row.wallet?.name ?? row.redeemedBy?.name ?? '', when: formatWhen(at()) })}
                    </small>
                  )}
                </Show>
              </>
            ),
          },
          {
            id: 'expires',
            label: t('expires'),
            wide: true,
            cell: (row) => (row.expiresAt === null ? <span class="na">{t('never')}</span> : formatWhen(row.expiresAt)),
          },
          {
            id: 'actions',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'whole',
            cell: (row) => (
              <Show when={row.state === 'open'}>
                <Menu
                  label={tc('moreOf', { name: row.hint })}
                  icon="more"
                  items={() => [
                    {
                      kind: 'item',
                      icon: 'trash',
                      bad: true,
                      label: t('revoke'),
                      onSelect: () => setGoing({ id: row.id, name: row.hint }),
                    },
                    {
                      kind: 'item',
                      icon: 'trash',
                      bad: true,
                      label: t('revokeBatch'),
                      onSelect: () => setGoing({ id: row.batch, name: row.note || row.batch }),
                    },
                  ]}
                />
              </Show>
            ),
          },
        ]}
        empty={<Empty title={t('noCodes')}>{t('noCodesWhy')}</Empty>}
        more={props.codes.more()}
      />
      <Suspense>
        <Show when={making()}>
          <CodesDialog
            plans={props.plans}
            onClose={() => setMaking(false)}
            onDone={(codes) => {
              setMaking(false)
              setMade(codes)
              void props.codes.reload()
            }}
          />
        </Show>
        <Show when={going()}>
          {(one) => (
            <Confirm
              title={t('revokeTitle', { name: one().name })}
              intro={t('revokeWhy')}
              safe={tc('cancel')}
              go={t('revokeGo')}
              onClose={() => setGoing(undefined)}
              onGo={() => void revoke(one().id)}
            />
          )}
        </Show>
      </Suspense>
    </Part>
  )
}

function worthOf({ value, plan }: CodeRow): string {
  const words = [Number(value) > 0 && formatMoney(value), plan && t('worthPlan', { name: plan.name, days: lengthOf(`${plan.days}d`) })]
  return words.filter(Boolean).join(' + ')
}

import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createPages, queryOf } from '#client/console/load.ts'
import { lengthOf } from '#client/console/plan-length.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Empty, NoMatch, Refusal } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatBoth, formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatMoney } from '#client/ui/format.ts'
import { later } from '#client/ui/later.ts'
import { Menu } from '#client/ui/menu.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { type CodeRow, codeStates, type PlanRow } from '#shared/console/selling'
import type { MadeCode } from './codes-file.ts'
import { t } from './messages.ts'
import { NewCodes } from './new-codes.tsx'
import { Part } from './part.tsx'

const CodesDialog = later(async () => (await import('./codes-dialog.tsx')).CodesDialog)
const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

const shapes: Record<CodeRow['state'], Shape> = { open: 'live', redeemed: 'ok', revoked: 'off', expired: 'warn' }

const filterNames = ['q', 'state', 'batch'] as const

/** The table of codes: created in batches, shown once, revoked. Filters are in the URL. */
export function CodesPart(props: { plans: readonly PlanRow[] }) {
  const url = useUrlState()
  const codes = createPages<CodeRow>(
    () => `/api/codes?${queryOf({ limit: '50', ...Object.fromEntries(filterNames.map((name) => [name, url.get(name)])) })}`,
  )
  const stateText = () => codeStates.filter((one) => one === url.get('state')).map((one) => t(`state_${one}`))[0]
  const filters = () => [url.get('q'), stateText(), url.get('batch')].filter(Boolean).join(', ')
  const [making, setMaking] = createSignal(false)
  const [made, setMade] = createSignal<readonly MadeCode[]>()
  const [going, setGoing] = createSignal<{ id: string; name: string }>()
  const write = createWrite()
  const revoke = async (id: string) => {
    setGoing(undefined)
    if (await write.run(() => callApi('DELETE', `/api/codes/${encodeURIComponent(id)}`))) showToast(t('revoked'))
    void codes.reload()
  }
  return (
    <Part title={t('codes')} why={t('codesWhy')} add={t('newCodes')} onAdd={() => setMaking(true)}>
      <Show when={made()}>{(codes) => <NewCodes codes={codes()} onClose={() => setMade(undefined)} />}</Show>
      <Refusal of={write} />
      <FilterBar>
        <SearchField label={t('findCode')} value={url.get('q')} onSearch={(q) => url.set({ q }, { replace: true })} />
        <FilterChip
          label={t('state')}
          value={url.get('state')}
          options={codeStates.map((value) => ({ value, label: t(`state_${value}`) }))}
          onChange={(state) => url.set({ state })}
        />
        <Show when={url.get('batch')}>
          <Button icon="x" onClick={() => url.set({ batch: '' })}>
            {t('ofBatch', { batch: url.get('batch') })}
          </Button>
        </Show>
      </FilterBar>
      <Loaded of={codes}>
        <DataTable
          label={t('codes')}
          view="codes"
          rows={codes.value()}
          rowId={(row) => row.id}
          stale={codes.loading()}
          columns={[
            {
              id: 'code',
              label: t('code'),
              card: 'title',
              cell: (row) => (
                <span class="grid">
                  <span class="mono">{row.hint}</span>
                  <small>{[row.note, row.user?.name, row.group].filter(Boolean).join(', ')}</small>
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
                      <small title={formatBoth(at())}>
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
              cell: (row) => (row.expiresAt === null ? <span class="na">{t('never')}</span> : <Instant at={row.expiresAt} />),
            },
            { id: 'created', label: t('created'), wide: true, cell: (row) => <Instant at={row.createdAt} /> },
            {
              id: 'batch',
              label: t('batch'),
              wide: true,
              card: 'none',
              cell: (row) => (
                <a class="mono text-[12px]" href={url.href({ batch: row.batch })}>
                  {row.batch}
                </a>
              ),
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
          empty={
            <Show when={filters()} fallback={<Empty title={t('noCodes')}>{t('noCodesWhy')}</Empty>}>
              {(names) => <NoMatch filters={names()} onClear={() => url.set({ q: '', state: '', batch: '' })} />}
            </Show>
          }
          more={codes.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={making()}>
          <CodesDialog
            plans={props.plans}
            onClose={() => setMaking(false)}
            onDone={(fresh) => {
              setMaking(false)
              setMade(fresh)
              void codes.reload()
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

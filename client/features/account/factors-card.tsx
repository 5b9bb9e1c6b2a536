import { createSignal, Show, Suspense } from 'solid-js'
import { readStatus } from '#client/api/account.ts'
import { callApi } from '#client/api/http.ts'
import { passkeysHere, readFactors, renewRecoveryCodes } from '#client/api/proofs.ts'
import { Ago } from '#client/console/lists/ago.tsx'
import { createLoad } from '#client/console/load.ts'
import { CardFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { FactorRow } from '#shared/console/session'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const AddAppDialog = later(async () => (await import('./add-factor.tsx')).AddAppDialog)
const AddPasskeyDialog = later(async () => (await import('./add-factor.tsx')).AddPasskeyDialog)
const RecoveryCodes = later(async () => (await import('./recovery-codes.tsx')).RecoveryCodes)

/** The user's second factors and recovery codes. `onChanged`: after one was added and its recovery codes were shown. */
export function FactorsCard(props: { onChanged?(): void }) {
  const load = createLoad(
    () => true,
    (_, signal) => readFactors(signal),
  )
  const status = createLoad(() => true, readStatus)
  const passkeys = () => passkeysHere(status.value()?.passkeys)
  const [adding, setAdding] = createSignal<'app' | 'passkey'>()
  const [codes, setCodes] = createSignal<readonly string[]>()
  const [removing, setRemoving] = createSignal<FactorRow>()
  const [renewing, setRenewing] = createSignal(false)
  const write = createWrite()
  const added = (fresh: readonly string[]) => {
    setAdding(undefined)
    void load.reload()
    showToast(t('factorAdded'))
    if (fresh.length > 0) setCodes(fresh)
    else props.onChanged?.()
  }
  const remove = async (row: FactorRow) => {
    setRemoving(undefined)
    if (await write.run(() => callApi('DELETE', `/api/session/factors/${encodeURIComponent(row.id)}`))) showToast(t('factorRemoved'))
    void load.reload()
  }
  const renew = async () => {
    setRenewing(false)
    await write.run(async () => setCodes(await renewRecoveryCodes()))
    void load.reload()
  }
  return (
    <Card
      title={t('factors')}
      bare
      tools={
        <>
          <Show when={passkeys()}>
            <Button size="sm" icon="plus" onClick={() => setAdding('passkey')}>
              {t('addPasskey')}
            </Button>
          </Show>
          <Button size="sm" icon="plus" onClick={() => setAdding('app')}>
            {t('addApp')}
          </Button>
        </>
      }
    >
      <p class="hint px-4 pb-3">{t(load.value()?.required ? 'factorsRequired' : passkeys() ? 'factorsWhy' : 'factorsWhyApp')}</p>
      <CardFailure of={load} write={write} />
      <Show
        when={load.value()?.factors.length !== 0}
        fallback={<p class="px-4 pb-4 text-[13px] text-ink-2">{t(passkeys() ? 'factorsNone' : 'factorsNoneApp')}</p>}
      >
        <DataTable
          label={t('factors')}
          rows={load.value()?.factors}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'name',
              label: t('factorName'),
              card: 'title',
              cell: (row) => (
                <span class="grid">
                  <span class="truncate font-medium">{row.name}</span>
                  <span class="text-[12px] text-ink-3">{t(`factor_${row.kind}`)}</span>
                </span>
              ),
            },
            { id: 'added', label: t('factorSince'), cell: (row) => <Instant at={row.createdAt} /> },
            {
              id: 'used',
              label: t('factorUsed'),
              cell: (row) => (row.lastUsedAt === null ? <span class="na">{t('mkNever')}</span> : <Ago at={row.lastUsedAt} />),
            },
            {
              id: 'remove',
              label: t('factorRemove'),
              bare: true,
              right: true,
              card: 'figure',
              cell: (row) => (
                <Button size="sm" onClick={() => setRemoving(row)}>
                  {t('factorRemove')}
                </Button>
              ),
            },
          ]}
        />
        <div class="flex flex-wrap items-center gap-3 border-t border-line px-4 py-3 text-[13px]">
          <span class="min-w-0 flex-1 text-ink-2">{t('codesLeft', { count: load.value()?.recoveryCodesLeft ?? 0 })}</span>
          <Button size="sm" busy={write.busy()} onClick={() => setRenewing(true)}>
            {t('codesRenew')}
          </Button>
        </div>
      </Show>
      <Suspense>
        <Show when={adding() === 'app'}>
          <AddAppDialog onAdded={added} onClose={() => setAdding(undefined)} />
        </Show>
        <Show when={adding() === 'passkey'}>
          <AddPasskeyDialog onAdded={added} onClose={() => setAdding(undefined)} />
        </Show>
        <Show when={codes()}>
          {(fresh) => (
            <RecoveryCodes
              codes={fresh()}
              onDone={() => {
                setCodes(undefined)
                props.onChanged?.()
              }}
            />
          )}
        </Show>
        <Show when={removing()}>
          {(row) => (
            <Confirm
              title={t('factorRemoveTitle', { name: row().name })}
              intro={t('factorRemoveIntro')}
              safe={tc('cancel')}
              go={t('factorRemove')}
              onClose={() => setRemoving(undefined)}
              onGo={() => void remove(row())}
            />
          )}
        </Show>
        <Show when={renewing()}>
          <Confirm
            title={t('codesRenewTitle')}
            intro={t('codesRenewIntro')}
            safe={tc('cancel')}
            go={t('codesRenew')}
            onClose={() => setRenewing(false)}
            onGo={() => void renew()}
          />
        </Show>
      </Suspense>
    </Card>
  )
}

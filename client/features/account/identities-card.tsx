import { createSignal, lazy, onMount, Show, Suspense } from 'solid-js'
import { beginProviderSignIn, readStatus } from '#client/api/account.ts'
import { callApi } from '#client/api/http.ts'
import { Ago } from '#client/console/lists/ago.tsx'
import { createLoad, readAll } from '#client/console/load.ts'
import { CardFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { IdentityRow } from '#shared/console/session'
import { t } from './messages.ts'

const Confirm = lazy(async () => ({ default: (await import('#client/ui/dialog.tsx')).Confirm }))

/** The user's linked identities; empty without single sign-on. */
export function IdentitiesCard() {
  const status = createLoad(() => true, readStatus)
  const identities = createLoad(
    () => '/api/session/identities',
    (path, signal) => readAll<IdentityRow>(path, signal),
  )
  const write = createWrite()
  const [removing, setRemoving] = createSignal<IdentityRow>()
  const [failure, setFailure] = createSignal<string>()
  onMount(() => setFailure(takeFailure()))
  const link = () => void write.run(() => beginProviderSignIn({ to: '/account', link: true }))
  const remove = async (row: IdentityRow) => {
    setRemoving(undefined)
    if (await write.run(() => callApi('DELETE', `/api/session/identities/${encodeURIComponent(row.id)}`))) showToast(t('unlinked'))
    void identities.reload()
  }
  const shown = () => status.value()?.singleSignOn || (identities.value()?.length ?? 0) > 0
  return (
    <Show when={shown()}>
      <Card
        title={t('singleSignOn')}
        bare
        tools={
          <Show when={status.value()?.singleSignOn}>
            <Button size="sm" busy={write.busy()} onClick={link}>
              {t('link')}
            </Button>
          </Show>
        }
      >
        <Show when={failure()}>{(text) => <p class="notice bad m-4">{text()}</p>}</Show>
        <CardFailure of={identities} write={write} />
        <Show when={identities.value()?.length !== 0} fallback={<p class="p-4 text-[13px] text-ink-2">{t('notLinked')}</p>}>
          <DataTable
            label={t('singleSignOn')}
            rows={identities.value()}
            rowId={(row) => row.id}
            columns={[
              { id: 'who', label: t('name'), card: 'title', cell: (row) => row.label ?? new URL(row.issuer).host },
              { id: 'issuer', label: t('issuer'), cell: (row) => <span class="mono text-[12px]">{row.issuer}</span> },
              { id: 'linked', label: t('linkedAt'), cell: (row) => <Instant at={row.at} /> },
              { id: 'used', label: t('seen'), cell: (row) => <Ago at={row.lastUsedAt} /> },
              {
                id: 'unlink',
                label: t('unlink'),
                bare: true,
                right: true,
                card: 'figure',
                cell: (row) => (
                  <Button size="sm" onClick={() => setRemoving(row)}>
                    {t('unlink')}
                  </Button>
                ),
              },
            ]}
          />
        </Show>
        <Suspense>
          <Show when={removing()}>
            {(row) => (
              <Confirm
                title={t('unlinkTitle')}
                intro={t('unlinkIntro')}
                safe={tc('cancel')}
                go={t('unlink')}
                onClose={() => setRemoving(undefined)}
                onGo={() => void remove(row())}
              />
            )}
          </Show>
        </Suspense>
      </Card>
    </Show>
  )
}

/** The linking error from the provider's redirect URL; removes it from the URL. */
function takeFailure(): string | undefined {
  const address = new URL(location.href)
  const word = address.searchParams.get('sign-in')
  if (word === null) return undefined
  address.searchParams.delete('sign-in')
  history.replaceState(history.state, '', address)
  return word === 'taken' ? t('linkTaken') : t('linkFailed')
}

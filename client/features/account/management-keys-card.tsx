import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { ShownOnce } from '#client/console/shown-once.tsx'
import { CardFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { Empty } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ManagementKeyRow } from '#shared/console/management-key'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const NewKeyDialog = later(async () => (await import('./new-management-key.tsx')).NewManagementKeyDialog)

type Made = ManagementKeyRow & { key: string }

/** The user's management keys: created, shown once, revoked. */
export function ManagementKeysCard() {
  const keys = createLoad(
    () => '/api/management-keys',
    (path, signal) => readAll<ManagementKeyRow>(path, signal),
  )
  const [making, setMaking] = createSignal(false)
  const [made, setMade] = createSignal<Made>()
  const [going, setGoing] = createSignal<ManagementKeyRow>()
  const write = createWrite()
  const remove = async (row: ManagementKeyRow) => {
    setGoing(undefined)
    const done = await write.run(() => callApi('DELETE', `/api/management-keys/${encodeURIComponent(row.id)}`))
    if (done) {
      if (made()?.id === row.id) setMade(undefined)
      showToast(t('mkDeleted', { name: row.name }))
    }
    void keys.reload()
  }
  return (
    <Card
      title={t('mk')}
      bare
      tools={
        <Button size="sm" icon="plus" onClick={() => setMaking(true)}>
          {t('mkNew')}
        </Button>
      }
    >
      <p class="hint px-4 pb-3">
        {t('mkWhy')}{' '}
        <a class="underline" href="/docs?page=management-keys">
          {t('mkDocs')}
        </a>
      </p>
      <Show when={made()}>{(fresh) => <Fresh made={fresh()} onClose={() => setMade(undefined)} />}</Show>
      <CardFailure of={keys} write={write} />
      <DataTable
        label={t('mk')}
        rows={keys.value()}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'name',
            label: t('mkKey'),
            card: 'title',
            cell: (row) => (
              <span class="grid">
                <span class="truncate font-medium">{row.name}</span>
                <span class="mono text-[12px] text-ink-3">{row.hint}</span>
              </span>
            ),
          },
          { id: 'scopes', label: t('mkMay'), cell: (row) => row.scopes.map((scope) => t(`scope_${scope}`)).join(', ') },
          { id: 'expires', label: t('mkExpires'), cell: (row) => <Until row={row} /> },
          {
            id: 'used',
            label: t('mkUsed'),
            cell: (row) => (
              <Show when={row.lastUsedAt} fallback={<span class="na">{t('mkNever')}</span>}>
                {(at) => <span title={row.lastUsedFrom ?? undefined}>{formatAgo(at())}</span>}
              </Show>
            ),
          },
          {
            id: 'delete',
            label: t('mkDelete'),
            bare: true,
            right: true,
            card: 'figure',
            cell: (row) => (
              <Button size="sm" look="bad" onClick={() => setGoing(row)}>
                {t('mkDelete')}
              </Button>
            ),
          },
        ]}
        empty={<Empty title={t('mkEmpty')}>{t('mkEmptyWhy')}</Empty>}
      />
      <Suspense>
        <Show when={making()}>
          <NewKeyDialog
            onClose={() => setMaking(false)}
            onMade={(row) => {
              setMaking(false)
              setMade(row)
              void keys.reload()
            }}
          />
        </Show>
        <Show when={going()}>
          {(row) => (
            <Confirm
              title={t('mkDeleteTitle', { name: row().name })}
              intro={usedText(row())}
              safe={tc('cancel')}
              go={t('mkDeleteGo')}
              onClose={() => setGoing(undefined)}
              onGo={() => void remove(row())}
            />
          )}
        </Show>
      </Suspense>
    </Card>
  )
}

const usedText = (row: ManagementKeyRow): string =>
  row.lastUsedAt === null
    ? t('mkDeleteUnused')
    : t('mkDeleteUsed', { ago: formatAgo(row.lastUsedAt), address: row.lastUsedFrom ?? ts('ses_unknown') })

function Until(props: { row: ManagementKeyRow }) {
  return (
    <Show when={props.row.valid} fallback={<span class="bdg warn">{t('mkInvalid')}</span>}>
      <Show when={props.row.expiresAt} fallback={<span class="na">{t('mkNever')}</span>}>
        {(at) => <Instant at={at()} />}
      </Show>
    </Show>
  )
}

/** The new key in full. */
function Fresh(props: { made: Made; onClose(): void }) {
  return (
    <ShownOnce
      class="mx-4 mt-3 mb-1"
      label={t('mkOnceLabel')}
      title={t('mkOnce', { name: props.made.name })}
      why={t('mkOnceWhy')}
      leave={{ title: t('mkLeave'), intro: t('mkLeaveWhy'), safe: t('mkLeaveStay'), go: t('mkLeaveGo') }}
      onClose={props.onClose}
    >
      {(onTaken) => (
        <Secret
          label={t('mkOnceLabel')}
          text={props.made.key}
          file="parley.env"
          fileText={`PARLEY_URL=${location.origin}\nPARLEY_MANAGEMENT_KEY=${props.made.key}\n`}
          onTaken={onTaken}
        />
      )}
    </ShownOnce>
  )
}

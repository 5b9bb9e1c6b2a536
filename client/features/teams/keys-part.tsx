import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import type { Load } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { later } from '#client/ui/later.ts'
import type { KeyRow } from '#shared/console/key'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'
import type { Rights } from './rights.ts'

const KeyDialog = later(async () => (await import('./key-dialog.tsx')).KeyDialog)

/** Keys paid by the team: all of them if the user may see all, otherwise their own. */
export function KeysPart(props: { team: TeamRow; rights: Rights; keys: Load<KeyRow[]> }) {
  const [adding, setAdding] = createSignal(false)
  const [removing, setRemoving] = createSignal<KeyRow | null>(null)
  const write = createWrite()
  const remove = async (row: KeyRow) => {
    setRemoving(null)
    if (await write.run(() => callApi('DELETE', `/api/keys/${encodeURIComponent(row.id)}`))) void props.keys.reload()
  }
  return (
    <section class="grid gap-3">
      <div class="flex flex-wrap items-center gap-3">
        <h3 class="flex-1">{t(props.rights.seesAll ? 'keys' : 'keysOwn')}</h3>
        <Show when={props.rights.canSpend}>
          <Button size="sm" icon="plus" onClick={() => setAdding(true)}>
            {t('newKey')}
          </Button>
        </Show>
      </div>
      <Refusal of={write} />
      <Loaded of={props.keys}>
        <DataTable
          label={t('keys')}
          rows={props.keys.value()}
          rowId={(row) => row.id}
          columns={[
            {
              id: 'key',
              label: t('key'),
              card: 'title',
              cell: (row) => (
                <>
                  <a href={`/keys/${encodeURIComponent(row.id)}`}>{row.name}</a>
                  <small class="mono">{row.hint}</small>
                </>
              ),
            },
            { id: 'by', label: t('madeBy'), cell: (row) => row.user.name || t('nobody') },
            { id: 'models', label: t('modelsOf'), wide: true, cell: (row) => row.models?.join(', ') ?? t('allModels') },
            { id: 'used', label: t('lastUsed'), right: true, cell: (row) => (row.lastUsedAt ? formatWhen(row.lastUsedAt) : t('never')) },
            {
              id: 'actions',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'whole',
              cell: (row) => (
                <Show when={row.managed === 'console'} fallback={<FileBadge />}>
                  <Show when={props.rights.canSpend}>
                    <Button look="bad ghost" size="sm" aria-label={t('removeKeyGo', { name: row.name })} onClick={() => setRemoving(row)}>
                      {t('removeKey')}
                    </Button>
                  </Show>
                </Show>
              ),
            },
          ]}
          empty={<p class="p-4 text-[13px] text-ink-2">{t('noKeys')}</p>}
        />
      </Loaded>
      <Suspense>
        <Show when={adding()}>
          <KeyDialog team={props.team} rights={props.rights} onMade={() => void props.keys.reload()} onClose={() => setAdding(false)} />
        </Show>
        <Show when={removing()} keyed>
          {(row) => (
            <Confirm
              title={t('removeKeyTitle', { name: row.name })}
              intro={t('removeKeyIntro')}
              safe={tc('cancel')}
              go={t('removeKeyGo', { name: row.name })}
              onClose={() => setRemoving(null)}
              onGo={() => void remove(row)}
            />
          )}
        </Show>
      </Suspense>
    </section>
  )
}

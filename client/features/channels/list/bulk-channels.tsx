import { createSignal, Match, Suspense, Switch } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { firstNames, oneByOne } from '#client/console/lists/one-by-one.ts'
import { channelsJson } from '#client/features/channels/beside/channel-yaml.ts'
import { t } from '#client/features/channels/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { BulkBar, type Picks } from '#client/ui/console/picks.tsx'
import { copyText } from '#client/ui/copy-and-save.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)
const EditDialog = later(async () => (await import('./edit-dialog.tsx')).EditDialog)

/** Actions on the selected channels: test; and, unless parley.yaml owns them, edit, turn on or off. `onDone` after any changed. */
export function BulkChannels<Row extends ChannelRow>(props: { picks: Picks<Row>; onTest(rows: readonly Row[]): void; onDone(): void }) {
  const [asking, setAsking] = createSignal<'off' | 'edit'>()
  const own = () => props.picks.rows().filter(({ managed }) => managed === 'console')
  /** Sends the patches of `patchOf`; skips channels without one. */
  const change = async (patchOf: (row: Row) => ChannelPatch | undefined) => {
    const changes = own().flatMap((row) => {
      const patch = patchOf(row)
      return patch ? [{ row, patch }] : []
    })
    const { done, refusal } = await oneByOne(changes, ({ row, patch }) =>
      callApi('PATCH', `/api/channels/${encodeURIComponent(row.id)}`, patch),
    )
    if (refusal === '') props.picks.clear()
    showToast([t('bulkDone', { count: done }), refusal].filter(Boolean).join(' '))
    props.onDone()
  }
  const copy = async () => {
    if (await copyText(channelsJson(props.picks.rows()))) showToast(t('copiedJson'))
  }
  const intro = () => {
    const { names, more } = firstNames(own())
    return t('bulkOffIntro', { names: more > 0 ? t('bulkMore', { names, count: more }) : names })
  }
  return (
    <>
      <BulkBar picks={props.picks}>
        <Button icon="pulse" onClick={() => props.onTest(props.picks.rows())}>
          {t('test')}
        </Button>
        <Button icon="edit" onClick={() => setAsking('edit')}>
          {t('bulkEdit')}
        </Button>
        <Button icon="copy" onClick={() => void copy()}>
          {t('copyJson')}
        </Button>
        <Button onClick={() => void change(() => ({ enabled: true }))}>{t('turnOn')}</Button>
        <Button look="bad" onClick={() => setAsking('off')}>
          {t('turnOff')}
        </Button>
      </BulkBar>
      <Suspense>
        <Switch>
          <Match when={asking() === 'edit'}>
            <EditDialog
              rows={own()}
              onClose={() => setAsking(undefined)}
              onGo={(patchOf) => {
                setAsking(undefined)
                void change(patchOf)
              }}
            />
          </Match>
          <Match when={asking() === 'off'}>
            <Confirm
              title={t('bulkOffTitle', { count: own().length })}
              intro={intro()}
              safe={tc('cancel')}
              go={t('bulkOffGo', { count: own().length })}
              onClose={() => setAsking(undefined)}
              onGo={() => {
                setAsking(undefined)
                void change(() => ({ enabled: false }))
              }}
            />
          </Match>
        </Switch>
      </Suspense>
    </>
  )
}

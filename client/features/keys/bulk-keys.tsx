import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { firstNames, oneByOne } from '#client/console/lists/one-by-one.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { BulkBar, type Picks } from '#client/ui/console/picks.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { KeyRow } from '#shared/console/key'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** Actions on the selected keys that parley.yaml does not own: turn on or off, revoke. `onDone` after any of them changed. */
export function BulkKeys(props: { picks: Picks<KeyRow>; onDone(): void }) {
  const [asking, setAsking] = createSignal<'off' | 'revoke'>()
  const chosen = () => props.picks.rows().filter(({ managed }) => managed === 'console')
  const names = () => {
    const { names, more } = firstNames(chosen())
    return more > 0 ? t('bulkMore', { names, count: more }) : names
  }
  /** A sentence on when any of them was last used. */
  const used = () => {
    const last = chosen()
      .flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
      .toSorted()
      .at(-1)
    return last === undefined ? t('bulkUnused') : t('bulkUsed', { when: formatAgo(last) })
  }
  /** One after the other; stops at the first error and reports it. */
  const run = async (change: (path: string) => Promise<unknown>) => {
    const { done, refusal } = await oneByOne(chosen(), ({ id }) => change(`/api/keys/${encodeURIComponent(id)}`))
    if (refusal === '') props.picks.clear()
    showToast([t('bulkDone', { count: done }), refusal].filter(Boolean).join(' '))
    props.onDone()
  }
  const turn = (enabled: boolean) => run((path) => callApi('PATCH', path, { enabled }))
  return (
    <>
      <BulkBar picks={props.picks}>
        <Button onClick={() => void turn(true)}>{t('turnOn')}</Button>
        <Button look="bad" onClick={() => setAsking('off')}>
          {t('turnOff')}
        </Button>
        <Button look="bad" onClick={() => setAsking('revoke')}>
          {t('revoke')}
        </Button>
      </BulkBar>
      <Suspense>
        <Show when={asking()}>
          {(what) => (
            <Confirm
              title={t(what() === 'off' ? 'bulkOffTitle' : 'bulkRevokeTitle', { count: chosen().length })}
              intro={t('bulkIntro', { names: names(), used: used() })}
              safe={tc('cancel')}
              go={t(what() === 'off' ? 'bulkOffGo' : 'bulkRevokeGo', { count: chosen().length })}
              onClose={() => setAsking(undefined)}
              onGo={() => {
                const revokes = what() === 'revoke'
                setAsking(undefined)
                void (revokes ? run((path) => callApi('DELETE', path)) : turn(false))
              }}
            />
          )}
        </Show>
      </Suspense>
    </>
  )
}

import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** Removes the second factor of a user who has lost it. */
export function FactorReset(props: { row: AccountRow }) {
  const [asking, setAsking] = createSignal(false)
  const write = createWrite()
  const reset = async () => {
    setAsking(false)
    const done = await write.run(() => callApi('DELETE', `/api/users/${encodeURIComponent(props.row.id)}/factors`))
    if (done) showToast(t('factorReset', { name: props.row.name }))
  }
  return (
    <div class="grid gap-2">
      <div class="flex flex-wrap items-center gap-3 text-[13px]">
        <span class="min-w-0 flex-1 text-ink-2">{t('factorResetWhy')}</span>
        <Button look="bad" busy={write.busy()} onClick={() => setAsking(true)}>
          {t('factorResetGo')}
        </Button>
      </div>
      <Show when={write.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('factorResetTitle', { name: props.row.name })}
            intro={t('factorResetIntro')}
            safe={tc('cancel')}
            go={t('factorResetGo')}
            onClose={() => setAsking(false)}
            onGo={() => void reset()}
          />
        </Show>
      </Suspense>
    </div>
  )
}

/** Alerts: destinations and deliveries. The filter and the open destination are in the URL. */
import { createMemo, createSignal, Show, Suspense } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, createPages, queryOf, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import { type AlertDeliveryRow, type AlertHookRow, deliveryStates } from '#shared/console/alert'
import { Deliveries } from './deliveries.tsx'
import type { MadeHook } from './hook-dialog.tsx'
import { HookSecret } from './hook-secret.tsx'
import { t } from './messages.ts'
import { Places } from './places.tsx'

const HookDialog = later(async () => (await import('./hook-dialog.tsx')).HookDialog)

/** `/admin/alerts` */
export function AlertsPage() {
  const url = useUrlState()
  const state = () => deliveryStates.find((one) => one === url.get('state')) ?? ''
  const hooks = createLoad(
    () => '/api/alerts/hooks',
    (path, signal) => readAll<AlertHookRow>(path, signal),
  )
  const pages = createPages<AlertDeliveryRow>(() => `/api/alerts?${queryOf({ limit: '50', state: state() })}`)
  const [made, setMade] = createSignal<{ name: string; secret: string }>()
  const both = {
    value: () => hooks.value() && pages.value(),
    error: () => hooks.error() ?? pages.error(),
    reload: async () => void (await Promise.all([hooks.reload(), pages.reload()])),
  }
  onChange(['alerts'], () => void both.reload())
  /** As it was when its dialog opened: a reload must not discard what was typed. */
  const open = createMemo<AlertHookRow | undefined>((shown) => {
    const named = url.get('open')
    return shown?.id === named ? shown : hooks.value()?.find(({ id }) => id === named)
  })
  const close = () => url.set({ open: '', create: '' })
  const done = (hook?: MadeHook) => {
    close()
    showToast(t('saved'))
    if (hook?.secret !== undefined) setMade({ name: hook.name, secret: hook.secret })
    void hooks.reload()
  }
  return (
    <Page
      title={t('title')}
      actions={
        <Button look="primary" icon="plus" onClick={() => url.set({ create: 'yes' })}>
          {t('add')}
        </Button>
      }
    >
      <p class="mb-4 max-w-[560px] text-[13px] text-ink-2">{t('intro')}</p>
      <Show when={made()}>{(one) => <HookSecret {...one()} onClose={() => setMade(undefined)} />}</Show>
      <Loaded of={both}>
        <Places rows={hooks.value()} onChanged={both.reload} />
        <Deliveries pages={pages} state={state()} onState={(state) => url.set({ state })} />
      </Loaded>
      <Suspense>
        <Show when={open()} keyed>
          {(row) => <HookDialog row={row} onClose={close} onDone={done} />}
        </Show>
        <Show when={url.get('create') === 'yes'}>
          <HookDialog onClose={close} onDone={done} />
        </Show>
      </Suspense>
    </Page>
  )
}

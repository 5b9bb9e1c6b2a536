/** Actions that cannot be undone, or change much at once: each is explained, and asks for confirmation. */

import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Card } from '#client/ui/console/page.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** The card. `onReset` puts the defaults into the form, where they are reviewed before saving. */
export function DangerCard(props: { isUsual: boolean; onReset(): void }) {
  return (
    <section id="settings-danger">
      <Card title={t('danger')} bad>
        <div class="stack">
          <div class="flex flex-wrap items-center gap-3 text-[13px]">
            <span class="min-w-[min(100%,220px)] flex-1 text-ink-2">{props.isUsual ? t('nothingChanged') : t('resetWhy')}</span>
            <Button look="bad" aria-disabled={props.isUsual ? 'true' : undefined} onClick={() => props.isUsual || props.onReset()}>
              {t('reset')}
            </Button>
          </div>
          <DangerAction
            why={t('signOutWhy')}
            title={t('signOutTitle')}
            go={t('signOutAll')}
            run={async () => {
              const { ended } = await callApi<{ ended: number }>('DELETE', '/api/sessions')
              return t('signedOut', { count: ended })
            }}
          />
          <DangerAction
            why={t('forgetWhy')}
            title={t('forgetTitle')}
            go={t('forgetAll')}
            run={async () => {
              const { deleted } = await callApi<{ deleted: number }>('DELETE', '/api/bodies?all=true')
              return t('forgotten', { count: deleted })
            }}
          />
        </div>
      </Card>
    </section>
  )
}

/** An action with a button that asks for confirmation. `run` resolves to the success message. */
function DangerAction(props: { why: string; title: string; go: string; run(): Promise<string> }) {
  const [asking, setAsking] = createSignal(false)
  const write = createWrite()
  const go = () => {
    setAsking(false)
    void write.run(async () => showToast(await props.run()))
  }
  return (
    <div class="flex flex-wrap items-center gap-3 text-[13px]">
      <span class="min-w-[min(100%,220px)] flex-1 text-ink-2">{props.why}</span>
      <Button look="bad" busy={write.busy()} onClick={() => !write.busy() && setAsking(true)}>
        {props.go}
      </Button>
      <Refusal of={write} class="basis-full" />
      <Suspense>
        <Show when={asking()}>
          <Confirm title={props.title} intro={props.why} safe={tc('cancel')} go={props.go} onClose={() => setAsking(false)} onGo={go} />
        </Show>
      </Suspense>
    </div>
  )
}
